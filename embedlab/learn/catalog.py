"""The available lessons, and their export: parsed, bound to runs and a corpus, claims checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from embedlab.corpora import load_corpus
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.docs import DocsSource
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.disk_trouble import small_file
from embedlab.errors import LessonError, UserError
from embedlab.learn.facts import CheckedClaim, Facts, bound_runs, check_claim
from embedlab.learn.lesson import Lesson, read_lesson
from embedlab.learn.page import lesson_page
from embedlab.learn.pocket_corpus import PocketCorpus, pocket_corpus
from embedlab.learn.pocket_facts import PocketFacts
from embedlab.progress import Progress, silent
from embedlab.registry import similar
from embedlab.store_root import atomic_write, store_root

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
    with atomic_write(own_folder() / f"{lesson.key}.md") as temporary:
        temporary.write_bytes(source)
    return lesson


def export_lesson(
    lesson: Lesson,
    *,
    corpus: Corpus | None = None,
    runs: Mapping[str, str] | None = None,
    anyway: bool = False,
    progress: Progress = silent,
) -> ExportedLesson:
    """The lesson as a file, with the pocket encoder on this corpus (default: the built-in one) and these runs by name.

    Raises LessonError if a claim does not hold and ``anyway`` is not set, or a fact, a view or a run is wrong.
    """
    facts = facts_for(lesson, corpus=corpus, runs=runs, progress=progress)
    claims = [check_claim(claim, facts) for claim in lesson.claims]
    broken = [each for each in claims if not each.holds]
    if broken and not anyway:
        reason = f"{broken[0].sentence} {lesson.title!r} would claim what these runs and this corpus do not show:"
        raise LessonError("E-LESSON-CLAIM", f"{reason} change the lesson, bind other runs, or export with --anyway.")
    return ExportedLesson(lesson_page(lesson, facts, broken), claims)


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
