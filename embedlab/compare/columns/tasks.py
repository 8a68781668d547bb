"""Columns of public benchmarks: a set's average, then its tasks; scores are kept by the encoder that got them."""

from collections.abc import Iterator, Sequence

from embedlab.compare.columns.base import Asked, Column, Gain, Reading
from embedlab.compare.rows import BASELINE, RUN, Row
from embedlab.runs.evaluations import read_pointer, read_summaries
from embedlab.runs.folder import RunFolder

AVERAGE = "average"


def columns(rows: Sequence[Row], asked: Asked) -> list[Column]:
    """A task that several sets share is a column of the first of them."""
    measured = {row.key: dict(_scores(row)) for row in rows if row.kind != BASELINE}
    began = {row.key: dict(_scores(row, "before")) for row in rows if row.kind == RUN}
    places = {key: None for scores in measured.values() for key in scores}
    found, tasks = [], set()
    for benchmark, title, task in sorted(places, key=lambda place: (place[0], place[2] != AVERAGE)):
        if task != AVERAGE and task in tasks:
            continue
        tasks.add(task)
        place = (benchmark, title, task)
        values = {row: scores[place] for row, scores in measured.items() if place in scores}
        before = {row: scores[place] for row, scores in began.items() if place in scores}
        found.append(
            Column(
                key=f"{benchmark}/{task}",
                title=task,
                place=title,
                values={row: Reading(value) for row, value in values.items()},
                gains={row: Gain(values[row] - before[row]) for row in values if row in before},
                scale=100.0,
                unit="×100",
                higher_is_better=True,
                counts=task != AVERAGE,
                printed={"benchmark": benchmark, "task": task},
            )
        )
    return found


def _scores(row: Row, state: str = "") -> Iterator[tuple[tuple[str, str, str], float]]:
    """(set, its title, task or average) -> score, of the encoder that this row is."""
    for path, its_state in ((row.path, state or row.state), *((twin, "before") for twin in row.twins)):
        encoder = read_pointer(RunFolder(path), its_state)
        for summary in read_summaries(encoder) if encoder else []:
            title = summary.get("title", summary["set"]).partition(",")[0]
            yield from (((summary["set"], title, task), score) for task, score in summary["scores"].items())
            if summary["average"] is not None:
                yield (summary["set"], title, AVERAGE), summary["average"]
