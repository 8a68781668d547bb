"""Answers of a class: three hundred lines with noise, counted exactly."""

import csv
import io
import random

import pytest

from embedlab.errors import LessonError
from embedlab.learn.tally import tally


def test_three_hundred_lines_with_noise_are_counted_right(lesson):
    rng, lines, letters, numbers = random.Random(0), [], [], []
    for student in range(200):
        letters.append(rng.choice("AB"))
        numbers.append(rng.randrange(100))
        who = rng.choice(["", "12:01 Ada: ", "> "])
        lines.append(f"{who}embedlab four-ways {lesson.version}: 1{letters[-1]} 2={numbers[-1]} 4C · Student {student}")
    lines += [f"embedlab four-ways 0000: 1A · Old {n}" for n in range(30)]
    lines += [f"embedlab other {lesson.version}: 1A" for _ in range(10)]
    lines += ["embedlab four-ways: 1A", "embedlab four-ways abcd 1A", f"embedlab four-ways {lesson.version}: 1X 2="]
    lines += ["hello", "thanks!", ""] * 19
    rng.shuffle(lines)
    assert len(lines) == 300
    found = tally("\n".join(lines), {lesson.key: lesson})
    assert (len(found.students), found.other_versions, found.other_lessons) == (200, 30, 10)
    assert [text for _, text in found.unreadable if "embedlab" not in text] == [] and len(found.unreadable) == 3
    first, second = found.steps[:2]
    assert first.answers == {letter: letters.count(letter) for letter in "AB"} and first.right == "B"
    assert second.answers == {str(each): numbers.count(each) for each in set(numbers)}
    assert found.steps[3].answers == {"C": 200}
    assert "3 could not be read: line" in " ".join(found.sentences)


def test_of_a_name_the_last_line_counts_and_a_formula_stays_a_name(lesson):
    said = ["1A · Ada", "1B 2=-4.5 · ada", "1A · =1+1", "1A", "-"]
    found = tally("\n".join(f"embedlab four-ways {lesson.version}: {each}" for each in said), {lesson.key: lesson})
    assert found.steps[0].answers == {"B": 1, "A": 2}
    rows = list(csv.DictReader(io.StringIO(found.as_csv)))
    assert [row["name"] for row in rows] == ["ada", "'=1+1", "", ""] and rows[0]["step 1"] == "B"
    assert rows[0]["step 2"] == "-4.5"  # a number is no formula


def test_without_a_line_there_is_nothing_to_count(lesson):
    with pytest.raises(LessonError, match="No line of a lesson was found in 2 lines"):
        tally("hello\nembedlab unknown abcd: 1A", {lesson.key: lesson})
