"""The lesson file: what each rule reads, and the one sentence that refuses what breaks it."""

import pytest
from made_lessons import HEAD, LESSON, with_step

from embedlab.errors import UserError
from embedlab.learn.catalog import BUILT_IN
from embedlab.learn.lesson import plain, read_lesson

CHOICE = "**Which?**\n\n- [ ] one\n- [x] two"


def refusal(source: str) -> str:
    with pytest.raises(UserError) as refused:
        read_lesson(source, "mine.md")
    assert refused.value.exit_code == 2 and "\n" not in refused.value.message
    return refused.value.message


def test_steps_questions_pictures_and_reasons_are_read(lesson):
    assert (lesson.key, lesson.minutes, lesson.runs) == ("four-ways", 5, ("token", "mini"))
    assert [step.kind for step in lesson.steps] == ["choice", "number", "draw", "four", "none"]
    first, second = lesson.steps[:2]
    assert plain(first.question) == "Which one?" and [right for right, _ in first.choices] == [False, True]
    assert first.choices[1][1] == [("", "the "), ("em", "second")]
    assert first.picture.key == "bars" and first.picture.is_after and len(first.why) == 1
    assert (second.number.truth, second.number.close) == ("pocket.before", 5)


def test_html_and_links_are_text_like_any_other(lesson):
    first = lesson.steps[0]
    assert "<b>words</b> & </script><img src=x onerror=alert(1)>" in plain(first.paragraphs[0])
    assert "[link](http://example.org)" in plain(first.why[0])
    assert plain(first.choices[0][1]) == "the first </script>"


@pytest.mark.parametrize("path", sorted(BUILT_IN.glob("*.md")), ids=lambda path: path.stem)
def test_every_built_in_lesson_holds_the_rules(path):
    found = read_lesson(path.read_text(encoding="utf-8"), path.name)
    assert found.claims and all(step.kind == "none" or step.why for step in found.steps)


def test_a_byte_order_mark_and_other_line_ends_change_nothing_but_the_version():
    assert (
        read_lesson("\ufeff" + LESSON.replace("\n", "\r\n"), "7-four-ways.md").steps
        == read_lesson(LESSON, "a.md").steps
    )


def test_eighty_words_are_read_and_eighty_one_refused():
    words = " ".join(["word"] * 80)
    assert len(read_lesson(with_step(words), "a.md").steps) == 3
    assert "step 1 of mine.md has 81 words of text" in refusal(with_step(f"{words} more")).lower()
    assert "81 words of why" in refusal(with_step(f"{CHOICE}\n\n> {words} more"))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (with_step("**Which?**\n\n- [x] one\n- [x] two"), "has 2 right answers, and needs exactly one"),
        (with_step("**Which?**\n\n- [ ] one\n- [ ] two"), "has 0 right answers"),
        (with_step("**Which?**\n\n- [x] one"), "has 1 answers, and needs 2 to 4"),
        (with_step("**Which?**\n\n- one\n- [x] two"), "begins with neither '[ ]' nor '[x]'"),
        (with_step("- [ ] one\n- [x] two"), "has answers but no question"),
        (with_step(f"{CHOICE}\n\n```number\nlow: 0\n```"), "has two questions"),
        (with_step("```bars\nvalues: a\n```\n\n```lines\nwhat: knn\n```"), "has two pictures, 'bars' and 'lines'"),
        (with_step("How many?\n\n```number\nlow: zero\n```"), "number in step 1 of mine.md.low"),
        (with_step("How many?\n\n```number\nlow 0\n```"), "which is not 'key: value'"),
        (with_step("How many?\n\n```number\nlows: 0\n```"), "lows"),
        (HEAD + "\n## One\n\nText.\n", "has 1 steps, and a lesson has 3 to 6"),
        (HEAD + "\nHello.\n\n## One\n", "has text before its first step"),
        (LESSON.replace("title: Four ways to ask\n", ""), "'mine.md.title' is missing"),
        (LESSON.replace("minutes: 5", "minutes: five"), "minutes' is 'five', but input should be a valid integer"),
        (LESSON.replace("minutes: 5", "minutes: 5\nauthor: me"), "no setting called 'mine.md.author'"),
        (STEPS_ONLY := LESSON.removeprefix(HEAD), "must begin with lines 'key: value'"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused_in_one_sentence(source, said):
    assert said in refusal(source)
