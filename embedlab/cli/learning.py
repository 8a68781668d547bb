"""``learn …``: lessons listed, checked, exported as files, answers tallied."""

import gzip
from pathlib import Path

from embedlab.cli.reading import corpus_of
from embedlab.errors import LessonError
from embedlab.learn.catalog import export_lesson, facts_for, find_lesson, lessons, open_lesson, unreadable_lessons
from embedlab.learn.claims import check_claims
from embedlab.learn.page import lesson_content
from embedlab.learn.tally import tally as tallied
from embedlab.store_root import whole_file


def list_lessons(asked, terminal) -> tuple[dict, int]:
    """Built-in ones and those of the store."""
    return {
        "lessons": [
            {"key": key, "title": lesson.title, "goal": lesson.goal, "minutes": lesson.minutes, "file": str(path)}
            for key, (lesson, path) in lessons().items()
        ],
        "unreadable": unreadable_lessons(),
    }, 0


def show_list(result: dict) -> list[str]:
    """A line each."""
    lines = [f"{each['key']:24} {each['minutes']:3} min  {each['title']}: {each['goal']}" for each in result["lessons"]]
    return lines + result["unreadable"]


def check(asked, terminal) -> tuple[dict, int]:
    """Every rule, fact, view and claim of one lesson."""
    lesson = open_lesson(Path(asked.file).expanduser()) if asked.file.endswith(".md") else find_lesson(asked.file)
    facts = facts_for(lesson, corpus=_corpus(asked, terminal), runs=_runs(asked), progress=terminal)
    claims = check_claims(lesson, facts)
    lesson_content(lesson, facts)
    result = {"lesson": lesson.key, "version": lesson.version, "steps": len(lesson.steps)}
    result["claims"] = [{"claim": e.claim, "left": e.left, "right": e.right, "holds": e.holds} for e in claims]
    if broken := [each for each in claims if not each.holds]:
        raise LessonError("E-LESSON-CLAIM", broken[0].sentence)
    return result, 0


def show_check(result: dict) -> list[str]:
    """One line, and one a claim."""
    lines = [f"{result['lesson']} {result['version']}: {result['steps']} steps, every rule holds."]
    return lines + [f"  holds: {e['claim']} ({e['left']:.3g}, {e['right']:.3g})" for e in result["claims"]]


def export(asked, terminal) -> tuple[dict, int]:
    """One lesson as a file, or all into a folder."""
    out, corpus, runs = Path(asked.out).expanduser(), _corpus(asked, terminal), _runs(asked)
    if asked.lesson == "all":
        if out.suffix:
            raise LessonError(
                "E-LESSON-OUT", f"All lessons go into a folder, and {str(out)!r} names a file. Name a folder."
            )
        chosen = {out / f"{key}.html": lesson for key, (lesson, _) in lessons().items()}
    else:
        lesson = find_lesson(asked.lesson)
        chosen = {(out if out.suffix == ".html" else out / f"{lesson.key}.html"): lesson}
    written = []
    for path, lesson in chosen.items():
        given = {name: run for name, run in runs.items() if name in lesson.runs} if asked.lesson == "all" else runs
        made = export_lesson(lesson, corpus=corpus, runs=given, anyway=asked.anyway, progress=terminal)
        with whole_file(path) as beside:
            beside.write_bytes(made.page)
        sizes = {"bytes": len(made.page), "gzipped": len(gzip.compress(made.page))}
        written.append({"lesson": lesson.key, "out": str(path), **sizes, "claims": len(made.claims)})
    return {"lessons": written}, 0


def show_export(result: dict) -> list[str]:
    """A line a file with its sizes."""
    return [
        f"{each['out']}  {each['bytes'] / 1000:.0f} KB, gzipped {each['gzipped'] / 1000:.0f}, claims: {each['claims']}"
        for each in result["lessons"]
    ]


def tally(asked, terminal) -> tuple[dict, int]:
    """The answers of a class in a file of lines, or - for standard input."""
    import sys

    try:
        chat = sys.stdin.read() if asked.file == "-" else Path(asked.file).expanduser().read_text("utf-8", "replace")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise LessonError("E-LESSON-PATH", f"There is no file {asked.file!r} with lines of answers.") from error
    result = tallied(chat, {key: lesson for key, (lesson, _) in lessons().items()})
    if asked.out is not None:
        with whole_file(Path(asked.out).expanduser()) as beside:
            beside.write_text(result.as_csv, encoding="utf-8")
    return {
        "lesson": result.key,
        "version": result.version,
        "students": len(result.students),
        "other_versions": result.other_versions,
        "other_lessons": result.other_lessons,
        "unreadable": [{"line": number, "text": text} for number, text in result.unreadable],
        "steps": [
            {"step": each.number, "title": each.title, "right": each.right, "answers": dict(each.counts.most_common())}
            for each in result.steps
        ],
        "sentences": result.sentences,
    }, 0


def show_tally(result: dict) -> list[str]:
    """Bars of a letter each."""
    lines = list(result["sentences"])
    for each in result["steps"]:
        lines.append(f"{each['step']}  {each['title']}")
        for answer, count in sorted(each["answers"].items()):
            lines.append(f"   {'✓' if answer == each['right'] else ' '} {answer:>5} {'█' * count} {count}")
    return lines


def pack(asked, terminal) -> tuple[dict, int]:
    """Everything that the built-in lessons quote, measured and written into the package."""
    from embedlab.cli.lesson_packing import pack_lessons

    return pack_lessons(terminal), 0


def show_pack(result: dict) -> list[str]:
    """What was written."""
    return [f"{each['file']}  {each['bytes']:,} bytes" for each in result["files"]]


def _corpus(asked, terminal):
    return corpus_of(asked, terminal) if asked.corpus is not None else None


def _runs(asked) -> dict[str, str]:
    result = {}
    for each in asked.runs:
        name, sign, run = each.partition("=")
        if not (name and sign and run):
            raise LessonError(
                "E-LESSON-RUN", f"--run binds a name of the lesson to a run, as in token=ID, not {each!r}."
            )
        result[name] = run
    return result
