"""Labels by hand on Find: offered, one text at a time, kept at once, and then they choose and judge."""

import pytest
from seen import words
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.corpora.sets.stored import open_set
from embedlab.finds.labelling import csv_of_labels
from embedlab.finds.store import Find
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.requests.corpora import ChooseTexts
from embedlab.runs.hand_labels import ask_for, give_labels, hand_labels_of
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import State, read_state, write_state

ODD = '<b>line</b> one\nline :smile: two; "quoted" $x$'


@pytest.fixture
def train(open_page, monkeypatch):
    """The view Find of the page; a started worker is only noted."""
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    return lambda **address: open_page("train", **{"train.view": "Find", **address})


@pytest.fixture
def unlabelled(store):
    """160 texts without labels; the first is odd."""
    texts, _ = toy_texts(per_class=40)
    return store_corpus(Draft(name="mine", source="x", texts=[ODD, *texts[1:]]))


def button(at, label: str):
    return next((each for each in at.button if each.label.replace("\\", "") == label), None)


def press(at, label: str):
    return button(at, label).click().run()


def say(at, label: str):
    """Type a new label and press Enter."""
    at.text_input("labels.typed").set_value(label)
    return press(at, "Add")


def labels_of_rows(corpus, rows) -> dict[int, str]:
    """By the toy corpus's order of classes."""
    return {row: ("astronomy", "cooking", "law", "sailing")[row % 4] for row in rows}


def test_a_worker_chooses_the_texts_and_the_width_is_said_before(train, unlabelled):
    at = train()
    assert not at.exception
    assert "about 10 min" in words(at) and "With 30 texts for the verdict" in words(at) and "±0.18" in words(at)
    press(at, "Label sixty texts")
    job = newest_job(ChooseTexts.task, corpus=unlabelled.fingerprint)
    assert read_state(job).state is State.QUEUED and button(at, "Label sixty texts") is None


def test_a_worker_that_failed_says_why_and_can_be_asked_again(train, unlabelled):
    at = press(train(), "Label sixty texts")
    job = newest_job(ChooseTexts.task, corpus=unlabelled.fingerprint)
    write_state(job, State.FAILED, error={"code": "E-X", "message": "The disk is <b>full</b>."})
    at.run()
    assert not at.exception and "The disk is <b>full</b>." in words(at) and button(at, "Try again") is not None


def test_a_text_is_shown_as_it_is_and_its_label_kept_at_once(train, unlabelled):
    ask_for(unlabelled, [0, 5, 6])
    at = train()
    assert not at.exception and at.text[0].value == ODD
    say(at, "law: $5$")
    assert hand_labels_of(unlabelled).labels == {0: "law: $5$"}
    assert at.text[0].value == unlabelled.texts[5] and "law: $5$ (1)" in words(at).replace("\u2060", "")
    again = train()  # a reload goes on where it stood
    assert again.text[0].value == unlabelled.texts[5]


def test_the_labels_so_far_are_buttons_skip_and_back(train, unlabelled):
    ask_for(unlabelled, [4, 5, 6, 7])
    at = say(train(), "law")
    press(at, "law")
    press(at, "Skip")
    given = hand_labels_of(unlabelled)
    assert given.labels == {4: "law", 5: "law"} and given.skipped == (6,) and at.text[0].value == unlabelled.texts[7]
    assert "2 of 4 labeled, 1 skipped" in str(at.get("progress")[0].proto)
    press(press(at, "Back"), "Back")
    assert at.text[0].value == unlabelled.texts[5]
    say(at, "cooking")
    assert hand_labels_of(unlabelled).labels[5] == "cooking" and at.text[0].value == unlabelled.texts[7]


def test_what_is_missing_is_said_until_both_halves_have_enough(train, unlabelled):
    ask_for(unlabelled, range(160))
    give_labels(unlabelled, dict.fromkeys(range(59), "law"))
    at = train()
    assert button(at, "Find the best encoder") is None and "Every label so far is 'law'" in words(at)
    say(at, "cooking")
    assert button(at, "Find the best encoder") is not None or "needs 8 texts" in words(at)
    give_labels(unlabelled, labels_of_rows(unlabelled, range(60)))
    at.run()
    assert button(at, "Find the best encoder") is not None and not at.text
    press(at, "Label more")
    assert at.text[0].value == unlabelled.texts[60]


def test_find_goes_on_with_these_labels_as_what_chooses_and_judges(train, unlabelled):
    ask_for(unlabelled, range(60))
    give_labels(unlabelled, labels_of_rows(unlabelled, range(60)))
    at = train()
    assert "30 labeled texts choose the encoder; 30 others" in words(at) and "±0.18" in words(at)
    press(at, "Find the best encoder")
    assert not at.exception
    asked = asked_of(Find.all()[0])
    judge = open_set(asked.judge)
    assert asked.width_known and asked.corpus == unlabelled.fingerprint and len(judge.column("query")) == 60
    assert judge.name == "60 labels of mine" and unlabelled.fingerprint in judge.info.source
    assert open_corpus(unlabelled.fingerprint).info == unlabelled.info


def test_a_damaged_file_is_said_and_texts_are_drawn_anew(train, unlabelled):
    ask_for(unlabelled, [0, 1])
    (unlabelled.folder / "labels.json").write_text("{", encoding="utf-8")
    at = train()
    assert not at.exception and "The labels given by hand to 'mine' cannot be read" in words(at)
    press(at, "Draw new texts")
    assert not at.exception and button(at, "Label sixty texts") is not None


def test_few_labels_of_a_corpus_choose_by_halves(train, toy_corpus):
    at = train()
    assert "only 11 development texts would select" in words(at) and button(at, "Label sixty texts") is None
    press(at, "Find the best encoder")
    assert len(open_set(asked_of(Find.all()[0]).judge).column("query")) == 120


def test_many_labels_choose_as_ever(train, store):
    texts = [f"text number {row} of some words" for row in range(1920)]
    store_corpus(Draft(name="many", source="x", texts=texts, labels=["a", "b"] * 960))
    at = press(train(), "Find the best encoder")
    assert not at.exception and asked_of(Find.all()[0]).judge is None


def test_a_partly_labelled_corpus_offers_to_label_more(train, store):
    texts, labels = toy_texts(per_class=40)
    partly = [label if row < 40 else None for row, label in enumerate(labels)]
    store_corpus(Draft(name="partly", source="x", texts=texts, labels=partly))
    at = train()
    assert not at.exception and button(at, "Find the best encoder") is not None
    assert "With 50 texts for the verdict" in words(at) and button(at, "Label sixty texts") is not None


@pytest.mark.parametrize(
    ("texts", "labels", "sentence"),
    [
        (["one text", "another"], ["a", "b"], "'mine' has too few labels"),
        (["one text", "another"], None, "Label 2 texts here"),
        (["one text"], None, "Label 1 text here"),
        (["one text"] * 5, ["only"] * 5, "only one class, 'only'"),
        ([f"text {row}" for row in range(300)], [f"class {row}" for row in range(300)], "needs 8 texts that share"),
    ],
)
def test_odd_corpora_are_said_what_they_lack(train, store, texts, labels, sentence):
    store_corpus(Draft(name="mine", source="x", texts=texts, labels=labels))
    at = train()
    assert not at.exception
    assert sentence in words(at) and button(at, "Find the best encoder") is None


def test_corpus_begins_a_find_by_one_button(open_page, toy_corpus, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    at = press(open_page("corpus"), "Find the best encoder (5 min)")
    assert not at.exception
    (find,) = Find.all()
    assert asked_of(find).minutes == 5 and at.session_state["train.view"] == "Find"
    assert at.session_state["find.shown"] == find.id


def test_where_nothing_can_choose_that_button_opens_the_form(open_page, unlabelled, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    at = press(open_page("corpus"), "Find the best encoder (5 min)")
    assert not at.exception and Find.all() == [] and button(at, "Label sixty texts") is not None


def test_a_filled_file_is_taken_after_a_look(train, unlabelled):
    given = ask_for(unlabelled, [0, 5, 6])
    filled = csv_of_labels(unlabelled, given).replace(b",\r\n", b",law\r\n")
    at = train()
    at.get("file_uploader")[0].set_value(("filled.csv", filled, "text/csv")).run()
    assert not at.exception and hand_labels_of(unlabelled).labels == {}
    press(at, "Use its 3 labels")
    assert hand_labels_of(unlabelled).labels == dict.fromkeys([0, 5, 6], "law")


def test_another_file_is_refused_in_a_sentence(train, unlabelled):
    ask_for(unlabelled, [0, 5, 6])
    at = train()
    at.get("file_uploader")[0].set_value(("mine.csv", b"text,topic\none text,law\nanother,law\n", "text/csv")).run()
    assert not at.exception and "'mine.csv' has no column 'id'" in words(at)
    assert hand_labels_of(unlabelled).labels == {}
