"""From ten thousand to two million texts: seconds and peak memory of each stage, each in a process of its own.

python -m tests.benchmarks.scale [--texts 10000,2000000] [--from CORPUS] [--keep FOLDER] [--only make,…] [--steps N]

Texts are made of real ones (those of ``--from``, by default ``docs``) by recombining sentences: each is three to six
sentences drawn from the texts of one class, seed 0. They are as long, worded and labelled as real ones; what stands
beside what in a text is not. The stages are the product's own tasks. Memory is what a process held at most: ``own`` is
anonymous, ``in all`` counts pages of mapped files too, which the system takes back when others need them. What was
measured is kept in ``FOLDER/measured.json``; the next call goes on from there.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

STAGES = {
    "make": "making the texts",
    "ingest": "ingest: clean, store, fingerprint, check-up",
    "embed": "an untouched run: vocabulary, embed (`token`), kNN, TF-IDF and SVD",
    "map": "its map: neighbor graph and t-SNE of a sample, clusters, noise floor",
    "pages": "the app's process: its Corpus, Maps and Neighbors opened in turn",
    "steps": "up to so many steps of an epoch of `sentences` by themselves: usable texts, batches, training",
    "epoch": "a run of 1 epoch of `sentences`, embedded and evaluated before and after",
}
PAGES = ("corpus", "maps", "neighbors")
PART = 20_000  # texts made at once
OFTEN = 0.02  # seconds between two looks at the memory


class Memory(threading.Thread):
    """The most that a process held, in bytes: anonymous, and with the pages of mapped files."""

    def __init__(self, process: int | str = "self"):
        super().__init__(daemon=True)
        self.process = process
        self.own = self.in_all = 0
        self.start()

    def run(self) -> None:
        while Path(f"/proc/{self.process}").exists():
            own, mapped = held_now(self.process)
            self.own, self.in_all = max(self.own, own), max(self.in_all, own + mapped)
            time.sleep(OFTEN)


def held_now(process: int | str) -> tuple[int, int]:
    """Bytes of a process: anonymous, and pages of mapped files; none of one that has ended."""
    with suppress(OSError, KeyError):
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
        held = dict(line.split(":", 1) for line in lines)
        return tuple(int(held[name].split()[0]) * 1024 for name in ("RssAnon", "RssFile"))
    return 0, 0


def make(texts: int, source: str, folder: Path) -> dict:
    """``texts.parquet``: columns ``text label``."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from embedlab.corpora import load_corpus
    from embedlab.sentences import sentences

    corpus, rng, said = load_corpus(source), np.random.default_rng(0), {}
    for row in corpus.labelled:
        said.setdefault(corpus.labels[row], []).extend(sentences(corpus.texts[row]))
    names = sorted(said)
    weights = np.array([len(said[name]) for name in names]) / sum(map(len, said.values()))
    schema = pa.schema({"text": pa.large_string(), "label": pa.string()})
    with pq.ParquetWriter(folder / "texts.parquet", schema, compression="zstd") as writer:
        for start in range(0, texts, PART):
            labels = [names[code] for code in rng.choice(len(names), min(PART, texts - start), p=weights)]
            made = [
                " ".join(said[label][place].strip() for place in rng.integers(len(said[label]), size=count))
                for label, count in zip(labels, rng.integers(3, 7, len(labels)), strict=True)
            ]
            writer.write_table(pa.table([made, labels], schema=schema))
    return {"texts": texts}


def ingest(folder: Path) -> dict:
    """The task of that name."""
    return {"corpus": done("ingest", {"reference": str(folder / "texts.parquet")})["result"]["fingerprint"]}


def embed(folder: Path) -> dict:
    """An untouched run."""
    return trained(folder, "untouched")


def epoch(folder: Path) -> dict:
    """A run of one epoch."""
    return trained(folder, "sentences")


def steps(folder: Path, most: int) -> dict:
    """The first ``most`` steps of an epoch, without any evaluation; how many an epoch has, and how long one takes."""
    from embedlab.config import validated
    from embedlab.corpora.base import open_corpus
    from embedlab.jobs.progress import FolderProgress
    from embedlab.runs.store import create_run
    from embedlab.tasks.fine_tune.opening import open_run
    from embedlab.tasks.fine_tune.preparing import prepared
    from embedlab.training.settings import RunSettings

    asked = {"corpus": known(folder, "ingest")["corpus"], "encoder": "token", "recipe": "sentences", "live_texts": 0}
    settings, run = validated(RunSettings, asked | {"epochs": 1, "max_steps": most}), create_run("train", asked)
    corpus, progress = open_corpus(settings.corpus), FolderProgress(run)
    opened, began = open_run(run, settings, corpus, progress), time.perf_counter()
    training = prepared(opened)
    preparing = time.perf_counter() - began
    training.resume()
    training.run(progress)
    return {
        "usable": training.usable_texts, "preparing": round(preparing, 1), "steps": training.done.steps,
        "steps_an_epoch": training.batches.per_epoch, "seconds_a_step": training.done.seconds / training.done.steps,
    }  # fmt: skip


def trained(folder: Path, recipe: str) -> dict:
    """A run without maps: its id, its kNN accuracy, the seconds of its stages, the bytes of its folder."""
    asked = {
        "corpus": known(folder, "ingest")["corpus"],
        "encoder": "token",
        "recipe": recipe,
        "maps": False,
        "inside": False,
    }
    if recipe != "untouched":
        asked |= {"epochs": 1}
    found = done("train", asked)
    result = found["result"]
    facts = {"run": found["id"], "stages": found["stages"], "knn": result["knn"] and result["knn"]["after"]}
    return facts | {"steps": result["steps"], "training_seconds": result["training_seconds"], "bytes": found["bytes"]}


def draw(folder: Path) -> dict:
    """The map of the untouched run."""
    found = done("map", {"run": known(folder, "embed")["run"], "method": "tsne"})
    return {"stages": found["stages"], "shown": found["result"]["texts"]}


def pages(folder: Path) -> dict:
    """The pages of the app in a browser, one after the other, with the untouched run; the memory is the app's."""
    import psutil

    from tests.benchmarks.browser import page_of, served, until_idle

    run, corpus = known(folder, "embed")["run"], known(folder, "ingest")["corpus"]
    took = {}
    with page_of() as page, served(ROOT / "app.py", home=folder / "store") as (url, process, _):
        page.set_default_timeout(300_000)
        memory = Memory(process.pid)
        for name in PAGES:
            began = time.perf_counter()
            page.goto(f"{url}/{name}?corpus={corpus}&run={run}")
            until_idle(page)
            took[name] = round(time.perf_counter() - began, 1)
            if page.get_by_text("Traceback").count():
                raise SystemExit(f"{name} shows an error")
        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()  # the process of questions, which would stay for five minutes
    return {"pages": took, "app_own": memory.own, "app_in_all": memory.in_all}


def done(task: str, asked: dict) -> dict:
    """Do a task in this process: its result, and the seconds of each of its stages."""
    from doing import do, result_of

    from embedlab.jobs.progress import stages_of
    from embedlab.store_root import read_json

    folder = do(task, asked)
    seconds: dict[str, float] = {}
    for stage in stages_of(folder, time.time()):
        seconds[stage.kind] = round(seconds.get(stage.kind, 0.0) + (stage.seconds or 0.0), 1)
    found = result_of(folder) if task == "train" else read_json(folder.result)
    size = sum(file.stat().st_size for file in folder.path.rglob("*") if file.is_file())
    return {"id": folder.id, "result": found, "stages": seconds, "bytes": size}


def known(folder: Path, stage: str) -> dict:
    """What was measured of a stage."""
    return json.loads((folder / "measured.json").read_text(encoding="utf-8"))[stage]


def child(stage: str, texts: int, source: str, folder: Path, most: int) -> None:
    """One stage, in this process; its facts on the last line."""
    memory, began = Memory(), time.perf_counter()
    work = {"ingest": ingest, "embed": embed, "epoch": epoch, "map": draw, "pages": pages}
    work["steps"] = partial(steps, most=most)
    facts = make(texts, source, folder) if stage == "make" else work[stage](folder)
    own, in_all = facts.pop("app_own", memory.own), facts.pop("app_in_all", memory.in_all)
    facts |= {"seconds": round(time.perf_counter() - began, 1), "own": own, "in_all": in_all}
    print(json.dumps(facts))


def measure(stage: str, texts: int, source: str, folder: Path, most: int) -> dict:
    """In a process of its own, unless it is known."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "measured.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if stage not in found:
        print(f"{texts:,} texts: {STAGES[stage]}", file=sys.stderr, flush=True)
        command = [
            sys.executable,
            "-m",
            "tests.benchmarks.scale",
            "--child",
            stage,
            "--texts",
            str(texts),
            "--from",
            source,
        ]
        command += ["--steps", str(most)]
        environment = {**os.environ, "EMBEDLAB_HOME": str(folder / "store")}
        printed = subprocess.run(
            [*command, "--keep", str(folder.parent)], check=True, stdout=subprocess.PIPE, text=True, env=environment
        ).stdout
        found[stage] = json.loads(printed.splitlines()[-1])
        file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found[stage]


def table(measured: dict[int, dict]) -> list[str]:
    """A row a stage, two columns a number of texts."""
    head = [f"{texts:,} texts | own, in all" for texts in measured]
    lines = [f"| stage | {' | '.join(head)} |", f"|---|{'---|---|' * len(measured)}"]
    for stage, title in STAGES.items():
        cells = []
        for found in measured.values():
            each = found.get(stage)
            cells += ["–", "–"] if each is None else [_seconds(each["seconds"]), _memory(each)]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def _seconds(value: float) -> str:
    return f"{value:.0f} s" if value < 600 else f"{value / 60:.0f} min"


def _memory(each: dict) -> str:
    return f"{each['own'] / 1e9:.2f}, {each['in_all'] / 1e9:.2f} GB"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--texts", default="10000,100000,2000000")
    asked.add_argument("--from", dest="source", default="docs")
    asked.add_argument("--keep", type=Path)
    asked.add_argument("--only", default=",".join(STAGES))
    asked.add_argument("--steps", type=int, default=2_000, help="of the epoch in the stage that only trains")
    asked.add_argument("--child", choices=STAGES)
    asked = asked.parse_args()
    if asked.child:
        child(asked.child, int(asked.texts), asked.source, asked.keep / asked.texts, asked.steps)
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder, measured = asked.keep or Path(scratch), {}
        for texts in map(int, asked.texts.split(",")):
            measured[texts] = {
                stage: measure(stage, texts, asked.source, folder / str(texts), asked.steps)
                for stage in asked.only.split(",")
            }
            print("\n".join(table(measured)), flush=True)


if __name__ == "__main__":
    main()
