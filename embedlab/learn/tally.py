"""Answers of a class: pasted chat lines, counted step by step against the lesson's right answers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from statistics import mode

from embedlab.config import read_value
from embedlab.errors import LessonError
from embedlab.learn.lesson import Lesson, Step
from embedlab.table_files import csv_of_rows

_LINE = re.compile(r"embedlab\s+([a-z0-9-]+)\s+([0-9a-f]{4}):\s*([^·]*)(?:·\s*(.*))?", re.IGNORECASE)
_ANSWER = re.compile(r"(\d{1,2})(?:([A-D])|=(-?\d+(?:\.\d+)?))")
_LETTERS = "ABCD"
EXAMPLE = "embedlab pull-and-push 121a: 1=70 2A 3C 4B 5B · NAME"


@dataclass(frozen=True)
class StepTally:
    """The answers to one step, and how many gave each; ``right``: the letter, if there is one."""

    step: int
    title: str
    right: str | None
    answers: Counter[str]


@dataclass(frozen=True)
class Tally:
    """Lines of one lesson; for each name the last line counts, and every line without a name."""

    lesson: str
    version: str
    steps: list[StepTally]
    students: list[tuple[str, dict[int, str]]]
    other_versions: int
    other_lessons: int
    unreadable: list[tuple[int, str]]  # line from 1, what it says

    @property
    def as_csv(self) -> str:
        """One row per student, one column per step."""
        steps = [each.step for each in self.steps]
        rows = ([name, *(read_value(answers.get(step, "")) for step in steps)] for name, answers in self.students)
        return csv_of_rows([["name", *(f"step {step}" for step in steps)], *rows])

    @property
    def sentences(self) -> list[str]:
        """How many lines were counted, and which were not."""
        where = ", ".join(f"line {number}" for number, _ in self.unreadable[:10])
        more = f" and {len(self.unreadable) - 10} more" if len(self.unreadable) > 10 else ""
        left_out = (
            (self.other_versions, "of other versions of this lesson left out"),
            (self.other_lessons, "of other lessons left out"),
            (len(self.unreadable), f"could not be read: {where}{more}"),
        )
        counted = f"{len(self.students):,} of {self.lesson} {self.version} counted."
        return [counted, *(f"{lines:,} {why}." for lines, why in left_out if lines)]


def tally(chat: str, lessons: dict[str, Lesson]) -> Tally:
    """The answers in a pasted chat.

    The lesson is the one that most lines name, in the version that this store has, else in the most frequent one. Lines
    without the word embedlab are chat and left out in silence; of those with it all that do not fit are named. Raises
    LessonError if there is no line of any of these lessons.
    """
    lines, unreadable = [], []
    for number, line in enumerate(chat.splitlines(), 1):
        match = _LINE.search(line)
        given = [_ANSWER.fullmatch(part) for part in match.group(3).split() if part != "-"] if match else []
        if match is not None and None not in given:  # ``1=70 2A``
            answers = {int(each[1]): each[2] or each[3] for each in given if each}
            lines.append((match.group(1).lower(), match.group(2).lower(), answers, (match.group(4) or "").strip()))
        elif "embedlab" in line.lower():
            unreadable.append((number, line.strip()[:80]))
    keys = [key for key, *_ in lines if key in lessons]
    if not keys:
        message = f"No line of a lesson was found in {len(chat.splitlines()):,} lines. A line reads as {EXAMPLE!r};"
        raise LessonError("E-LESSON-TALLY", f"{message} paste what students copied from their last page.")
    key = mode(keys)
    lesson, mine = lessons[key], [each for each in lines if each[0] == key]
    versions = [version for _, version, *_ in mine]
    version = lesson.version if lesson.version in versions else mode(versions)
    counted, without_name = [each for each in mine if each[1] == version], count()
    students = list({name.casefold() or next(without_name): (name, answers) for *_, answers, name in counted}.values())
    steps = [_of_step(number, step, students) for number, step in enumerate(lesson.steps, 1) if step.kind != "none"]
    return Tally(key, version, steps, students, len(mine) - len(counted), len(lines) - len(mine), unreadable)


def _of_step(number: int, step: Step, students: Sequence[tuple[str, dict[int, str]]]) -> StepTally:
    answers = Counter(dict.fromkeys(_LETTERS[: len(step.choices)], 0))
    answers.update(each[number] for _, each in students if number in each)
    return StepTally(number, step.title, None if step.right is None else _LETTERS[step.right], answers)
