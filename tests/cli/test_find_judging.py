"""What judges a Find on the command line is what judges it on the page: many labels, few, by hand, or none."""

import csv
import io

import pytest
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.corpora.sets.stored import open_set
from embedlab.finds.judging import judging_of
from embedlab.finds.store import Find
from embedlab.jobs.campaigns import asked_of
from embedlab.runs.hand_labels import hand_labels_of


@pytest.fixture
def find(store, monkeypatch, call):
    """``find(…)``: a started Find is only noted; the exit code, what was printed, and what the newest Find is asked."""

    def run(*words: str):
        with monkeypatch.context() as patch:  # find label starts a worker of its own
            patch.setattr("embedlab.jobs.runner.submit", lambda request: None)
            code, printed = call("find", "run", *words, "--detach")
        return code, printed, asked_of(Find.all()[0]) if Find.all() else None

    return run


def stored(labels=None, per_class: int = 40):
    return store_corpus(Draft(name="mine", source="x", texts=toy_texts(per_class=per_class)[0], labels=labels))


@pytest.mark.parametrize("labels", [toy_texts(per_class=40)[1], [*toy_texts(per_class=10)[1], *[None] * 120]])
def test_few_labels_choose_and_judge_by_halves(find, labels):
    corpus = stored(labels)
    code, printed, asked = find("--corpus", corpus.fingerprint)
    known = sum(each is not None for each in labels)
    assert code == 0 and asked.width_known
    assert open_set(asked.judge).info.name == f"{known} labels of mine"


def test_many_labels_choose_by_the_usual_split_where_classes_have_two_texts(find):
    texts = [f"text number {row} of some words" for row in range(1920)]
    for labels, is_split in (
        ([f"class {row % 300}" for row in range(1920)], True),
        ([f"class {row}" for row in range(1920)], False),
    ):
        corpus = store_corpus(Draft(name="mine", source="x", texts=texts, labels=labels))
        code, printed, asked = find("--corpus", corpus.fingerprint)
        assert judging_of(corpus, None).is_possible == is_split == (code == 0)
        assert not is_split or (asked.judge, asked.width_known) == (None, False)


def test_texts_are_labelled_in_a_file_and_judge(find, call, tmp_path):
    corpus, file = stored(), tmp_path / "labels.csv"
    code, printed = call("find", "label", "--corpus", corpus.fingerprint, "--out", str(file))
    assert code == 0 and printed["texts"] == 120 and printed["labelled"] == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))
    named = dict(zip(corpus.texts, toy_texts(per_class=40)[1], strict=True))
    for row in rows[:60]:
        row["label"] = named[row["text"]]
    with file.open("w", encoding="utf-8", newline="") as written:
        table = csv.DictWriter(written, rows[0])
        table.writeheader()
        table.writerows(rows)
    code, printed, asked = find("--corpus", corpus.fingerprint, "--labels", str(file))
    assert code == 0 and asked.width_known and open_set(asked.judge).info.name == "60 labels of mine"
    assert len(hand_labels_of(open_corpus(corpus.fingerprint)).labels) == 60
    assert find("--corpus", corpus.fingerprint, "--seed", "1")[2].judge == asked.judge  # they are kept


def test_labels_before_their_texts_were_drawn_and_beside_a_file_are_refused(find, tmp_path):
    corpus, file = stored(), tmp_path / "labels.csv"
    file.write_text("id,text,label\n0,some text,law\n1,another text,law\n", encoding="utf-8")
    code, printed, asked = find("--corpus", corpus.fingerprint, "--labels", str(file))
    assert code == 2 and f"find label --corpus {corpus.fingerprint}" in printed["error"]["message"] and asked is None
    both = ("--labels", str(file), "--judge", str(file))
    code, printed, asked = find("--corpus", corpus.fingerprint, *both)
    assert code == 2 and "Both --judge and --labels" in printed["error"]["message"] and asked is None
