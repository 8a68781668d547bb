"""The methods paragraph: nothing left open, every number from the run, every recipe and encoder with its works."""

import re

import pytest
from builders import both, judged, knn, leave_result, lines
from doing import do

from embedlab.cli.parts import registries
from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.catalog import CATALOG
from embedlab.encoder_catalog.catalog import ENCODERS
from embedlab.errors import RunError
from embedlab.map_methods import MAP_METHODS
from embedlab.report.citations import citations, describe_recipe, works_of_corpus, works_of_encoder
from embedlab.report.methods import methods_of
from embedlab.runs.result import read_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.store_root import read_json, write_json
from embedlab.tasks.fine_tune.warnings import write_circumstances
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings

HASH = "ab" * 32


@pytest.fixture
def described(toy_corpus):
    """``described(recipe="crops", …)``: a finished run's paragraph."""

    def made(*, settings=None, facts=None, **changed):
        told = RunSettings(corpus=toy_corpus.fingerprint, recipe=changed.get("recipe", "crops"), **(settings or {}))
        run = create_run("train", told.model_dump())
        found = {
            "steps": 1234, "usable_texts": 117, "texts_read": 819, "learning_rate": 0.01, "pooling": "mean",
            "max_length": 512, "embedding_precision": "fp32", "weights_hash": HASH,
            "knn": knn((0.4, 0.625, 0.7), (0.41, 0.635, 0.71), n=11, k=9),
            "judged": both(judged((0.225, -0.013, 0.4)), judged((0.235, 0.023, 0.41))),
            "references": lines(n=11, tfidf=(0.51, 0.53), svd=(0.52, 0.54)),
        }  # fmt: skip
        leave_result(run, toy_corpus, **found | changed)
        write_circumstances(run, told, toy_corpus)
        known = {"device": "cpu", "device_line": "2 cores", "precision": "fp32", "threads": 7}
        write_state(run, State.FINISHED, **known | (facts or {}))
        return run, methods_of(run)

    return made


def test_every_number_is_the_run_s_and_nothing_is_left_open(described, toy_corpus):
    import torch

    run, found = described(settings={"seed": 41})
    text = found.text
    for said in ("120 texts", "120 of them labeled with 4 classes", toy_corpus.fingerprint, "64 texts per step",
                 "1,234 steps (7 epochs, 819 texts read) on 117 usable texts",
                 "peak learning rate of 0.01", "seed 41", "k = 9", "split seed 42",
                 "n = 11 test texts", "with cosine and with Euclidean distance",
                 "with cosine is 41.0 % before and 63.5 % ± 14.5 after fine-tuning, a difference of +23.5 points "
                 "(95 %: 2.3 … 41.0); with Euclidean distance it is 40.0 % before and 62.5 % ± 14.6",
                 "+22.5 points (95 %: −1.3 … 40.0)",
                 "TF-IDF of words (Sparck Jones, 1972) has 53.0 % (cosine) and 51.0 % (Euclidean distance)",
                 "temperature 0.05", "warmup over 10 % of an epoch, linear decay", "7 threads",
                 f"torch {torch.__version__}", HASH, run.id, "on 2 cores", "training in fp32"):  # fmt: skip
        assert said in text, said
    assert not re.search(r"[{}]|None|nan|\bTODO\b|\?\?|<|  ", text)
    assert set(read_json(run.result)) >= {"knn", "references"}


def test_every_work_named_has_its_entry_and_every_entry_is_named(described):
    _, found = described()
    assert found.keys == tuple(dict.fromkeys(found.keys))
    for key in found.keys:
        assert citations()[key].short in found.text and f"{{{key},\n" in found.bibtex
    assert found.bibtex.count("@") == len(found.keys) >= 5
    assert "bonett2012paired" in found.keys and "policar2024opentsne" not in found.keys


def test_every_part_names_works_that_there_are():
    for registry in (*registries(), CATALOG, MAP_METHODS):
        for part in registry:
            named = part.works if registry is RECIPES else getattr(part, "cites", ())
            assert set(named) <= citations().keys(), part.key


def test_every_recipe_and_catalog_encoder_is_told_and_its_works_are_known():
    for recipe in RECIPES:
        told, works = describe_recipe(recipe.key)
        assert told == recipe.methods_phrase and (works or recipe.key == "untouched"), recipe.key
    assert all(works_of_encoder(entry.key) for entry in ENCODERS)
    assert works_of_encoder("hf:somebody/something") == () and works_of_encoder("token:bert") == ("crops",)
    assert describe_recipe("dropout")[1] == ("crops", "gao2021simcse", "oord2018cpc")  # its own, then its objective's
    assert describe_recipe("byol+crop") == ("BYOL on views by Text crops", ("crops", "unsee"))
    assert describe_recipe("gone") == ("the recipe gone", ())
    assert works_of_corpus("iclr") == ("gonzalez2024iclr",) and works_of_corpus("mine") == ()


@pytest.mark.parametrize("citation", citations().values(), ids=lambda each: each.key)
def test_an_entry_is_whole(citation):
    entry = citation.bibtex
    assert re.match(rf"@(article|inproceedings|misc){{{citation.key},\n  author", entry) and entry.endswith("\n}")
    assert entry.count("{") == entry.count("}") and "short" not in entry and citation.short
    assert re.search(r"^  title +=\s\{\{.+\}\},$", entry, flags=re.MULTILINE)


def test_the_file_of_works_is_read_as_it_stands():
    assert len(citations()) == 62
    assert (
        citations()["song2020mpnet"].bibtex
        == """@article{song2020mpnet,
  author  = {Song, Kaitao and Tan, Xu and Qin, Tao and Lu, Jianfeng and Liu, Tie-Yan},
  title   = {{MPNet: Masked and permuted pre-training for language understanding}},
  journal = {Advances in Neural Information Processing Systems},
  year    = {2020},
  volume  = {33},
  pages   = {16857--16867},
}"""
    )


def test_of_labels_it_is_said_what_the_texts_of_the_anchors_class_were(described):
    labels = {"recipe": "supervised", "supervised": True}
    masked = described(**labels)[1]
    assert "The other texts of the anchor's class were not used as negatives." in masked.text
    positives = described(**labels, settings={"objective": {"same_class": "positives"}})[1]
    assert "was a positive (supervised contrastive loss, L_out) (Khosla et al., 2020)." in positives.text
    assert "khosla2020supcon" in positives.keys and "khosla2020supcon" not in masked.keys
    text = described()[1].text
    assert "anchor's class" not in text and "same class" not in text


def test_what_was_trained_on_is_said_as_it_was(described):
    assert "all texts, including the test texts" in described()[1].text
    assert "neither test texts nor their copies" in described(settings={"train_on": "train_split"})[1].text
    assert "a sample drawn by the seed" in described(settings={"train_texts": 50})[1].text
    assert "The labels of the train split were used" in described(recipe="supervised", supervised=True)[1].text
    untouched = described(recipe="untouched", steps=0)[1].text
    assert "was used unchanged" in untouched and "fine-tuned" not in untouched and "no labels" not in untouched


def test_what_chose_the_step_is_told_as_the_run_wrote_it_down(described):
    last = described()[1].text
    assert "Nothing was selected using labels: the encoder after the last step is reported." in last
    assert "development texts of" not in last and "split seed 43" not in last
    stopped = {"stopped": True, "steps": 900}
    judged = {"by": "knn", "distance": "cosine", "development_texts": 973, "neighbors": 9710, "seed": 43}
    kept = {"step": 600, "reason": "Stopped: the step that the development texts liked best.", "best_step": 600}
    by_labels = described(**stopped, kept={**kept, "judged": judged})[1].text
    assert (
        "Training ended at step 900, before its planned end; the encoder after step 600 is reported. The step was "
        "selected by kNN accuracy (cosine) of 973 development texts of the train part (split seed 43), with "
        "neighbors among "
        "9,710 labeled train texts." in by_labels
    )
    assert "Nothing was selected" not in by_labels and "71.0 % ±" in by_labels and "63.5 %" not in by_labels
    by_ranks = described(**stopped, kept={**kept, "judged": {"by": "ranks"}})[1].text
    assert (
        "The step was selected by the ranks of held-out summaries." in by_ranks
        and "development texts of" not in by_ranks
    )
    nothing = described(**stopped, kept={**kept, "step": 900, "judged": None})[1].text
    assert "Nothing was selected using labels: the encoder after that step is reported." in nothing


def test_how_the_split_was_changed_is_told_only_where_it_was(described):
    untold = described()[1].text
    assert "moved" not in untold and "copy" not in untold and "one text" not in untold
    copies = "5 test texts have a copy among the train texts and were moved there; 0 further copies are left out."
    warnings = [{"code": "W-COPIES", "message": copies}, {"code": "W-TRUNCATED", "message": "Some texts are cut."}]
    told = described(warnings=warnings)[1].text
    assert copies in told and "Some texts are cut" not in told


def test_what_the_split_did_is_told_in_its_own_words(store):
    labels = ["a"] * 20 + ["b"] * 20 + ["c"]
    corpus = store_corpus(Draft(name="one of c", source="made", texts=[f"text {n}" for n in range(41)], labels=labels))
    assert "W-SINGLETON" in [note.code for note in corpus.info.notes]
    run = do(
        "train",
        {"corpus": corpus.info.fingerprint, "encoder": "token", "recipe": "untouched", "maps": False, "inside": False},
    )
    said = "Classes with one text are not tested: c."
    assert read_result(run).warned("W-SINGLETON") == [said] and said in methods_of(run).text


def test_of_many_classes_with_one_text_a_few_are_named(store):
    labels = ["a"] * 20 + ["b"] * 20 + [f"one {n}" for n in range(7)]
    corpus = store_corpus(Draft(name="ones", source="made", texts=[f"text {n}" for n in range(47)], labels=labels))
    run = do(
        "train",
        {"corpus": corpus.info.fingerprint, "encoder": "token", "recipe": "untouched", "maps": False, "inside": False},
    )
    (line,) = read_result(run).warned("W-SINGLETON")
    assert line == "Classes with one text are not tested: one 0, one 1, one 2, one 3, one 4 and 2 more."


def test_maps_are_cited_only_where_they_were_drawn_and_phases_where_there_were_some(described):
    run, _ = described(lineage=[{"run": "abc", "name": "", "recipe": "tsdae", "encoder": "bert"}], encoder="run:abc")
    write_json(run.map_facts("after", "umap"), {"method": "umap", "seed": 5})
    write_json(run.map_facts("after", "pca"), {"method": "pca", "seed": None})
    found = methods_of(run)
    assert "UMAP (McInnes et al., 2018) with seed 5, the map after starting from the one before." in found.text
    assert "Maps were drawn by PCA, the map after rotated onto the one before." in found.text
    assert "vandermaaten2008tsne" not in found.keys
    assert "The encoder BERT (Devlin et al., 2019), first trained with TSDAE" in found.text


def test_without_labels_no_accuracy_is_told_and_without_a_result_nothing(described, toy_corpus):
    text = described(knn=None, references={}, judged=None)[1].text
    assert "no two labeled classes" in text and "n =" not in text
    one_class = "kNN accuracy needs two classes, but all 9 labeled texts are 'a'; training and maps work without it."
    why = [{"code": "W-ONE-CLASS", "message": one_class}]
    text = described(knn=None, references={}, judged=None, warnings=why)[1].text
    assert "No kNN accuracy was measured: it needs two classes, but all 9 labeled texts are 'a'. " in text
    with pytest.raises(RunError, match="no result to describe"):
        methods_of(create_run("train", {"corpus": toy_corpus.fingerprint}))


def test_an_earlier_phase_by_labels_is_told_and_cited_and_never_called_without(described):
    first, _ = described(recipe="supervised", supervised=True)
    phase = {"run": first.id, "name": "", "recipe": "supervised", "encoder": "token"}
    settings = {"encoder": f"run:{first.id}"}
    for lineage in ([phase], [{**phase, "recipe": None, "encoder": None}]):  # of a deleted run nothing else is known
        told = described(settings=settings, encoder=settings["encoder"], lineage=lineage, saw_labels=True)[1]
        assert "first trained with labels" in told.text or "a run that was trained with labels" in told.text
        assert "wang2021tsdae" in told.keys and "used no labels" not in told.text
        assert "no text whose label it used is tested" in told.text
    assert "used no labels" in described(saw_labels=False)[1].text


def test_an_encoder_that_came_as_a_folder_trained_by_labels_is_told_so(described, tmp_path):
    from embedlab.runs.label_lineage import LabelExposure, write_labels_read

    write_labels_read(tmp_path / "given", LabelExposure(frozenset(), True))
    encoder = str(tmp_path / "given")
    told = described(settings={"encoder": encoder}, encoder=encoder, saw_labels=True)[1]
    assert f"The encoder {encoder}, first trained with labels (" in told.text and "wang2021tsdae" in told.keys
