"""A run as one HTML file that replays it offline: values, points in base64, verdict and numbers in words."""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.corpora.base import Corpus
from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.figures.one_file import one_file_page, packed, packed_frames
from embedlab.map_methods import ALL_MAPS, map_title
from embedlab.measurement import CurvePoint
from embedlab.metrics.shares import by_share
from embedlab.numbers import accuracy, counted, percent, points
from embedlab.palette import UNLABELED, class_colours
from embedlab.plain_text import shortened
from embedlab.plane import evenly
from embedlab.report.verdict_words import headline, verdict_details
from embedlab.runs.curve import curve_of
from embedlab.runs.drawn_map import MapFacts, read_both_maps, read_map_facts
from embedlab.runs.film_files import probe_of, read_film
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names, shown_numbers
from embedlab.runs.imported import lacking
from embedlab.runs.label_lineage import is_supervised, saw_labels, words_without_knn
from embedlab.runs.result import RunResult, accuracy_of, counted_in, read_result, references_of
from embedlab.runs.store import read_rows, settings_of
from embedlab.store_root import Json
from embedlab.training.recipes import recipe_title

FRAMES = 150  # at most; of more, evenly spaced ones are told
NO_CLASS = 65_535
CLASSES = 2_000  # with a name and a colour; texts of further, smaller classes are told as texts without one


def replay_content(run: RunFolder, corpus: Corpus, *, with_texts: bool = True) -> Json:
    """The content of the page. Raises an error if the run has no result."""
    result = read_result(run)
    if result is None:
        raise lacking(run, "E-NO-RESULT", "A replay needs a result", "nothing to replay")
    film = read_film(run)
    drawn = ((each, both) for each in ALL_MAPS if (both := read_both_maps(run, each)) is not None)
    method, (mapped, maps) = next(drawn, ("", (np.empty(0, np.int64), [])))
    rows = chosen_rows(film.rows if film is not None else np.empty(0, np.int64), mapped, corpus.labels)
    names, categories = classes_on(corpus, rows)
    of_classes = f" in {counted(result.corpus.classes, 'class', 'classes')}" if result.corpus.classes else ""
    content: Json = {
        "title": result.name or f"{encoder_title(result.encoder)} · {recipe_title(result.recipe)}",
        "corpus": f"{result.corpus.name}, {counted(result.corpus.texts, 'text')}{of_classes}",
        "settings": settings_line(run, result),
        "distances": [
            {**words_by(run, result, distance)._asdict(), "curve": accuracy_curves(run, distance)._asdict()}
            for distance in ([SHOWN_FIRST] if result.knn is None else DISTANCES)  # the first is open at first
        ],
        "loss": loss_curve(run),
        "steps": result.steps or 0,  # where every curve ends
        "points": len(rows),
        "rows": packed(rows.astype(np.uint32)),
        "categories": categories,
        "classes": names,
        "unlabeled": [UNLABELED["light"], UNLABELED["dark"]],
        "texts": [text_of(corpus, row) for row in rows.tolist()] if with_texts else None,
        "characters": CHARACTERS,
        "film": None,
        "maps": None,
    }
    if film is not None:
        among = np.isin(film.rows, rows)
        chosen = evenly(len(film.frames), FRAMES).tolist()
        corners, frames = packed_frames([film.frames[frame][among] for frame in chosen])
        content["film"] = corners | {
            "points": packed(np.searchsorted(rows, film.rows[among]).astype(np.uint32)),
            "frames": [
                {"step": film.facts[frame].step, "note": film.facts[frame].note or None, "at": drawn}
                for frame, drawn in zip(chosen, frames, strict=True)
            ],
        }
    if method:
        among = np.isin(mapped, rows)
        corners, (before, after) = packed_frames([drawn[among] for drawn in maps])
        content["maps"] = corners | {
            "title": map_title(method),
            "accuracy": _accuracy(run, method),
            "of": len(mapped),
            "points": packed(np.searchsorted(rows, mapped[among]).astype(np.uint32)),
            "before": before,
            "after": after,
        }
    return content


def classes_on(corpus: Corpus, rows: np.ndarray) -> tuple[list[list[str]], str]:
    """``[name, light, dark]`` of the largest classes that occur in these rows; and the class of each, packed."""
    named, numbers = shown_names(corpus), shown_numbers(corpus)[rows]
    colours, there = class_colours(named), set(numbers.tolist())
    present = [number for number in range(len(named)) if number in there][:CLASSES]
    classes = [
        [shortened(named[each], 80), *(colours[named[each]][side] for side in ("light", "dark"))] for each in present
    ]
    order = {number: at for at, number in enumerate(present)}
    return classes, packed(np.array([order.get(number, NO_CLASS) for number in numbers.tolist()], np.uint16))


def _accuracy(run: RunFolder, method: str) -> str:
    """kNN accuracy before and after by the distance that the maps were drawn with, and in the picture."""
    both = [read_map_facts(run.map_facts(name, method)) or MapFacts() for name in ("before", "after")]
    knn = accuracy_of(read_result(run), both[1].distance or SHOWN_FIRST)
    if knn is None or both[1].distance is None:
        return ""
    title = f"kNN accuracy ({DISTANCES[knn.distance]}, as the maps are drawn)"
    accuracies = f"{title} {percent(knn.before)} → {percent(knn.after)}"
    before, after = (facts.knn_in_picture for facts in both)
    if before is None or after is None:
        return accuracies
    return f"{accuracies}, in the picture {percent(before)} → {percent(after)}"


TEXTS = 5000
CHARACTERS, TITLE_CHARACTERS = 300, 100
SEED = 0


def texts_in_replay(run: RunFolder, texts: int) -> int:
    """An upper bound on the texts in the file, computed without reading any; 0 for a run without film and maps."""
    probe = probe_of(run)
    drawn = any(run.map("after", method).exists() for method in ALL_MAPS)
    return min(TEXTS, texts) if drawn else 0 if probe is None else len(probe)


def chosen_rows(probe: np.ndarray, mapped: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
    """The probe texts, filled up to 5,000 with texts on the maps, stratified by class.

    probe, mapped: corpus rows -> (texts,), in file order
    """
    probe = probe[:TEXTS]
    more = by_share(np.setdiff1d(mapped, probe), labels, TEXTS - len(probe), np.random.default_rng(SEED))
    return np.sort(np.concatenate([probe, more]).astype(np.int64))


def text_of(corpus: Corpus, row: int) -> list[str]:
    """Title and text, shortened."""
    return [shortened(corpus.title(row), TITLE_CHARACTERS), shortened(corpus.texts[row], CHARACTERS)]


def replay_page(content: Json) -> bytes:
    """One self-contained page: nothing is fetched, and only this script and style may run."""
    scripts = [_source(f"{name}.js") for name in ("decoding", "map", "curves", "player", "main")]
    return one_file_page(
        "Replay of a run", _source("replay.html"), scripts=scripts, style=_source("replay.css"), content=content
    )


def _source(name: str) -> str:
    return (Path(__file__).parent / "browser" / name).read_text(encoding="utf-8")


class DistanceWords(NamedTuple):
    """What is said of a run by one distance."""

    name: str  # of the distance
    verdict: str  # one short line
    further: list[str]  # what belongs to it
    numbers: list[list[str]]


def words_by(run: RunFolder, result: RunResult, distance: Distance) -> DistanceWords:
    """Its verdict, or why there is none; ``numbers`` as ``[name, value, change]``, the reference lines last."""
    if verdict := headline(result, distance):
        further = verdict_details(result, distance)
    else:
        verdict = words_without_knn(run) if result.steps else "Measured as it is: nothing was trained."
        further = []
    return DistanceWords(DISTANCES[distance], verdict, further, _numbers(result, distance))


def settings_line(run: RunFolder, result: RunResult) -> str:
    """``Encoder: MiniLM, recipe: Text crops, 344 steps, batches of 64, learning rate 0.001, seed 0``"""
    settings = settings_of(run)
    parts = [f"Encoder: {encoder_title(result.encoder)}", f"recipe: {recipe_title(result.recipe)}"]
    if saw_labels(run):
        parts.append("trained with labels" if is_supervised(run) else "trained with labels in an earlier phase")
    if result.steps:
        parts.append(f"{result.steps:,} steps")
    if settings.get("batch_size"):
        parts.append(f"batches of {settings['batch_size']:,}")
    rate = result.learning_rate or settings.get("learning_rate")
    if rate and result.steps:
        parts.append(f"learning rate {rate:g}")
    if settings.get("seed") is not None:
        parts.append(f"seed {settings['seed']}")
    return ", ".join(parts)


def _numbers(result: RunResult, distance: Distance) -> list[list[str]]:
    """``[name, value, change]`` in a row: kNN accuracy before and after, and the reference lines."""
    knn = accuracy_of(result, distance)
    if knn is None:
        return []
    change_words = points(knn.after - knn.before) if knn.change is not None else ""
    lines, counted = references_of(result, knn.distance), counted_in(result)
    return [
        [f"kNN accuracy ({DISTANCES[knn.distance]}), before", accuracy(knn.before, knn.standard_error_before), ""],
        ["after", accuracy(knn.after, knn.standard_error), change_words],
        *([baseline_title(key, counted), percent(lines[key].value), ""] for key in REFERENCE_LINES if key in lines),
    ]


LOSSES = 400  # of more rows, means of neighboring ones are told


class AccuracyCurves(NamedTuple):
    """Points are ``[step, value, error, test texts]``, references ``[name, dash, value]``."""

    by: str  # the distance
    line: list[list]
    marks: list[list]  # of all test texts
    references: list[list]  # on the texts of the line
    reference_marks: list[list]
    where: str


def accuracy_curves(run: RunFolder, distance: Distance) -> AccuracyCurves:
    """kNN accuracy during training by this distance, with its reference lines."""
    curve = curve_of(run, distance)
    return AccuracyCurves(
        by=DISTANCES[curve.distance],
        line=_points(curve.line),
        marks=_points(curve.marks),
        references=_lines(curve.references, curve.counted),
        reference_marks=_lines(curve.reference_marks, curve.counted),
        where=curve.where,
    )


def loss_curve(run: RunFolder) -> list[list[float]]:
    """``[step, loss]`` of each row, or of many rows the last step and the mean loss of neighboring ones."""
    rows = [
        [row["step"], row["loss"]]
        for row in read_rows(run.terms)
        if row.get("loss") is not None and math.isfinite(row["loss"])
    ]
    if len(rows) <= LOSSES:
        return rows
    size = math.ceil(len(rows) / LOSSES)
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [[part[-1][0], sum(loss for _, loss in part) / len(part)] for part in parts]


def _points(points: list[CurvePoint]) -> list[list]:
    return [[point.step, point.knn, point.error, point.test_texts] for point in points]


def _lines(references: dict[str, float], counted: str) -> list[list]:
    return [[baseline_title(key, counted), REFERENCE_LINES[key].dash, value] for key, value in references.items()]
