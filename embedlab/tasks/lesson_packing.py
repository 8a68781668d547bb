"""``learn pack``: measures everything that the built-in lessons quote, and writes the packaged data."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from pydantic_core import to_jsonable_python

from embedlab.corpora import load_corpus
from embedlab.errors import EmbedlabError, LessonError
from embedlab.jobs.requests.drawing import DrawLab
from embedlab.jobs.runner import submit_once, wait
from embedlab.learn.catalog import export_lesson, lessons, small_corpus
from embedlab.learn.facts import PACKAGED, PackagedFact
from embedlab.learn.pocket_facts import PACKAGED as POCKET
from embedlab.learn.pocket_facts import stored_facts
from embedlab.machine_refusals import refusal_of_signal
from embedlab.maps.lab import EXPERIMENTS
from embedlab.progress import Progress
from embedlab.registry import similar
from embedlab.runs.drawn_map import FourMaps, read_four_maps, write_four_maps
from embedlab.runs.example import DATA, TOKEN
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import read_json, store_root, write_json

COMMANDS = PACKAGED.with_name("measured.txt")
LAB_TEXTS = 1_000  # of each experiment of *Test your reading*
MOST_COPIES = 50  # beyond, MiniLM has no room for more


def commands() -> dict[str, list[str]]:
    """The measurements by name, each as the words of a command."""
    lines = COMMANDS.read_text(encoding="utf-8").splitlines()
    named = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    return {name: shlex.split(words) for name, _, words in named}


def measured(names: Iterable[str], progress: Progress) -> dict[str, Path]:
    """The file with the result of each of these commands, measured once in this store and then reused."""
    available, files = commands(), {}
    for number, name in enumerate(names):
        if name not in available:
            message = (
                f"No measurement is called {name!r}.{similar(name, available)} Choose from: {', '.join(available)}."
            )
            raise LessonError("E-LESSON-PACK", message)
        progress(f"Measuring {name}", number, len(available))
        files[name] = store_root() / "lessons" / "measured" / f"{name}.json"
        if not files[name].is_file():
            _measure(available[name], files[name])
    return files


def pack_lessons(progress: Progress, only: Sequence[str] = ()) -> list[Path]:
    """Measure, write the packaged data, and check every claim against it; or measure ``only`` these. -> the files"""
    if only:
        return list(measured(only, progress).values())
    results = {name: read_json(file) for name, file in measured(commands(), progress).items()}
    token = open_run(results["token"]["run"])
    for experiment in EXPERIMENTS:
        progress(f"Drawing four maps: {experiment}", 0, 1)
        if not token.lab("after", experiment).is_dir():
            wait(submit_once(DrawLab(run=token.id, side="after", experiment=experiment, texts=LAB_TEXTS)))
    write_json(PACKAGED, facts_of(results))
    write_lab(DATA / TOKEN, token)
    corpus = load_corpus("docs", progress=progress)
    for lesson in lessons().values():
        export_lesson(lesson, corpus=corpus, anyway=True, progress=progress)  # computes what claims and texts quote
    pocket = small_corpus(corpus.fingerprint)
    write_json(POCKET, {pocket.fingerprint: to_jsonable_python(stored_facts(pocket))})
    return [PACKAGED, POCKET, *sorted(file for file in (DATA / TOKEN / "lab").rglob("*") if file.is_file())]


def facts_of(results: dict[str, dict]) -> dict[str, PackagedFact]:
    """Every measured number that a lesson may quote, by name."""
    corpus = results["token"]["corpus"]
    facts: dict[str, PackagedFact] = {"docs.texts": _number(corpus["texts"]), "docs.topics": _number(corpus["classes"])}
    for key in [name for name in results if name.startswith("copies.")]:
        curve = results[key]["diagnostics"]["length-curve"]["before"]
        points = [[m, cosine] for m, cosine in zip(curve["copies"], curve["cosines"], strict=True) if m <= MOST_COPIES]
        facts[key] = {"value": points, "kind": "number"}
        facts |= {f"{key}.{m}": _number(cosine, 2) for m, cosine in points}
    for each in results["minilm.layers"]["layers"]:
        value = each["cosine"]["before"]
        name = f"minilm.{each['pooling']}"
        facts.setdefault(name, {"value": [], "kind": "share"})["value"].append([each["layer"], value])
        facts[f"{name}.{each['layer']}"] = {"value": value, "kind": "share"}
    for side, each in results["minilm.length"]["untouched"].items():
        facts[f"minilm.length.{side}"] = _number(each["mean"], 2)
    for name in [each for each in results if each.endswith((".crops", ".dropout"))]:
        knn = results[name]["knn"]
        facts[f"{name.split('.')[0]}.before"] = {"value": knn["before"], "kind": "share"}
        facts[name] = {"value": knn["after"], "kind": "share"}
        facts[f"{name}.error"] = _number(100 * knn["standard_error"], 1)
    for name in ["token", *(each for each in results if each.startswith("temperature."))]:
        key = "temperature.0.05" if name == "token" else name  # the default
        facts[key] = {"value": results[name]["knn"]["cosine"]["after"], "kind": "share"}
    return facts


def _number(value: float, digits: int = 0) -> PackagedFact:
    return {"value": value, "kind": "number", "digits": digits}


def _measure(words: list[str], file: Path) -> None:
    """Write what this command prints."""
    command = [sys.executable, "-m", "embedlab", *words, "--json", "--quiet"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    result = json.loads(done.stdout or b"{}")
    if done.returncode or "error" in result:
        refusal = refusal_of_signal(done.returncode) if done.returncode < 0 else None
        silent_end = "it printed nothing." if refusal is None else refusal.sentence
        reason = result.get("error", {}).get("message", silent_end)
        raise EmbedlabError("E-PACK", f"`{' '.join(words)}` failed: {reason} Fix that, then pack again.")
    write_json(file, result)


def write_lab(out: Path, run: RunFolder) -> None:
    """The experiments drawn on this run's embeddings after, each map quantised to 16-bit numbers."""
    for folder in sorted(run.path.glob("lab/after-*")):
        experiment = folder.name.removeprefix("after-")
        four = read_four_maps(run, "after", experiment)
        assert four is not None, f"{folder} was drawn for other embeddings"
        from_corner = four.coordinates - four.coordinates.min(axis=1, keepdims=True)  # (maps, texts, 2)
        largest = from_corner.max(axis=(1, 2), keepdims=True)  # one scale for both axes
        on_grid = np.round(from_corner / largest * 65_535)
        packed = FourMaps(on_grid.astype(np.uint16), four.rows.astype(np.uint16), four.facts)
        write_four_maps(RunFolder(out), "after", experiment, packed)
