"""The available lessons, their export as one HTML file with claims checked, and a draft of a new one."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.docs import DocsSource
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.disk_trouble import small_file
from embedlab.errors import LessonError, UserError
from embedlab.figures.one_file import one_file_page
from embedlab.learn.browser import browser_source
from embedlab.learn.facts import CheckedClaim, Facts, bound_runs, check_claim, facts_of_run
from embedlab.learn.lesson import Lesson, Step, read_lesson
from embedlab.learn.pocket_corpus import PocketCorpus, pocket_corpus
from embedlab.learn.pocket_facts import PocketFacts
from embedlab.learn.views import VIEWS
from embedlab.own_files import remove_matching
from embedlab.progress import Progress, silent
from embedlab.registry import similar
from embedlab.runs.example import gathered
from embedlab.runs.folder import RunFolder
from embedlab.store_root import atomic_write, store_root
from embedlab.trash import move_to_trash
from embedlab.update import changing

BUILT_IN = Path(__file__).parent / "lessons"
LARGEST = 200_000  # characters of a lesson file


@dataclass(frozen=True)
class ExportedLesson:
    """A finished file, and the state of its claims."""

    page: bytes
    claims: list[CheckedClaim]


def own_folder() -> Path:
    """The folder of a teacher's own lessons."""
    return store_root() / "lessons"


def lessons() -> dict[str, Lesson]:
    """All readable lessons by key; an own lesson replaces a built-in one with the same key."""
    return {key: lesson for key, (lesson, _) in read_lessons()[0].items()}


def read_lessons() -> tuple[dict[str, tuple[Lesson, Path]], list[str]]:
    """The same with their files, and for every unreadable lesson a sentence saying what is wrong."""
    readable, refused = {}, []
    for path in (*sorted(BUILT_IN.glob("*.md")), *sorted(own_folder().glob("*.md"))):
        try:
            lesson = open_lesson(path)
            readable[lesson.key] = (lesson, path)
        except UserError as error:
            refused.append(error.message)
    return readable, refused


def open_lesson(path: Path) -> Lesson:
    """The lesson in a file. Raises LessonError if it is missing, not text, too long, or breaks a rule."""
    if not path.is_file():
        raise LessonError("E-LESSON-PATH", f"There is no lesson file {str(path)!r}. Choose one that exists.")
    return _read(small_file(path), path.name)


def _read(source: bytes, name: str) -> Lesson:
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LessonError("E-LESSON-PATH", f"{name} is not UTF-8 text. A lesson is a Markdown file.") from error
    if len(text) > LARGEST:
        raise LessonError("E-LESSON", f"{name} has {len(text):,} characters; the limit is {LARGEST:,}.")
    return read_lesson(text, name)


def find_lesson(name: str) -> Lesson:
    """A lesson by key, by number of a built-in one, or by path."""
    available = lessons()
    if name in available:
        return available[name]
    if name.endswith(".md") or "/" in name:
        return open_lesson(Path(name).expanduser())
    message = f"No lesson is called {name!r}.{similar(name, available)} Choose from: {', '.join(available)}, or a file."
    raise LessonError("E-LESSON-KEY", message)


def keep_lesson(source: bytes, name: str) -> Lesson:
    """Store an uploaded lesson once it has been parsed. Raises LessonError."""
    lesson = _read(source, name)
    file = own_folder() / f"{lesson.key}.md"
    with changing(file):
        if file.is_file() and file.read_bytes() != source:
            move_to_trash("lesson", lesson.key, [file])  # an earlier version, which its author may want back
        with atomic_write(file) as temporary:
            temporary.write_bytes(source)
    return lesson


def delete_lesson(key: str) -> None:
    """Move a teacher's own lesson to the trash. Raise LessonError if there is none with this key."""
    file = next((path for lesson, path in read_lessons()[0].values() if lesson.key == key), None)
    if file is None or file.parent != own_folder():
        keys = [lesson.key for lesson, path in read_lessons()[0].values() if path.parent == own_folder()]
        choices = f"Your own are {', '.join(keys)}." if keys else "There are none of your own; the built-in ones stay."
        raise LessonError("E-LESSON-KEY", f"No lesson of your own is called {key!r}. {choices}")
    move_to_trash("lesson", key, [file])


def export_lesson(
    lesson: Lesson,
    *,
    corpus: Corpus | None = None,
    runs: Mapping[str, str] | None = None,
    anyway: bool = False,
    progress: Progress = silent,
) -> ExportedLesson:
    """The lesson as a file, with the pocket encoder on this corpus (default: the built-in one) and these runs by name.

    Raises LessonError if a claim does not hold and ``anyway`` is not set, or a fact, a view or a run is wrong. Broken
    claims appear on its first page.
    """
    facts = facts_for(lesson, corpus=corpus, runs=runs, progress=progress)
    claims = [check_claim(claim, facts) for claim in lesson.claims]
    broken = [each for each in claims if not each.holds]
    if broken and not anyway:
        reason = f"{broken[0].sentence} {lesson.title!r} would claim what these runs and this corpus do not show:"
        raise LessonError("E-LESSON-CLAIM", f"{reason} change the lesson, bind other runs, or export with --anyway.")
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
    page = one_file_page("Lesson", browser_source("lesson.html"), scripts=scripts, style=style, content=content)
    return ExportedLesson(page, claims)


SCRIPTS = "pocket tsne map chart training pocket_view vote run_maps questions player".split()


def _step(step: Step, facts: Facts, number: int) -> dict[str, object]:
    content: dict = {}
    if step.picture is not None:
        key = step.picture.key
        if key not in VIEWS:
            message = f"Step {number} shows {key!r}, which is not a view.{similar(key, VIEWS)}"
            raise LessonError("E-LESSON-VIEW", f"{message} Choose from: {', '.join(VIEWS)}.")
        content = validated(VIEWS[key], step.picture.settings, where=f"{key} in step {number}").content(facts)
    drawn = None
    if step.draw is not None:
        curve, start = facts[step.draw.truth], step.draw.start
        if not curve.is_curve:
            message = f"A drawn line needs a curve as its truth, and {step.draw.truth!r} is a number."
            raise LessonError("E-LESSON-FACT", message)
        axes = {"x": step.draw.x._asdict(), "y": step.draw.y._asdict()}
        drawn = axes | {"start": None if start is None else facts.one(start).of_100, "truth": curve.of_100}
    truth = facts.one(step.number.truth) if step.number and step.number.truth is not None else None
    return {
        "title": step.title,
        "kind": step.kind,
        "paragraphs": [facts.inside(each) for each in step.paragraphs],
        "question": facts.inside(step.question),
        "choices": [facts.inside(each) for _, each in step.choices],
        "right": content["right"] if step.kind == "four" else step.right,
        "number": step.number and step.number.model_dump() | {"truth": None if truth is None else truth.of_100},
        "draw": drawn,
        "picture": step.picture and {"key": step.picture.key, "after": step.picture.is_after, "data": content},
        "why": [facts.inside(each) for each in step.why],
    }


def facts_for(
    lesson: Lesson, *, corpus: Corpus | None = None, runs: Mapping[str, str] | None = None, progress: Progress = silent
) -> Facts:
    """The facts that the lesson may quote."""

    def pocket() -> PocketFacts:
        return PocketFacts(small_corpus((corpus or _corpus_of(lesson, progress)).fingerprint), progress)

    return Facts(bound_runs(lesson, runs or {}), pocket)


def _corpus_of(lesson: Lesson, progress: Progress) -> Corpus:
    """The newest stored corpus of the name that the lesson gives, or the built-in one."""
    if lesson.corpus is None or lesson.corpus == DocsSource.key:
        return load_corpus(DocsSource.key, progress=progress)
    stored = {info.name: info.fingerprint for info in list_corpora()}
    if lesson.corpus not in stored:
        message = f"The lesson {lesson.title!r} trains on the corpus {lesson.corpus!r}, which is not in the store."
        hint = similar(lesson.corpus, stored)
        raise LessonError("E-LESSON-CORPUS", f"{message}{hint} Add it first, or give a file: --corpus.")
    return open_corpus(stored[lesson.corpus])


@lru_cache(maxsize=4)
def small_corpus(fingerprint: str) -> PocketCorpus:
    """The pocket corpus of a stored corpus."""
    return pocket_corpus(open_corpus(fingerprint))


_one_file_at_a_time = Lock()


class NotGathered(Exception):
    """The built-in texts are still being gathered."""


def lesson_file(key: str) -> bytes:
    """The file of a lesson with the built-in texts, cached in the store until lesson, texts or code change.

    Raises
    ------
    KeyError
        there is no such lesson.
    NotGathered
        its texts are not there yet.
    LessonError
        a claim does not hold.
    """
    lesson = lessons()[key]
    fingerprint = gathered()
    if fingerprint is None:
        raise NotGathered
    kinds, package = (".py", ".js", ".css", ".html", ".json"), Path(__file__).parents[1]  # all that makes a page
    folders = [package / "learn", package / "figures" / "one_file", package / "figures" / "map_browser"]
    files = sorted(each for folder in folders for each in folder.rglob("*") if each.suffix in kinds)
    code = hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:12]
    path = store_root() / "lessons" / "pages" / f"{key}-{lesson.version}-{code}-{fingerprint}.html"
    with _one_file_at_a_time:
        if not path.is_file():
            page = export_lesson(lesson, corpus=None if lesson.corpus else open_corpus(fingerprint)).page
            earlier = re.compile(rf"{re.escape(key)}-[0-9a-f]{{4}}-[0-9a-f]{{12}}-[0-9a-f]{{16}}\.html")
            remove_matching(path.parent, earlier.fullmatch)
            with atomic_write(path) as temporary:
                temporary.write_bytes(page)
    return path.read_bytes()


def fitting(run: RunFolder) -> dict[str, str]:
    """The pictures that this run has data for, and what they are called."""
    facts = facts_of_run(run)
    pictures = (
        ("bars", "Before, after, counting words", "knn.after" in facts),
        ("lines", "kNN accuracy over the steps", run.metrics.is_file() and "knn.after" in facts),
        ("replay", "Maps before and after", all(run.map(side, "tsne").is_file() for side in ("before", "after"))),
        ("layers", "Accuracy by layer", "mean.after" in facts),
        ("pocket", "Train in the browser", True),
    )
    return {kind: title for kind, title, is_there in pictures if is_there}


def skeleton(run: RunFolder, kinds: Sequence[str], *, title: str, name: str = "run") -> str:
    """A Markdown file with one step per picture from ``skeleton.md``, numbers as facts; at least three steps."""
    parts = re.split(r"<!-- (\w+) -->\n", Path(__file__).with_name("skeleton.md").read_text(encoding="utf-8"))
    written = {key: text.strip() for key, text in zip(parts[1::2], parts[2::2], strict=True)}
    chosen = [*kinds, *("closing", "further")[: max(0, 3 - len(kinds))]]
    steps = [written[kind].replace("NAME", name) for kind in chosen]
    title = " ".join(title.split())
    head = f"---\ntitle: {title}\ngoal: Say what this run shows, and how sure that is.\nminutes: 15\nruns: {name}\n"
    facts = facts_of_run(run)
    rose = "knn.after" in facts and facts["knn.after"].value > facts["knn.before"].value
    claim = f"claim: {name}.knn.after > {name}.knn.before\n" if rose else ""
    return head + claim + "---\n\n" + "\n\n".join(steps[:6]) + "\n"
