"""``learn …``: lessons listed, checked, exported as files, answers tallied."""

import gzip
import sys
from pathlib import Path
from typing import Annotated

from embedlab.cli.arguments import Option, Outcome, deleted, options
from embedlab.cli.reading import CorpusReading, load
from embedlab.cli.terminal import Terminal
from embedlab.corpora.base import Corpus
from embedlab.disk_trouble import small_file
from embedlab.errors import LessonError
from embedlab.learn.catalog import delete_lesson, export_lesson, find_lesson, lessons, open_lesson, read_lessons
from embedlab.learn.tally import tally as tallied
from embedlab.store_root import atomic_write


@options()
class LessonSources:
    """Runs and a corpus to use in place of the packaged ones."""

    runs: Annotated[
        tuple[str, ...],
        Option("a run for a name that the lesson uses (default: the packaged ones)", "NAME=ID", flag="--run"),
    ] = ()
    corpus: Annotated[str | None, Option("labeled texts to train on in the browser (default: docs)")] = None
    reading: CorpusReading

    def loaded(self, terminal: Terminal) -> tuple[Corpus | None, dict[str, str]]:
        """The corpus, if given, and the runs by their names in the lesson."""
        corpus, runs = None if self.corpus is None else load(self.corpus, self.reading, terminal), {}
        for each in self.runs:
            name, sign, run = each.partition("=")
            if not (name and sign and run):
                raise LessonError(
                    "E-LESSON-RUN", f"--run binds a name of the lesson to a run, as in token=ID, not {each!r}."
                )
            runs[name] = run
        return corpus, runs


def list_lessons(terminal: Terminal) -> Outcome:
    """Built-in lessons and those in the store."""
    available, unreadable = read_lessons()
    listed = [
        {"key": key, "title": lesson.title, "goal": lesson.goal, "minutes": lesson.minutes, "file": str(path)}
        for key, (lesson, path) in available.items()
    ]
    lines = [f"{key:24} {each.minutes:3} min  {each.title}: {each.goal}" for key, (each, _) in available.items()]
    return Outcome({"lessons": listed, "unreadable": unreadable}, lines + unreadable)


def check(terminal: Terminal, file: Annotated[str, Option(metavar="FILE.md|KEY")], *, by: LessonSources) -> Outcome:
    """Check every rule, fact, view and claim of a lesson."""
    lesson = open_lesson(Path(file).expanduser()) if file.endswith(".md") else find_lesson(file)
    corpus, runs = by.loaded(terminal)
    claims = export_lesson(lesson, corpus=corpus, runs=runs, anyway=True, progress=terminal).claims
    if broken := [each for each in claims if not each.holds]:
        raise LessonError("E-LESSON-CLAIM", broken[0].sentence)
    result = {"lesson": lesson.key, "version": lesson.version, "steps": len(lesson.steps)}
    result["claims"] = [vars(each) for each in claims]
    lines = [f"{lesson.key} {lesson.version}: {len(lesson.steps)} steps, all rules hold."]
    return Outcome(result, lines + [f"  holds: {e.claim} ({e.left:.3g}, {e.right:.3g})" for e in claims])


def export(
    terminal: Terminal,
    lesson: Annotated[str, Option(metavar="KEY|FILE.md|all")],
    *,
    out: Annotated[str, Option(metavar="FILE.html|FOLDER")],
    anyway: Annotated[bool, Option("even if a claim does not hold; the file says which")] = False,
    by: LessonSources,
) -> Outcome:
    """Write one lesson as a file, or all into a folder."""
    target, (corpus, runs) = Path(out).expanduser(), by.loaded(terminal)
    if lesson == "all":
        if target.suffix:
            raise LessonError(
                "E-LESSON-OUT",
                f"All lessons are written into a folder, but {str(target)!r} names a file. Give a folder.",
            )
        chosen = {target / f"{key}.html": each for key, each in lessons().items()}
    else:
        one = find_lesson(lesson)
        chosen = {(target if target.suffix == ".html" else target / f"{one.key}.html"): one}
    written, lines = [], []
    for path, each in chosen.items():
        used = {name: run for name, run in runs.items() if name in each.runs or lesson != "all"}
        made = export_lesson(each, corpus=corpus, runs=used, anyway=anyway, progress=terminal)
        with atomic_write(path) as temporary:
            temporary.write_bytes(made.page)
        size, gzipped, claims = len(made.page), len(gzip.compress(made.page)), len(made.claims)
        sizes = {"bytes": size, "gzipped": gzipped}
        written.append({"lesson": each.key, "out": str(path), **sizes, "claims": claims})
        lines.append(f"{path}  {size / 1000:.0f} KB, gzipped {gzipped / 1000:.0f}, claims: {claims}")
    return Outcome({"lessons": written}, lines)


def delete(terminal: Terminal, lesson: Annotated[str, Option("of one of your own lessons", "KEY")]) -> Outcome:
    """Move one of your own lessons to the trash for a day."""
    delete_lesson(lesson)
    return deleted({"lesson": lesson})


def tally(
    terminal: Terminal,
    file: Annotated[str, Option(metavar="FILE|-")],
    *,
    out: Annotated[str | None, Option("one row per student", "FILE.csv")] = None,
) -> Outcome:
    """Count the answers of a class, from a file of lines or from standard input (-)."""
    try:
        chat = sys.stdin.read() if file == "-" else small_file(Path(file)).decode("utf-8", "replace")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise LessonError("E-LESSON-PATH", f"There is no file {file!r} with lines of answers.") from error
    result = tallied(chat, lessons())
    if out is not None:
        with atomic_write(Path(out).expanduser()) as temporary:
            temporary.write_text(result.as_csv, encoding="utf-8")
    lines = list(result.sentences)
    for each in result.steps:
        lines.append(f"{each.step}  {each.title}")
        for answer, count in sorted(each.answers.items()):
            lines.append(f"   {'✓' if answer == each.right else ' '} {answer:>5} {'█' * count} {count}")
    facts = vars(result) | {
        "students": len(result.students),  # without their names
        "unreadable": [{"line": number, "text": text} for number, text in result.unreadable],
        "steps": [vars(each) | {"answers": dict(each.answers.most_common())} for each in result.steps],
        "sentences": result.sentences,
    }
    return Outcome(facts, lines)


def pack(
    terminal: Terminal,
    *,
    only: Annotated[tuple[str, ...], Option("measure these for a later pack, and write nothing else", "NAME")] = (),
) -> Outcome:
    """Measure everything that the built-in lessons quote, and write it into the package."""
    from embedlab.tasks.lesson_packing import pack_lessons

    sizes = {str(file): file.stat().st_size for file in pack_lessons(terminal, only)}
    facts = {"files": [{"file": file, "bytes": size} for file, size in sizes.items()]}
    return Outcome(facts, [f"{file}  {size:,} bytes" for file, size in sizes.items()])
