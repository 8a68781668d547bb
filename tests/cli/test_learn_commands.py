"""``learn``: keys of its JSON, exit codes, one sentence for a mistake."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "learn"))

from made_lessons import LESSON  # noqa: E402
from toy_corpora import toy_texts  # noqa: E402


@pytest.fixture
def own(store, tmp_path) -> Path:
    """A lesson file and a labeled table beside it, with umlauts and quotes."""
    texts, labels = toy_texts()
    rows = [
        f'"{text.replace("a", "ä")} ""Zitat"" steht hier."' + f",{label}"
        for text, label in zip(texts, labels, strict=True)
    ]
    (tmp_path / "texts.csv").write_text("body,topic\n" + "\n".join(rows), encoding="utf-8")
    (tmp_path / "mine.md").write_text(LESSON, encoding="utf-8")
    return tmp_path


def test_the_lessons_are_listed(call, store):
    code, found = call("learn", "list")
    assert code == 0 and [each["key"] for each in found["lessons"]][:2] == ["ask-the-neighbors", "pull-and-push"]
    assert set(found["lessons"][0]) == {"key", "title", "goal", "minutes", "file"}


def test_an_own_lesson_is_checked_and_exported_on_own_texts(call, own):
    corpus = ["--corpus", str(own / "texts.csv"), "--text", "body", "--label", "topic"]
    code, found = call("learn", "check", str(own / "mine.md"), *corpus)
    assert code == 0 and found["steps"] == 5 and found["claims"][0]["holds"]
    out = own / "out" / "mine.html"
    code, found = call("learn", "export", str(own / "mine.md"), "--out", str(out), *corpus)
    assert code == 0 and found["lessons"][0]["bytes"] == out.stat().st_size
    assert "ä" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check", "nothing.md"], "E-LESSON-PATH"),
        (["check", "pull-and-pull"], "E-LESSON-KEY"),
        (["export", "which-layer", "--out", "x.html", "--run", "layers"], "E-LESSON-RUN"),
        (["export", "which-layer", "--out", "x.html", "--run", "token=x"], "E-LESSON-RUN"),
        (["export", "all", "--out", "x.html"], "E-LESSON-OUT"),
        (["tally", "nothing.txt"], "E-LESSON-PATH"),
    ],
)
def test_a_mistake_is_one_sentence(call, own, words, code):
    exit_code, found = call("learn", *words)
    assert (exit_code, found["error"]["code"]) == (2, code) and "\n" not in found["error"]["message"]


def test_answers_are_tallied_from_a_file(call, own):
    version = call("learn", "check", "longer-is-not-closer")[1]["version"]
    (own / "chat.txt").write_text(
        f"hi\nembedlab longer-is-not-closer {version}: 1=0.7 2=20 3C · Ada\n", encoding="utf-8"
    )
    code, found = call("learn", "tally", str(own / "chat.txt"), "--out", str(own / "answers.csv"))
    assert code == 0 and found["students"] == 1 and found["steps"][2] == {
        "step": 3, "title": "Who is closer?", "right": "C", "answers": {"C": 1, "A": 0, "B": 0}
    }  # fmt: skip
    assert "Ada,0.7,20,C" in (own / "answers.csv").read_text(encoding="utf-8")
