"""Every recipe trains in a worker's own way: with an encoder it fits, to a result, and to an encoder that loads."""

import math
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from doing import do, result_of
from toy_corpora import store_summarised, toy_pairs

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.encoders.load import load_encoder
from embedlab.errors import CorpusError, NonFiniteError, SettingsError, UnfitError
from embedlab.jobs.progress import FolderProgress
from embedlab.metrics.split import development_split, paper_split
from embedlab.runs.label_lineage import lineage
from embedlab.runs.state import State
from embedlab.runs.store import bytes_of, create_run, read_rows
from embedlab.store_root import read_json
from embedlab.tasks import TASKS
from embedlab.training.preparation import require_usable_texts, training_rows
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings

SHORT = {
    "encoder": "scratch:bert-tiny",
    "batch_size": 8,
    "max_steps": 3,
    "vocabulary_size": 300,
    "training_length": 16,
    "max_length": 32,
    "evaluate_every": 2,
    "maps": False,
    "inside": False,
}


@pytest.fixture
def short(summarised_corpus) -> dict:
    """Settings of three steps with a small transformer."""
    return {**SHORT, "corpus": summarised_corpus.info.fingerprint}


@pytest.fixture(scope="module")
def shared_store(tmp_path_factory) -> Path:
    """One store for all recipes: what is counted of its texts, and what the untouched encoder makes of them, is kept.

    Who comes first counts it, and whoever comes later reads the same.
    """
    return tmp_path_factory.mktemp("recipes") / "store"


def every_recipe() -> list:
    """All of them; in the quick tests one of each family, and each that reads something else than texts.

    That the others train, too, ``tests/training/test_checkpoints.py`` shows, without a worker's work around it.
    """
    quick = {"crops", "byol", "tsdae", "mlm", "contrastive-tension", "semcse", "supervised"}
    is_quick = {each.key: each.key in quick or each.objective is None or each.trains_on_pairs for each in RECIPES}
    return [pytest.param(each, marks=[pytest.mark.slow] * (not is_quick[each.key]), id=each.key) for each in RECIPES]


@pytest.mark.parametrize("recipe", every_recipe())
def test_a_recipe_trains_to_a_result_and_an_encoder_that_loads(shared_store, monkeypatch, recipe):
    monkeypatch.setenv("EMBEDLAB_HOME", str(shared_store))
    pairs = {"pairs": toy_pairs().fingerprint} if recipe.trains_on_pairs else {}
    asked = {**SHORT, **pairs, "corpus": store_summarised().fingerprint, "recipe": recipe.key, "precision": "fp32"}
    folder = do("train", asked)
    result = result_of(folder)
    assert result["steps"] == (3 if recipe.objective else 0) and result["recipe"] == recipe.key
    assert result["knn"]["test_texts"] > 0 and result["supervised"] == (recipe.key == "supervised")
    encoder = load_encoder(f"run:{folder.id}")
    assert encoder.weights_hash() == result["weights_hash"]
    assert all(torch.isfinite(tensor).all() for tensor in encoder.weights().values())
    if recipe.objective:
        assert result["pooling"] == (recipe.pooling or "mean")
        rows = [row for row in read_rows(folder.metrics) if not row["full"]]
        assert all(row["effective_rank"] > 0 and 0 < row["spread"] < 2 for row in rows)
        assert {"loss", "learning_rate"} < set(read_rows(folder.terms)[-1])


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ("simcse", "identical"),
        ("byol", "identical"),
        ("tsdae", "neighbors"),
        ("mlm", "neighbors"),
        ("elongation-self", "neighbors"),
    ],
)
def test_the_token_layer_is_refused_with_the_reason(short, recipe, said):
    with pytest.raises(UnfitError, match=said):
        do("train", {**short, "encoder": "token", "recipe": recipe})


def test_what_a_corpus_lacks_is_refused_with_the_reason(short):
    corpus = open_corpus(short["corpus"])
    bare = store_corpus(Draft(name="bare", source="x", texts=corpus.texts))
    for recipe, said in (("semcse", "no summaries|has none"), ("supervised", "labels")):
        with pytest.raises(UnfitError, match=said):
            do("train", {**short, "corpus": bare.info.fingerprint, "recipe": recipe})
    with pytest.raises(UnfitError, match="summaries"):
        do("train", {**short, "corpus": bare.info.fingerprint, "judged_by": "ranks", "early_stopping": 2})
    with pytest.raises(UnfitError, match="early_stopping"):
        do("train", {**short, "corpus": bare.info.fingerprint, "early_stopping": 2})


def test_texts_of_one_sentence_have_no_rest_and_no_second_crop(short):
    texts = [f"Only one sentence is written here, number {number}, and it ends without another" for number in range(20)]
    single = store_corpus(Draft(name="single", source="x", texts=texts, labels=["a", "b"] * 10))
    for recipe in ("crops", "coco-dr"):
        with pytest.raises(CorpusError) as found:
            do("train", {**short, "corpus": single.info.fingerprint, "recipe": recipe})
        assert found.value.code == "E-NO-USABLE-TEXTS" and "0 of the 20 texts" in found.value.message


def test_where_no_text_is_usable_whole_texts_are_named_if_the_augmentation_can_show_them(toy_corpus):
    def said(recipe: str, **augmentation) -> str:
        settings = RunSettings(corpus="x", recipe=recipe, augmentation=augmentation)
        made = settings.make_augmentation(toy_corpus, [])
        with pytest.raises(CorpusError) as found:
            require_usable_texts(SimpleNamespace(per_epoch=0, augmentation=made, rows=[]), toy_corpus)
        return found.value.message

    for recipe in ("dropout", "crops-masking"):
        assert "augmentation.unit=text" in said(recipe) and "min_characters" in said(recipe)
        assert said(recipe, unit="text").endswith(". Choose another recipe.")
    assert "augmentation.unit=text" in said("elongation-self")
    for recipe in ("crops", "coco-dr", "tsdae"):
        assert "augmentation.unit" not in said(recipe) and said(recipe).endswith("hoose another recipe.")


def test_dropout_pairs_use_short_texts_where_they_are_asked_to_show_whole_texts(short):
    card = RECIPES["dropout"].when
    assert "fewer than two crops" in card and "augmentation.unit=text" in card
    texts = [f"Only one sentence is written here, number {number}, and it ends without another" for number in range(20)]
    single = store_corpus(Draft(name="single", source="x", texts=texts, labels=["a", "b"] * 10))
    asked = {**short, "corpus": single.info.fingerprint, "recipe": "dropout", "encoder": "scratch:bert-tiny"}
    with pytest.raises(CorpusError, match=r"0 of the 20 texts.*augmentation\.unit=text"):
        do("train", asked)
    assert result_of(do("train", {**asked, "augmentation": {"unit": "text"}}))["usable_texts"] == 20


def test_a_batch_of_one_is_refused_in_one_sentence(short):
    with pytest.raises(SettingsError, match="batch_size"):
        do("train", {**short, "recipe": "vicreg", "batch_size": 1})


@pytest.mark.slow
def test_texts_longer_than_the_positions_are_read_to_their_end_and_said(short):
    long = {**short, "max_length": None, "training_length": None, "recipe": "simcse", "max_steps": 2}
    corpus = open_corpus(short["corpus"])
    texts = [f"{text} " * 12 for text in corpus.texts[:40]]
    stored = store_corpus(Draft(name="long", source="x", texts=texts, labels=list(corpus.labels[:40])))
    result = result_of(do("train", {**long, "corpus": stored.info.fingerprint}))
    said = [warning["message"] for warning in result["warnings"] if warning["code"] == "W-TRUNCATED"]
    assert len(said) == 1 and "40 of 40" in said[0] and "512 tokens" in said[0]
    assert not [w for w in result_of(do("train", long))["warnings"] if w["code"] == "W-TRUNCATED"]


def test_supervised_pairs_come_from_the_train_part_without_its_development_texts(short):
    corpus = open_corpus(short["corpus"])
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    development = development_split(split, corpus.copies).test
    rows = training_rows(corpus, split, "all", labels_train=True)
    assert not set(rows) & (set(split.test) | set(development)) and len(development) > 0
    assert set(rows) == set(split.train) - set(development)
    result = result_of(do("train", {**short, "recipe": "supervised"}))
    assert result["trained_on"] == "labels of the train split" and result["usable_texts"] == len(rows)
    assert any("Supervised" in warning["message"] for warning in result["warnings"])


@pytest.mark.slow
def test_a_second_phase_starts_where_the_first_ended_and_tells_its_lineage(short):
    first = do("train", {**short, "recipe": "mlm"})
    second = do("train", {**short, "recipe": "crops", "encoder": f"run:{first.id}"})
    third = do("train", {**short, "recipe": "supervised", "encoder": f"run:{second.id}"})
    one, two, three = (result_of(folder) for folder in (first, second, third))
    assert two["knn"]["before"] == one["knn"]["after"] and one["lineage"] == []
    assert [phase["run"] for phase in three["lineage"]] == [second.id, first.id]
    assert [phase["recipe"] for phase in three["lineage"]] == ["crops", "mlm"]
    rates = [row["learning_rate"] for row in read_rows(second.terms)]
    assert rates[0] == 0 or max(rates) == rates[0], "a new warm-up, or none within so few steps"
    assert load_encoder(str(second.untouched_encoder)).weights_hash() == one["weights_hash"], (
        "kept, should it be deleted"
    )
    assert lineage("run:0nosuchrun")[0].recipe is None


def test_early_stopping_keeps_the_best_step_and_says_why(short):
    asked = {
        **short,
        "recipe": "semcse",
        "judged_by": "ranks",
        "early_stopping": 2,
        "max_steps": 40,
        "epochs": None,
        "learning_rate": 0.5,
    }
    folder = create_run("train", asked)
    state = TASKS["train"].run(folder, TASKS["train"].read(asked), FolderProgress(folder))
    result = result_of(folder)
    live = [row for row in read_rows(folder.metrics) if not row["full"]]
    best = max(live, key=lambda row: (row["development"], -row["step"]))
    assert state is State.FINISHED and result["steps"] < 40
    assert live[-1]["step"] - best["step"] == 2 * short["evaluate_every"]
    assert result["kept"]["step"] == best["step"] and "ranks" in result["kept"]["reason"]
    assert all(row["development"] <= -1 for row in live), "minus a mean rank, and the best rank is 1"


def test_an_estimate_is_steps_times_seconds_and_keeps_nothing(short):
    folder = do("estimate", {**short, "recipe": "tsdae", "max_steps": 50, "epochs": None})
    found = read_json(folder.result)
    assert found["steps"] == 50 and found["usable_texts"] == 120 and found["seconds_per_step"] > 0
    assert found["seconds"] >= 50 * found["seconds_per_step"] * 0.99
    assert found["verdict_seconds"] > found["seconds"] and found["peak_bytes"] > 10**8
    assert not folder.encoder.exists() and not folder.metrics.exists()


def test_what_a_run_leaves_on_the_disk_is_told_beforehand(short):
    asked = {**short, "encoder": "token", "recipe": "crops"}
    told = read_json(do("estimate", asked).result)["disk_bytes"]
    assert bytes_of(do("train", asked)) == pytest.approx(told, rel=0.5)  # of 120 texts the small files are much


def test_a_gradient_that_is_no_number_never_reaches_the_weights(short, monkeypatch):
    from embedlab.objectives.infonce import InfoNCE

    real, calls = InfoNCE.forward, {"n": 0}

    class Spoils(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value.clone()

        @staticmethod
        def backward(ctx, gradient):
            return gradient * torch.inf

    def breaks(self, encoder, views):
        calls["n"] += 1
        terms = real(self, encoder, views)
        return {**terms, "loss": Spoils.apply(terms["loss"])} if calls["n"] == 2 else terms

    monkeypatch.setattr(InfoNCE, "forward", breaks)
    asked = {**short, "recipe": "crops", "warmup": 0.0}
    folder = create_run("train", asked)
    with pytest.raises(NonFiniteError, match="gradient became NaN or infinite at step 1"):
        TASKS["train"].run(folder, TASKS["train"].read(asked), FolderProgress(folder))
    kept = load_encoder(str(folder.encoder))
    assert all(torch.isfinite(p).all() for p in kept.parameters())
    last = read_rows(folder.metrics)[-1]
    assert last["notices"][0]["code"] == "E-NONFINITE" and last["step"] == 1


def test_a_collapse_is_told_in_metrics_jsonl_and_in_the_result(short, monkeypatch):
    from embedlab.training.live import LiveCurve
    from embedlab.training.watchdog import Spread

    ranks = iter([60.0, 50.0, 2.0, 1.5, 1.2, 1.1])
    real = LiveCurve.measure

    def collapsing(self, *given):
        point = real(self, *given)
        return type(point)(**{**point.__dict__, "spread": Spread(next(ranks), 0.5, 100)})

    monkeypatch.setattr(LiveCurve, "measure", collapsing)
    folder = do("train", {**short, "recipe": "crops", "max_steps": 6})
    rows = [row for row in read_rows(folder.metrics) if row.get("notices")]
    assert [row["notices"][0]["code"] for row in rows] == ["W-COLLAPSE"] * len(rows) and rows
    assert [notice["code"] for notice in result_of(folder)["notices"]] == ["W-COLLAPSE"]


def test_an_encoder_without_labels_is_watched_too(short):
    corpus = open_corpus(short["corpus"])
    bare = store_corpus(Draft(name="bare", source="x", texts=corpus.texts))
    folder = do("train", {**short, "corpus": bare.info.fingerprint, "recipe": "crops"})
    rows = read_rows(folder.metrics)
    assert rows and all(row["knn"] is None and math.isfinite(row["effective_rank"]) for row in rows)
