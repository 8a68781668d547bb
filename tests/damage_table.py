"""The damage table: a store with one of everything, every kind of its files damaged in every way, and every view of it.

A view is a command or a page. What damage may cost a view is its content, never its life: it shows the rest, or says
one sentence.
"""

import contextlib
import io
import json
import os
import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from builders import set_scores
from doing import do
from made_finds import made_find, over
from streamlit.testing.v1 import AppTest
from toy_corpora import toy_pairs

from embedlab.cli import main
from embedlab.corpora.base import open_corpus
from embedlab.corpora.sets.stored import store_set, strings
from embedlab.runs.benchmark_scores import StoredScore, keep_pointer, keep_score, keep_summary
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import ask_for, give_labels
from embedlab.runs.lease import Job, write_job
from embedlab.runs.selections import LassoOrigin, keep
from embedlab.runs.state import State, write_state
from embedlab.runs.store import append_row, create_run, fingerprint_of, stored_request
from embedlab.store_root import write_json
from embedlab.studies.plan import cells
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study, add_run
from embedlab.ui.frame.navigation import PLACES
from embedlab.worker.work import _work

MAIN = Path(__file__).resolve().parents[1] / "embedlab" / "ui" / "frame" / "main.py"
_ID = re.compile(r"[0-9a-f]{64}|[0-9a-f]{16}|[0-9a-z]{13}")
_PASSED_OVER = ("locks", "trash", "index", "ask")  # what is made again, and questions of one moment
_NO_FILE_OF_OURS = (".lock", ".txt", "README.md", "sentences.bin")


@dataclass(frozen=True)
class Ids:
    """What the store has one of."""

    run: str
    corpus: str
    selection: str
    study: str
    find: str
    set: str
    pairs: str


def one_of_everything(run: RunFolder) -> Ids:
    """Add to a store with this run only, on a partly labelled corpus."""
    corpus = open_corpus(fingerprint_of(run))
    do("map", {"run": run.id, "method": "pca"})
    (row, *_) = corpus.kept
    ask_for(corpus, [2, 5, 8])
    give_labels(corpus, {2: "a"})
    lasso = LassoOrigin(run.id, "after", "tsne", ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)))
    selection = keep(corpus, "two", [int(row), 3], drawn=lasso)
    settings = asked_study("temperature", corpus.info, values=[0.05], seeds=[0])
    study = Study.create(settings)
    for cell in cells(settings):
        add_run(study, cell, run)
    find = made_find(corpus.fingerprint, "finished", over(winner=run.id))
    table = pa.table({"sentence1": strings(["a", "b"]), "sentence2": strings(["c", "d"]), "score": [1.0, 2.0]})
    table = table.append_column("same", pa.array([None, None], pa.bool_()))
    held = store_set({"pairs": table}, name="judge", source="toy", kind="pairs", serves=("sts",))
    encoder = "0" * 64
    keep_score(encoder, "STSBenchmark", StoredScore(task="STSBenchmark", metric="main", score=0.5, scores={}))
    keep_summary(set_scores({"STSBenchmark": 0.5}, "useb", encoder))
    keep_pointer(run, "after", encoder)
    write_json(run.progress, {"stage": "Fine-tuning", "done": 1, "total": 2, "seconds_left": 1.0, "at": 1.0})
    append_row(run.resources, {"at": 1.0, "memory": 10, "cores": 1.0})
    append_row(run.resources, {"at": 3.0, "memory": 10, "cores": 1.0})
    failed = create_run("train", stored_request(run).settings)
    write_state(failed, State.FAILED, error={"code": "E-NON-FINITE", "message": "The loss became NaN."})
    write_job(failed, Job(executor="ray", token="abcd"))
    return Ids(
        run.id, corpus.fingerprint, selection.id, study.id, find.id, held.fingerprint, toy_pairs().fingerprint
    )  # fmt: skip


def kinds_of(store: Path) -> dict[str, Path]:
    """One file of each kind, by its path with ids and numbers replaced; relative to the store."""
    kinds: dict[str, Path] = {}
    for file in sorted(store.rglob("*")):
        path = file.relative_to(store)
        is_ours = path.parts[0] not in _PASSED_OVER and not path.name.endswith(_NO_FILE_OF_OURS)
        if file.is_file() and is_ours:
            kinds.setdefault(re.sub(r"\d+", "N", _ID.sub("ID", path.as_posix())), path)
    return kinds


def _json(change: Callable[[dict], object]) -> Callable[[bytes], bytes | None]:
    """Damage of a JSON object; None of what is none."""

    def damaged(content: bytes) -> bytes | None:
        try:
            value = json.loads(content)
        except ValueError:
            return None
        return json.dumps(change(value)).encode() if isinstance(value, dict) else None

    return damaged


def _each(value: object, other: object) -> object:
    """Every value that is no container replaced, so that all names are there and nothing fits."""
    if isinstance(value, dict):
        return {name: _each(inner, other) for name, inner in value.items()}
    return [_each(inner, other) for inner in value] if isinstance(value, list) else other


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "empty": lambda content: b"",
    "garbage": lambda content: bytes(range(256)) * 4,
    "truncated": lambda content: content[: len(content) // 2],
    "{}": _json(lambda value: {}),
    "[]": _json(lambda value: []),
    "null": _json(lambda value: None),
    "other types": _json(lambda value: {name: [7] for name in value}),
    "other leaves": _json(lambda value: _each(value, "strange")),
    "other version": _json(lambda value: {**value, "schema": 99, "format": 99}),
    "half its keys": _json(lambda value: dict(list(value.items())[::2])),
    "gone": lambda content: None,
    "a folder": lambda content: None,
    "a pipe": lambda content: None,
}


def damage(store: Path, path: Path, how: str) -> bool:
    """Whether a file could be damaged so."""
    file = store / path
    if how in ("gone", "a folder", "a pipe"):
        file.unlink()
        if how == "a folder":
            file.mkdir()
        if how == "a pipe":
            os.mkfifo(file)
        return True
    content = DAMAGES[how](file.read_bytes())
    if content is None or content == file.read_bytes():
        return False
    file.write_bytes(content)
    return True


def worked_here(self, folder: RunFolder, job=None) -> str:
    """In place of a process: the same work in this one; what it says goes into the log."""
    with open(folder.log, "a", encoding="utf-8") as log, contextlib.redirect_stdout(log):
        with contextlib.redirect_stderr(log):
            _work(folder)
    return "1"


def commands(ids: Ids, out: Path) -> dict[str, list[str]]:
    """Commands that read the store, with what they are asked."""
    return {
        "runs list": [],
        "runs show": [ids.run],
        "runs log": [ids.run],
        "runs rename": [ids.run, "A name"],
        "runs tag": [ids.run, "lecture"],
        "runs export": [ids.run, "--out", str(out / "run.zip")],
        "runs replay": [ids.run, "--out", str(out / "run.html")],
        "methods": [ids.run],
        "classes": [ids.run],
        "moves": ["--run", ids.run],
        "compare": [ids.run],
        "layers": ["--run", ids.run],
        "diagnose": ["--run", ids.run, "--only", "effective-rank"],
        "length": ["--run", ids.run, "--copies", "3"],
        "evaluate": ["--run", ids.run, "--metrics", "knn"],
        "embed": ["--run", ids.run, "--corpus", ids.corpus, "--out", str(out / "x.npy")],
        "map": ["--run", ids.run, "--method", "pca", "--out", str(out / "x.parquet")],
        "figure": ["--run", ids.run, "--method", "pca", "--out", str(out / "x.svg")],
        "selections list": [],
        "selections show": [ids.selection],
        "selections export": [ids.selection, "--out", str(out / "x.csv")],
        "study list": [],
        "study show": [ids.study],
        "study export": [ids.study, "--out", str(out / "s.csv")],
        "find list": [],
        "find show": [ids.find],
        "find export": [ids.find, "--out", str(out / "f.csv")],
        "find run": ["--corpus", ids.corpus, "--minutes", "0.001"],
        "corpus subset": [ids.corpus, "--class", "a"],
        "train": ["--corpus", ids.corpus, "--recipe", "crops", "--estimate"],
        "corpora": [],
        "encoders": [],
        "sets": [],
        "benchmark": ["--run", ids.run, "--set", "useb", "--needs"],
        "storage show": [],
        "storage prune": ["--yes"],
        "runs delete": [ids.run],
        "study delete": [ids.study],
        "find delete": [ids.find],
        "selections delete": [ids.selection],
    }


def told_by_command(name: str, arguments: list[str]) -> str | None:
    """The traceback of a command, None where there is none."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main([*name.split(), *arguments])
    except SystemExit:
        pass
    except BaseException:
        return traceback.format_exc()
    written = out.getvalue() + err.getvalue()
    return written if "Traceback" in written or "unexpected error" in written else None


def told_by_page(key: str, ids: Ids) -> str | None:
    """The traceback on a page, None where there is none."""
    at = AppTest.from_file(str(MAIN), default_timeout=60)
    place = PLACES[key]
    for name, value in {**place.address, "run": ids.run, "corpus": ids.corpus}.items():
        at.query_params[name] = value
    at.switch_page(f"../../../pages/{place.page}.py")
    at.run()
    return "\n".join(at.exception[0].stack_trace) + str(at.exception[0].value) if at.exception else None
