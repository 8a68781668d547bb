"""What ``train --corpus FILE`` starts where nothing else is named, and that naming something is followed."""

import pytest
from doing import queued

from embedlab.cli import main
from embedlab.runs.store import list_runs, stored_request

TWO, ONE = "A first sentence stands here. A second one follows it.", "One sentence only"


@pytest.fixture
def started(store, tmp_path, monkeypatch):
    """The settings of the run that a command starts; nothing works at it."""

    def start(texts: list[str], *words: str) -> dict:
        file = tmp_path / "texts.csv"
        file.write_text("text\n" + "\n".join(f'"{text} {n}"' for n, text in enumerate(texts)), encoding="utf-8")
        monkeypatch.setattr("embedlab.cli.running.submit", queued)
        assert main(["train", "--corpus", str(file), "--detach", "--quiet", *words]) == 0
        (run,) = [each for each in list_runs() if stored_request(each).task == "train"]
        return stored_request(run).settings

    return start


def test_the_corpuss_own_words_with_pairs_of_sentences_as_long_as_it_helps(started):
    asked = started([TWO] * 30)
    assert (asked["encoder"], asked["recipe"], asked["schedule"]) == ("words", "sentences", "fitted")
    assert asked["objective"]["temperature"] == 0.1


def test_texts_of_one_sentence_are_measured_by_their_start_and_the_judging_file_stays(started, tmp_path):
    judge = tmp_path / "judge.csv"
    rows = "\n".join(f"a {n},b {n},{n % 6}" for n in range(12))
    judge.write_text(f"sentence1,sentence2,score\n{rows}\n", encoding="utf-8")
    asked = started([ONE] * 30, "--judge", str(judge))
    assert (asked["encoder"], asked["recipe"]) == ("words", "untouched")
    assert len(asked["judge"]) == 16 and asked["judged_by"] == "set"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--encoder", "token"], ("token", "crops")),
        (["--recipe", "sentences"], ("token", "sentences")),
        (["--epochs", "3"], ("words", "sentences")),
    ],
)
def test_what_is_named_is_followed(started, words, expected):
    asked = started([TWO] * 30, *words)
    assert (asked["encoder"], asked["recipe"]) == expected
    assert (asked["schedule"], asked["epochs"]) == (("epochs", 3) if "--epochs" in words else ("fitted", 1))
