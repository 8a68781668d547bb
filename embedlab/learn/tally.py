"""Answers of a class: pasted chat lines, counted step by step against the lesson's right answers."""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, field

from embedlab.errors import LessonError
from embedlab.learn.lesson import Lesson, Step

_LINE = re.compile(r"embedlab\s+([a-z0-9-]+)\s+([0-9a-f]{4}):\s*([^·]*)(?:·\s*(.*))?", re.IGNORECASE)
_ANSWER = re.compile(r"(\d{1,2})(?:([A-D])|=(-?\d+(?:\.\d+)?))")
_LETTERS = "ABCD"


@dataclass
class StepTally:
    """The answers to one step, most frequent first; ``right``: the letter, if there is one."""

    number: int
    title: str
    right: str | None
    counts: Counter = field(default_factory=Counter)

    @property
    def answered(self) -> int:
        """The number of answers."""
        return sum(self.counts.values())


@dataclass
class Tally:
    """Lines of one lesson; for each name the last line counts, and every line without a name."""

    key: str
    version: str
    steps: list[StepTally]
    students: list[tuple[str, dict[int, str]]]
    other_versions: int
    other_lessons: int
    unreadable: list[tuple[int, str]]  # line from 1, what it says

    @property
    def as_csv(self) -> str:
        """One row per student, one column per step."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["name", *(f"step {each.number}" for each in self.steps)])
        for name, answers in self.students:
            writer.writerow([_harmless(name), *(answers.get(each.number, "") for each in self.steps)])
        return out.getvalue()

    @property
    def as_json(self) -> dict:
        """Without the students' names."""
        return {
            "lesson": self.key,
            "version": self.version,
            "students": len(self.students),
            "other_versions": self.other_versions,
            "other_lessons": self.other_lessons,
            "unreadable": [{"line": number, "text": text} for number, text in self.unreadable],
            "steps": [
                {
                    "step": each.number,
                    "title": each.title,
                    "right": each.right,
                    "answers": dict(each.counts.most_common()),
                }
                for each in self.steps
            ],
            "sentences": self.sentences,
        }

    @property
    def sentences(self) -> list[str]:
        """How many lines were counted, and which were not."""
        lines = [f"{len(self.students):,} of {self.key} {self.version} counted."]
        if self.other_versions:
            lines.append(f"{self.other_versions:,} of other versions of this lesson left out.")
        if self.other_lessons:
            lines.append(f"{self.other_lessons:,} of other lessons left out.")
        if self.unreadable:
            where = ", ".join(f"line {number}" for number, _ in self.unreadable[:10])
            more = f" and {len(self.unreadable) - 10} more" if len(self.unreadable) > 10 else ""
            lines.append(f"{len(self.unreadable):,} could not be read: {where}{more}.")
        return lines


def tally(chat: str, lessons: dict[str, Lesson]) -> Tally:
    """The answers in a pasted chat.

    The lesson is the one that most lines name, in the version that this store has, else in the most frequent one. Lines
    without the word embedlab are chat and left out in silence; of those with it all that do not fit are named.

    Raises
    ------
    LessonError
        there is no line of any lesson that is known here.
    """
    lines, unreadable = [], []
    for number, line in enumerate(chat.splitlines(), 1):
        if "embedlab" not in line.lower():
            continue
        match = _LINE.search(line)
        answers = _answers(match.group(3)) if match else None
        if match is None or answers is None:
            unreadable.append((number, line.strip()[:80]))
        else:
            lines.append((match.group(1).lower(), match.group(2).lower(), answers, (match.group(4) or "").strip()))
    relevant = [each for each in lines if each[0] in lessons]
    if not relevant:
        raise LessonError(
            "E-LESSON-TALLY",
            f"No line of a lesson was found in {len(chat.splitlines()):,} lines. A line reads as "
            "'embedlab pull-and-push 121a: 1=70 2A 3C · NAME'; paste what students copied from their last page.",
        )
    key = Counter(each[0] for each in relevant).most_common(1)[0][0]
    lesson, mine = lessons[key], [each for each in relevant if each[0] == key]
    versions = Counter(each[1] for each in mine)
    version = lesson.version if lesson.version in versions else versions.most_common(1)[0][0]
    counted = [each for each in mine if each[1] == version]
    students: dict[str, tuple[str, dict[int, str]]] = {}
    for position, (_, _, answers, name) in enumerate(counted):
        students[name.casefold() or f"\0{position}"] = (name, answers)
    steps = [_of_step(number, step) for number, step in enumerate(lesson.steps, 1) if step.kind != "none"]
    for each in steps:
        each.counts.update(answers[each.number] for _, answers in students.values() if each.number in answers)
    return Tally(
        key, version, steps, list(students.values()), len(mine) - len(counted), len(lines) - len(mine), unreadable
    )


def _answers(written: str) -> dict[int, str] | None:
    """``1=70 2A`` as {1: "70", 2: "A"}; None if any part is malformed."""
    lines = {}
    for part in written.split():
        if part == "-":
            continue
        match = _ANSWER.fullmatch(part)
        if match is None:
            return None
        lines[int(match.group(1))] = match.group(2) or match.group(3)
    return lines


def _of_step(number: int, step: Step) -> StepTally:
    right = next((_LETTERS[position] for position, (is_right, _) in enumerate(step.choices) if is_right), None)
    return StepTally(number, step.title, right, Counter(dict.fromkeys(_LETTERS[: len(step.choices)], 0)))


def _harmless(name: str) -> str:
    """A name that no spreadsheet interprets as a formula."""
    return f"'{name}" if name.startswith(tuple("=+-@\t")) else name
