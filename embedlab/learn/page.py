"""A lesson as one HTML file: its text, pictures and pocket corpus, as plain values for the player."""

from collections.abc import Sequence

from embedlab.config import validated
from embedlab.errors import LessonError
from embedlab.figures.one_file import one_file_page
from embedlab.learn.browser import browser_source
from embedlab.learn.facts import CheckedClaim, Facts
from embedlab.learn.lesson import DrawQuestion, Lesson, LessonPicture, Step
from embedlab.learn.views import VIEWS
from embedlab.registry import similar

SCRIPTS = "pocket tsne map chart training pocket_view vote run_maps questions player".split()


def lesson_page(lesson: Lesson, facts: Facts, broken: Sequence[CheckedClaim]) -> bytes:
    """The file; ``broken`` claims appear on its first page. Raises LessonError if a fact or view is wrong."""
    steps = [_step(step, facts, number) for number, step in enumerate(lesson.steps, 1)]
    pictures = [step.picture.key for step in lesson.steps if step.picture is not None]
    content = {
        **{name: getattr(lesson, name) for name in ("key", "title", "goal", "minutes", "version", "language")},
        "broken": [each.sentence for each in broken],
        "steps": steps,
        "pocket": facts.pocket.corpus.as_content if any(VIEWS[key].reads_pocket for key in pictures) else None,
    }
    scripts = [browser_source(f"{name}.js") for name in SCRIPTS]
    style = browser_source("chart.css") + browser_source("lesson.css")
    return one_file_page("Lesson", browser_source("lesson.html"), scripts=scripts, style=style, content=content)


def _step(step: Step, facts: Facts, number: int) -> dict[str, object]:
    content: dict = {} if step.picture is None else _picture(step.picture, facts, number)
    truth = facts.one(step.number.truth) if step.number and step.number.truth is not None else None
    return {
        "title": step.title,
        "kind": step.kind,
        "paragraphs": [facts.inside(each) for each in step.paragraphs],
        "question": facts.inside(step.question),
        "choices": [facts.inside(each) for _, each in step.choices],
        "right": content["right"] if step.kind == "four" else step.right,
        "number": step.number and step.number.model_dump() | {"truth": None if truth is None else truth.of_100},
        "draw": _drawing(step.draw, facts) if step.draw else None,
        "picture": step.picture and {"key": step.picture.key, "after": step.picture.is_after, "data": content},
        "why": [facts.inside(each) for each in step.why],
    }


def _picture(picture: LessonPicture, facts: Facts, number: int) -> dict[str, object]:
    key = picture.key
    if key not in VIEWS:
        message = f"Step {number} shows {key!r}, which is not a view.{similar(key, VIEWS)}"
        raise LessonError("E-LESSON-VIEW", f"{message} Choose from: {', '.join(VIEWS)}.")
    return validated(VIEWS[key], picture.settings, where=f"{key} in step {number}").content(facts)


def _drawing(draw: DrawQuestion, facts: Facts) -> dict[str, object]:
    truth = facts[draw.truth]
    if not truth.is_curve:
        raise LessonError("E-LESSON-FACT", f"A drawn line needs a curve as its truth, and {draw.truth!r} is a number.")
    axes = {"x": draw.x._asdict(), "y": draw.y._asdict()}
    return axes | {"start": None if draw.start is None else facts.one(draw.start).of_100, "truth": truth.of_100}
