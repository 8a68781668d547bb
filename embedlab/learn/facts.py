"""Facts: numbers of bound runs, of the pocket encoder and of packaged measurements; and claims that compare them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from embedlab.damage import read_model
from embedlab.distance import COSINE, DISTANCES, SHOWN_FIRST
from embedlab.errors import LessonError
from embedlab.learn.lesson import Inline, Lesson
from embedlab.learn.pocket_facts import PocketFacts, setting_of
from embedlab.metrics.length_results import LengthFacts
from embedlab.numbers import fixed, in_points, joined, percent
from embedlab.registry import similar
from embedlab.runs.drawn_map import LabFacts, read_map_facts
from embedlab.runs.evaluations import read_layers
from embedlab.runs.example import MINI, TOKEN, example_run
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result, split_accuracy_of, split_references_of
from embedlab.runs.store import open_run

PACKAGED = Path(__file__).parent / "data" / "facts.json"
_IN_TEXT = re.compile(r"\{([a-z][^{}]*)\}")
_POCKET = re.compile(r"pocket(?:\(([^)]*)\))?\.([a-z_]+)")


class PackagedFact(TypedDict):
    """One measured number, or a curve of [x, y], as it is packaged."""

    value: Any
    kind: Literal["number", "share"]
    digits: NotRequired[int]  # of a number as it is written


@dataclass(frozen=True)
class Fact:
    """One number, or a curve of (x, y), with its text; ``scale`` turns shares into numbers of 100 texts."""

    value: Any  # a float, or list[tuple[float, float]]
    text: str
    scale: float = 1.0

    @property
    def is_curve(self) -> bool:
        """Whether it is a curve and not one number."""
        return isinstance(self.value, list)

    @property
    def of_100(self) -> Any:
        """The number, or the curve as [x, y], scaled for questions about 100 texts."""
        return [[x, self.scale * y] for x, y in self.value] if self.is_curve else self.scale * self.value


def fact(value: Any, *, is_share: bool = False, digits: int = 0) -> Fact:
    """One number, or a curve written as its values: ``29.3, 31.0 and 28.1 %``."""
    if isinstance(value, list):
        points, scale, digits = [(float(x), float(y)) for x, y in value], 100 if is_share else 1, 1 if is_share else 2
        return Fact(points, joined([f"{scale * y:.{digits}f}" for _, y in points]) + " %" * is_share, scale)
    return Fact(value, percent(value), 100) if is_share else Fact(value, fixed(value, digits))


def share(value: float) -> Fact:
    """A share between 0 and 1, written in percent."""
    return fact(value, is_share=True)


class Facts:
    """All facts of one lesson: of its runs by name, of the pocket encoder, and the packaged ones."""

    def __init__(self, runs: Mapping[str, RunFolder], pocket: Callable[[], PocketFacts]):
        self.runs, self._pocket = dict(runs), pocket
        self._known = {
            name: fact(each["value"], is_share=each["kind"] == "share", digits=each.get("digits", 0))
            for name, each in read_model(PACKAGED, dict[str, PackagedFact]).items()
        }
        for name, run in self.runs.items():
            self._known |= {f"{name}.{key}": fact for key, fact in facts_of_run(run).items()}

    @cached_property
    def pocket(self) -> PocketFacts:
        """Made on first use: only lessons with a pocket encoder need its corpus."""
        return self._pocket()

    def __getitem__(self, name: str) -> Fact:
        if name in self._known:
            return self._known[name]
        if (entries := _POCKET.fullmatch(name)) is not None:
            return _pocket_fact(self.pocket, name, *entries.groups())
        names = [*self._known, *(f"pocket.{each}" for each in POCKET_FACTS)]
        raise LessonError("E-LESSON-FACT", f"There is no fact {name!r}.{similar(name, names)}")

    def run(self, name: str) -> RunFolder:
        """A bound run. Raises LessonError if the lesson binds no run of that name."""
        if name not in self.runs:
            message = f"A picture uses the run {name!r}, which the lesson does not declare.{similar(name, self.runs)}"
            raise LessonError("E-LESSON-RUN", f"{message} Declare it between the lesson's '---': runs: {name}")
        return self.runs[name]

    def of(self, run: str, name: str) -> Fact:
        """A fact of a run, or any if that is empty. Raises LessonError if there is none."""
        return self[f"{run}.{name}"] if run and self.run(run) else self[name]

    def inside(self, inline: Inline) -> Inline:
        """The text with every ``{fact}`` replaced by its value."""
        return [(style, _IN_TEXT.sub(lambda entries: self[entries.group(1)].text, text)) for style, text in inline]

    def one(self, written: str) -> Fact:
        """A number, or a fact that is one. Raises LessonError for a curve."""
        try:
            return fact(float(written.replace("−", "-")))
        except ValueError:
            named = self[written]
        if named.is_curve:
            raise LessonError("E-LESSON-FACT", f"The fact {written!r} is a curve, but one number is needed here.")
        return named


POCKET_FACTS = (  # of 100 test texts, but for cosines, losses, and counts
    "before after counting guess below range seeds line cosine_before cosine first_loss last_loss "
    "classes words texts test_texts"
).split()
_DIGITS = {"cosine": 2, "cosine_before": 2, "first_loss": 2, "last_loss": 2}


def _pocket_fact(pocket: PocketFacts, name: str, setting: str | None, key: str) -> Fact:
    if key not in POCKET_FACTS:
        values = ", ".join(POCKET_FACTS)
        raise LessonError("E-LESSON-FACT", f"There is no fact {name!r}. Facts of the pocket encoder are: {values}.")
    measured = pocket.measured("each" if key == "seeds" else key, setting_of(setting or ""))
    if not isinstance(measured, list):
        return fact(measured, digits=_DIGITS.get(key, 0))
    if key == "seeds":
        return Fact(list(enumerate(measured)), joined([f"{accuracy:.0f}" for accuracy in measured]))
    return Fact(measured, f"about {measured[-1][1]:.0f} at the end")


def facts_of_run(run: RunFolder) -> dict[str, Fact]:
    """Every fact of a finished run."""
    entries = {**_of_result(run), **_of_maps(run), **_of_layers(run)}
    if run.length.is_file() and (tuned := read_model(run.length, LengthFacts).tuned) is not None:
        # the mean cosine of random pairs, unchanged and repeated
        entries |= {f"length.{side}": fact(each.mean, digits=2) for side, each in tuned}
    return entries


def _of_result(run: RunFolder) -> dict[str, Fact]:
    result = read_result(run)
    if result is None:
        return {}
    corpus = result.corpus
    numbers = {"texts": corpus.texts, "classes": corpus.classes, "steps": result.steps}
    entries = {key: fact(each) for key, each in numbers.items()} | {"training_seconds": fact(result.training_seconds)}
    for distance in DISTANCES:
        if (knn := split_accuracy_of(result, distance)) is None:
            continue
        values = {"before": share(knn.before), "after": share(knn.after), "error": share(knn.standard_error)}
        changes = {} if knn.change is None else {"difference": knn.change, "untouched": knn.change}
        for key, other in (changes | knn.against).items():
            values[key] = Fact(other.difference, in_points(other.difference, other.low, other.high), 100)
            values |= {f"{key}.low": share(other.low), f"{key}.high": share(other.high)}
        entries |= {f"{distance}.{key}": fact for key, fact in values.items()}
        if distance == SHOWN_FIRST:
            entries |= {f"knn.{key}": fact for key, fact in values.items()} | {"test_texts": fact(knn.test_texts)}
            entries |= {key: share(line.value) for key, line in split_references_of(result, distance).items()}
    return entries


def _of_maps(run: RunFolder) -> dict[str, Fact]:
    entries = {}
    for side in ("before", "after"):
        drawn = read_map_facts(run.map_facts(side, "tsne"))
        if drawn is not None and drawn.knn_in_picture is not None:
            entries[f"picture.{side}"] = share(drawn.knn_in_picture)
    for file in sorted(run.path.glob("lab/after-*/facts.json")):
        facts, name = read_model(file, LabFacts), f"lab.{file.parent.name.removeprefix('after-')}"
        for number, each in enumerate(facts.maps, 1):
            values = {"kept": each.kept, "chance": each.chance, "knn_in_picture": each.knn_in_picture}
            entries |= {f"{name}.{number}.{key}": share(value) for key, value in values.items() if value is not None}
        shares = [each.kept for each in facts.maps]
        entries[f"{name}.chance"] = share(facts.maps[0].chance)
        entries[f"{name}.kept"] = Fact(sum(shares) / 4, f"{100 * min(shares):.0f} to {percent(max(shares), 0)}", 100)
        if facts.apart is not None:
            entries[f"{name}.apart"] = fact(facts.apart, digits=2)
    return entries


def _of_layers(run: RunFolder) -> dict[str, Fact]:
    """By cosine; ``cls`` is the first token, ``linear`` the probe on mean pooling."""
    stored = read_layers(run)
    if stored is None:
        return {}
    entries: dict[str, Fact] = {}
    points: dict[str, list[tuple[int, float]]] = {}
    for kind, values in (("", stored.knn(COSINE)), ("linear_", stored.linear)):
        for each in values:
            sides = {f"{kind}{side}": getattr(each, side) for side in ("before", "after")}
            shares = {name: measured.value for name, measured in sides.items() if measured is not None}
            for name, value in shares.items():
                entries[f"{each.pooling}.{each.layer}.{name}"] = share(value)
                points.setdefault(f"{each.pooling}.{name}", []).append((each.layer, value))
            if len(shares) == 2:
                before, after = shares.values()
                entries[f"{each.pooling}.{each.layer}.{kind}gain"] = fact(100 * (after - before), digits=1)
    return entries | {name: fact(curve, is_share=True) for name, curve in points.items()}


def bound_runs(lesson: Lesson, given: Mapping[str, str]) -> dict[str, RunFolder]:
    """The runs that a lesson names: given by id, or packaged. Raises LessonError if one is missing, or not named."""
    if unknown := [name for name in given if name not in lesson.runs]:
        message = f"The lesson {lesson.title!r} has no run {unknown[0]!r}."
        raise LessonError("E-LESSON-RUN", f"{message} Its runs are: {', '.join(lesson.runs) or 'none'}.")
    packaged: dict[str, RunFolder | None] = {kind: example_run(kind) for kind in (TOKEN, MINI)}
    runs = {}
    for name in lesson.runs:
        run = open_run(given[name]) if name in given else packaged.get(name)
        if run is None or read_result(run) is None:
            reason = f"{given[name]!r} has no result yet" if name in given else "none is packaged under that name"
            message = f"The lesson {lesson.title!r} needs a finished run as {name!r}, but {reason}."
            raise LessonError("E-LESSON-RUN", f"{message} Use --run {name}=ID.")
        runs[name] = run
    return runs


_TERM = re.compile(r"\s+([+-])\s+")
_CLAIM = re.compile(r"([^<>]+?)\s+(?:([<>])|within\s+(.+?)\s+of)\s+([^<>]+)")


@dataclass(frozen=True)
class CheckedClaim:
    """A claim with both its values; ``sentence`` says whether it holds."""

    claim: str
    left: float
    right: float
    holds: bool

    @property
    def sentence(self) -> str:
        """One sentence with both values."""
        verdict = "holds" if self.holds else "does not hold"
        return f"The claim '{self.claim}' {verdict}: the left side is {self.left:.3g}, the right side {self.right:.3g}."


def check_claim(claim: str, facts: Facts) -> CheckedClaim:
    """``A > B``, ``A < B`` or ``A within N of B``; each side a sum of facts and numbers.  Raises LessonError."""
    parts = _CLAIM.fullmatch(claim)
    if parts is None:
        message = f"The claim {claim!r} is not 'A > B', 'A < B' or 'A within N of B'. Write it as one of these."
        raise LessonError("E-LESSON-CLAIM", message)
    left, sign, tolerance, right = parts.groups()
    one, other = total(left, facts), total(right, facts)
    holds = abs(one - other) <= total(tolerance, facts) if tolerance else one > other if sign == ">" else one < other
    return CheckedClaim(claim, one, other, holds)


def total(side: str, facts: Facts) -> float:
    """The sum of one side: ``pocket.before + 25``."""
    _, *terms = _TERM.split(f" + {side.strip()}")
    values = [facts.one(term).value for term in terms[1::2]]
    return sum(value if sign == "+" else -value for sign, value in zip(terms[::2], values, strict=True))
