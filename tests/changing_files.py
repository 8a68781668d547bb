"""Changes of the store's files that several processes make at once: ``python changing_files.py FIRST AFTER_LAST``.

Each kind of file is changed by the function that the package changes it by. A line on standard input names the kind,
and where its file is; the process answers with a line once it has made its changes.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.damage import read_table
from embedlab.measurement import ByDistance, Difference, Measurement
from embedlab.runs.benchmark_scores import keep_pointer
from embedlab.runs.evaluations import Evaluations, StepResult
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import ask_for, give_labels, hand_labels_of, skip
from embedlab.runs.reference_lines import KeptLine, keep_lines, read_lines
from embedlab.runs.state import State, read_state, write_state
from embedlab.runs.store import create_run, label_run, stored_request
from embedlab.store_root import read_json, store_root
from embedlab.studies.plan import Cell
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study, add_run, runs_of
from embedlab.table_files import write_parquet
from embedlab.update import update, update_json

CHANGES = 200


class Kind(NamedTuple):
    """One kind of file: how it is made, changed with a number, and which numbers it holds."""

    make: Callable[[], Path]
    change: Callable[[Path, int], Any]
    numbers: Callable[[Path], set[int]]


def _run() -> Path:
    return create_run("train", {"corpus": "docs"}, name="a").path


def _corpus() -> Path:
    texts = [f"Text number {number} of a small corpus." for number in range(CHANGES)]
    labels = [str(number % 2) for number in range(CHANGES)]
    corpus = store_corpus(Draft(name="texts", source="texts", texts=texts, labels=labels))
    ask_for(corpus, range(CHANGES))
    return corpus.folder


def _note(path: Path, number: int) -> None:
    label_run(RunFolder(path), lambda stored: {"note": f"{stored.note or ''} {number}"})


def _notes(path: Path) -> set[int]:
    return {int(number) for number in (stored_request(RunFolder(path)).note or "").split()}


def _evaluate(path: Path, number: int) -> None:
    if number % 2:
        Evaluations(path).keep_post({f"{number}": {"after": StepResult()}})
    else:
        Evaluations(path).keep_difference(f"{number}", "knn", Difference(0.1, 0.0, 0.2, 10))


def _evaluated(path: Path) -> set[int]:
    content = read_json(Evaluations(path).file)
    return {int(key) for part in ("metrics", "post") for key in content[part]}


def _label(path: Path, number: int) -> None:
    corpus = open_corpus(path.name)
    if number % 2:
        give_labels(corpus, {number: "odd"})
    else:
        skip(corpus, number)


def _labelled(path: Path) -> set[int]:
    labels = hand_labels_of(open_corpus(path.name))
    return set(range(CHANGES)) - set(labels.open)


LINE = KeptLine(
    measured=ByDistance(Measurement(value=0.5, n=2), Measurement(value=0.5, n=2)),
    counted="words", k=10, zero_vectors=0, protocol="paper", correct_rows=[1],
)  # fmt: skip


def _state(path: Path, number: int) -> None:
    """Each process sets a fact of its own again and again: none is set back by another process."""
    fact = ("device", "fingerprint", "pid", "exit_code")[4 * number // CHANGES]
    write_state(RunFolder(path), State.QUEUED, **{fact: number if fact in ("pid", "exit_code") else f"{number}"})


def _states(path: Path) -> set[int]:
    facts = read_state(RunFolder(path))
    last = [f"{each}" for each in (facts.device, facts.fingerprint, facts.pid, facts.exit_code)]
    quarters = [set(range(start, start + CHANGES // 4)) for start in range(0, CHANGES, CHANGES // 4)]
    whole = [quarter for quarter, value in zip(quarters, last, strict=True) if value == f"{max(quarter)}"]
    return set().union(*whole)
    return set().union(
        *(quarter for quarter, value in zip(quarters, last, strict=True) if f"{value}" == f"{max(quarter)}")
    )


def _append(path: Path, number: int) -> None:
    def changed(table: pa.Table) -> pa.Table:
        return pa.concat_tables([table, pa.table({"number": [number]})])

    update(path / "numbers.parquet", changed, read=read_table, write=write_parquet)


def _with_table() -> Path:
    run = _run()
    write_parquet(run / "numbers.parquet", pa.table({"number": pa.array([], pa.int64())}))
    return run


KINDS = {
    "settings.json": Kind(_run, _note, _notes),
    "evaluations.json": Kind(_run, _evaluate, _evaluated),
    "benchmarks.json": Kind(
        _run,
        lambda path, number: keep_pointer(RunFolder(path), f"{number}", "0" * 64),
        lambda path: set(map(int, read_json(RunFolder(path).benchmarks))),
    ),
    "state.json": Kind(_run, _state, _states),
    "labels.json": Kind(_corpus, _label, _labelled),
    "references-3.json": Kind(
        _corpus,
        lambda path, number: keep_lines(path / "references-3.json", {f"{number}": LINE}),
        lambda path: set(map(int, read_lines(path / "references-3.json"))),
    ),
    "study.json": Kind(
        lambda: _study().path,
        lambda path, number: add_run(Study(path), Cell("value", 0.5, number), RunFolder(path)),
        lambda path: {json.loads(key)[2] for key in runs_of(Study(path))},
    ),
    "guesses, facts of lessons": Kind(
        lambda: store_root() / "guesses",
        lambda path, number: update_json(path / "mine.json", lambda content: {**content, f"{number}": "A"}),
        lambda path: set(map(int, read_json(path / "mine.json"))),
    ),
    "a Parquet file": Kind(
        _with_table, _append, lambda path: set(read_table(path / "numbers.parquet").column("number").to_pylist())
    ),
}


def _study() -> Study:
    return Study.create(asked_study("temperature", open_corpus(_corpus().name).info, values=(0.05,), seeds=(0,)))


def main(first: int, after_last: int) -> None:
    """Make the changes of these numbers in each file that a line names."""
    print("ready", flush=True)
    for line in sys.stdin:
        kind, path = json.loads(line)
        for number in range(first, after_last):
            KINDS[kind].change(Path(path), number)
        print("done", flush=True)


if __name__ == "__main__":
    os.fsync = lambda descriptor: None  # nobody cuts the power here
    main(*map(int, sys.argv[1:]))
