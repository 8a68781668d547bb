"""Columns of public benchmarks: a set's average, then its tasks; scores are kept by the encoder that got them."""

from collections.abc import Iterator, Sequence

from embedlab.compare.columns.base import Column, ColumnRequest, ColumnValue, Gain
from embedlab.compare.rows import BASELINE, RUN, ComparedRow
from embedlab.runs.evaluations import read_pointer, read_summaries
from embedlab.runs.folder import RunFolder

AVERAGE = "average"


def columns(rows: Sequence[ComparedRow], request: ColumnRequest) -> list[Column]:
    """A task that several sets share is a column of the first of them."""
    measured = {row.key: dict(_scores(row)) for row in rows if row.kind != BASELINE}
    began = {row.key: dict(_scores(row, "before")) for row in rows if row.kind == RUN}
    score_keys = {key: None for scores in measured.values() for key in scores}
    result, tasks = [], set()
    for benchmark, title, task in sorted(score_keys, key=lambda score_key: (score_key[0], score_key[2] != AVERAGE)):
        if task != AVERAGE and task in tasks:
            continue
        tasks.add(task)
        score_key = (benchmark, title, task)
        values = {row: scores[score_key] for row, scores in measured.items() if score_key in scores}
        before = {row: scores[score_key] for row, scores in began.items() if score_key in scores}
        result.append(
            Column(
                key=f"{benchmark}/{task}",
                title=task,
                place=title,
                values={row: ColumnValue(value) for row, value in values.items()},
                gains={row: Gain(values[row] - before[row]) for row in values if row in before},
                scale=100.0,
                unit="×100",
                higher_is_better=True,
                counts=task != AVERAGE,
                printed={"benchmark": benchmark, "task": task},
            )
        )
    return result


def _scores(row: ComparedRow, state: str = "") -> Iterator[tuple[tuple[str, str, str], float]]:
    """(set, its title, task or average) -> score, of the encoder that this row is."""
    for path, its_state in ((row.path, state or row.state), *((twin, "before") for twin in row.twins)):
        encoder = read_pointer(RunFolder(path), its_state)
        for summary in read_summaries(encoder) if encoder else []:
            title = summary.get("title", summary["set"]).partition(",")[0]
            yield from (((summary["set"], title, task), score) for task, score in summary["scores"].items())
            if summary["average"] is not None:
                yield (summary["set"], title, AVERAGE), summary["average"]
