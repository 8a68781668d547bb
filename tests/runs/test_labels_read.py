"""Which texts' labels an encoder read: hashes by normalised text, files beside an encoder."""

import hashlib

import numpy as np
import pytest
from builders import change_result, leave_result

from embedlab.corpora.base import Draft, store_corpus
from embedlab.encoder_catalog.facts import FACTS
from embedlab.errors import CorpusError, EmbedlabError, SettingsError
from embedlab.metrics.split import paper_split
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import (
    FILE,
    NO_LABELS,
    LabelExposure,
    hash_of,
    keep_labels_read,
    labels_of_training,
    labels_read_by,
    labels_read_of_run,
    name_of_before,
    read_labels_read,
    require_no_folds,
    saw_labels,
    without_read_labels,
    word_of_before,
    write_labels_read,
)
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.store_root import read_json, write_json


def made(corpus, encoder: str = "token", recipe: str = "crops", **result) -> RunFolder:
    """A finished run; nothing beside its encoder speaks of labels yet."""
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": encoder, "recipe": recipe})
    write_state(run, State.FINISHED, fingerprint=corpus.fingerprint)
    leave_result(run, corpus, supervised=recipe == "supervised", **result)
    write_json(run.encoder / FACTS, {"reference": encoder})
    return run


def train_part(corpus) -> set[str]:
    """The hashes of the split's train part."""
    return {hash_of(corpus.texts[row]) for row in paper_split(corpus.texts, corpus.labels, corpus.kept).train}


def test_a_text_is_known_by_its_normalised_form():
    sha = hashlib.sha256(b"the court, the judge").hexdigest()
    assert hash_of("The  COURT,\n the Judge ") == sha[:16]  # case and blanks do not matter
    assert hash_of("The ﬁnal") == hash_of("the final") != hash_of("the finals")  # NFKC opens the ligature


def test_rows_in_a_corpus_and_the_union_of_two(toy_corpus):
    one, other = (labels_of_training(toy_corpus, np.array(rows)) for rows in ([0, 5], [5, 7]))
    assert np.flatnonzero((one | other).in_corpus(toy_corpus)).tolist() == [0, 5, 7]
    assert one.in_corpus(toy_corpus, np.array([5, 6])).tolist() == [True, False]
    assert np.flatnonzero(one.in_corpus(toy_corpus)).tolist() == [0, 5]
    assert (one | NO_LABELS) == one and not NO_LABELS.in_corpus(toy_corpus).any()


def test_texts_without_a_label_are_not_read(store):
    corpus = store_corpus(Draft(name="some", source="x", texts=["a one", "b two", "c three"], labels=["x", None, "y"]))
    assert labels_of_training(corpus, corpus.kept).hashes == {hash_of("a one"), hash_of("c three")}


def test_the_files_beside_an_encoder_hold_it_in_order_and_keep_what_was_there(tmp_path):
    write_json(tmp_path / FACTS, {"dim": 8})
    (tmp_path / "README.md").write_text("# A card\n", encoding="utf-8")
    read = LabelExposure(frozenset(map(hash_of, "abc")), True)
    for _ in range(2):
        write_labels_read(tmp_path, read)
    assert read_labels_read(tmp_path) == read
    assert read_json(tmp_path / FACTS) == {"dim": 8, "saw_labels": True}
    assert read_json(tmp_path / FILE)["hashes"] == sorted(read.hashes)
    assert (tmp_path / "README.md").read_text(encoding="utf-8").count("trained with labels") == 1


def test_without_labels_only_the_facts_say_so(tmp_path):
    assert read_labels_read(tmp_path) is None  # an encoder from elsewhere
    write_labels_read(tmp_path, NO_LABELS)
    assert read_labels_read(tmp_path) == NO_LABELS and not (tmp_path / FILE).exists()


@pytest.mark.parametrize("damage", [None, "[]", '{"hashes": ["z"]}', '{"hashes": 3}'])
def test_a_missing_or_damaged_list_is_refused(tmp_path, damage):
    write_labels_read(tmp_path, LabelExposure(frozenset(), True))
    (tmp_path / FILE).unlink() if damage is None else (tmp_path / FILE).write_text(damage)
    with pytest.raises(EmbedlabError, match="Copy the whole folder of the encoder again"):
        read_labels_read(tmp_path)


def test_test_texts_whose_labels_were_read_leave_and_the_train_part_stays(toy_corpus):
    split = paper_split(toy_corpus.texts, toy_corpus.labels, toy_corpus.kept)
    read = labels_of_training(toy_corpus, split.test[:4])
    left = without_read_labels(split, toy_corpus, read)
    assert left.test.tolist() == split.test[4:].tolist() and left.train.tolist() == split.train.tolist()
    assert without_read_labels(split, toy_corpus, labels_of_training(toy_corpus, split.train)) is split
    with pytest.raises(CorpusError, match="those of all 12 test texts") as error:
        without_read_labels(split, toy_corpus, labels_of_training(toy_corpus, split.test))
    assert error.value.code == "W-NO-UNSEEN-TEXTS"


def test_ten_folds_are_refused_for_what_saw_labels_alone():
    require_no_folds(NO_LABELS)
    with pytest.raises(SettingsError, match="would test texts whose labels were used for training"):
        require_no_folds(LabelExposure(frozenset(), True))


def test_what_was_read_before_stays_known_when_all_it_came_from_is_gone(toy_corpus, tmp_path):
    elsewhere = tmp_path / "exported"
    write_labels_read(elsewhere, LabelExposure(frozenset([hash_of("a")]), True))
    run = made(toy_corpus, str(elsewhere), saw_labels=True)
    before = labels_read_by(str(elsewhere))
    keep_labels_read(run, before=before, after=before)
    for file in elsewhere.iterdir():
        file.unlink()
    elsewhere.rmdir()
    assert labels_read_of_run(run, "before") == labels_read_of_run(run) == before
    assert saw_labels(run, "before") and (word_of_before(run), name_of_before(run)) == (
        "trained with labels", "the encoder before, trained with labels"
    )  # fmt: skip


def test_of_a_run_that_began_without_labels_before_stays_untouched(toy_corpus):
    run = made(toy_corpus, "minilm", "supervised", saw_labels=True)
    keep_labels_read(run, before=NO_LABELS, after=labels_of_training(toy_corpus, np.array([3])))
    assert labels_read_of_run(run).hashes == {hash_of(toy_corpus.texts[3])}
    assert labels_read_of_run(run, "before") == NO_LABELS and not run.untouched_encoder.exists()
    assert saw_labels(run) and not saw_labels(run, "before") and word_of_before(run) == "untouched"


def test_a_result_that_says_it_is_believed(toy_corpus):
    run = made(toy_corpus, saw_labels=True)
    assert saw_labels(run)
    change_result(run, saw_labels=False)
    assert not saw_labels(run) and not saw_labels(run, "before")


def test_what_was_trained_by_labels_is_read_beside_its_encoder_by_every_name_of_it(toy_corpus):
    plain, first = made(toy_corpus), made(toy_corpus, recipe="supervised")
    read = labels_of_training(toy_corpus, np.array(sorted(range(100))))
    keep_labels_read(plain, before=NO_LABELS, after=NO_LABELS)
    keep_labels_read(first, before=NO_LABELS, after=read)
    assert labels_read_by(f"run:{first.id}") == labels_read_by(str(first.encoder)) == labels_read_of_run(first) == read
    assert labels_read_by(f"run:{plain.id}") == NO_LABELS and not saw_labels(plain) and saw_labels(first)
    for reference in ("token", "scratch:bert-mini", "minilm", "hf:owner/name", "token:minilm", "/nowhere/at/all"):
        assert labels_read_by(reference) == NO_LABELS


def test_a_run_by_labels_whose_encoder_is_gone_is_not_measured_on_a_guess(toy_corpus):
    run = made(toy_corpus, recipe="supervised")
    with pytest.raises(EmbedlabError, match="Train it again"):
        labels_read_of_run(run)


def test_a_run_at_work_is_told_by_its_recipe_and_by_what_it_starts_from(toy_corpus):
    first = made(toy_corpus, recipe="supervised")
    for encoder in (f"run:{first.id}", str(first.encoder)):
        write_labels_read(first.encoder, LabelExposure(frozenset(), True))
        begun = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": encoder, "recipe": "crops"})
        assert saw_labels(begun) and saw_labels(begun, "before")
    alone = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "supervised"})
    assert saw_labels(alone) and not saw_labels(alone, "before")
