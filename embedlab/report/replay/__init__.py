"""A run as one HTML file that replays it offline: values, points in base64, verdict and numbers in words."""

import math
from pathlib import Path
from typing import Any

import numpy as np

from embedlab.baseline_methods import REFERENCE_LINES, baseline_title
from embedlab.corpora.base import Corpus
from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.figures.one_file import one_file_page, packed, packed_frames
from embedlab.map_methods import ALL_MAPS, map_title
from embedlab.measurement import share_error
from embedlab.metrics.shares import by_share
from embedlab.numbers import accuracy, counted, percent, points
from embedlab.palette import UNLABELED, class_colours
from embedlab.plain_text import shortened
from embedlab.plane import evenly
from embedlab.report.nearest_texts import title_of
from embedlab.report.verdict_words import headline, verdict_details
from embedlab.runs.curve import curve_of
from embedlab.runs.drawn_map import MapFacts, read_both_maps, read_map_facts
from embedlab.runs.film_files import Film, probe_of, read_film
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names, shown_numbers
from embedlab.runs.imported import lacking
from embedlab.runs.label_lineage import is_supervised, saw_labels, words_without_knn
from embedlab.runs.result import RunResult, accuracy_of, counted_in, read_result, references_of
from embedlab.runs.store import read_rows, settings_of
from embedlab.training.recipes import recipe_title

FRAMES = 150  # at most; of more, evenly spaced ones are told
NO_CLASS = 65_535
CLASSES = 2_000  # with a name and a colour; texts of further, smaller classes are told as texts without one


def replay_content(run: RunFolder, corpus: Corpus, *, with_texts: bool = True) -> dict[str, Any]:
    """The content of the page. Raises an error if the run has no result."""
    result = read_result(run)
    if result is None:
        raise lacking(run, "E-NO-RESULT", "A replay needs a result", "nothing to replay")
    film, maps = read_film(run), _maps_of(run)
    mapped = maps["rows"] if maps is not None else np.empty(0, np.int64)
    rows = chosen_rows(film.rows if film is not None else np.empty(0, np.int64), mapped, corpus.labels)
    names, categories = classes_on(corpus, rows, CLASSES)
    return {
        **replay_words(run, result),
        "distances": [
            {**words_by(run, result, distance), "curve": accuracy_curves(run, distance)}
            for distance in distances_of(result)
        ],
        **loss_curve(run, result),
        "points": len(rows),
        "rows": packed(rows.astype(np.uint32)),
        "categories": categories,
        "classes": names,
        "unlabeled": [UNLABELED["light"], UNLABELED["dark"]],
        "texts": [text_of(corpus, row) for row in rows.tolist()] if with_texts else None,
        "characters": CHARACTERS,
        "film": _film(film, rows) if film is not None else None,
        "maps": _maps(maps, rows) if maps is not None else None,
    }


def classes_on(corpus: Corpus, rows: np.ndarray, most: int) -> tuple[list[list[str]], str]:
    """``[name, light, dark]`` of the first ``most`` classes that occur in these rows; and the class of each, packed."""
    named, numbers = shown_names(corpus), shown_numbers(corpus)[rows]
    colours, there = class_colours(named), set(numbers.tolist())
    present = [number for number in range(len(named)) if number in there][:most]
    classes = [
        [shortened(named[each], 80), *(colours[named[each]][side] for side in ("light", "dark"))] for each in present
    ]
    order = {number: at for at, number in enumerate(present)}
    return classes, packed(np.array([order.get(number, NO_CLASS) for number in numbers.tolist()], np.uint16))


def _film(film: Film, rows: np.ndarray) -> dict[str, Any]:
    among = np.isin(film.rows, rows)
    places = np.searchsorted(rows, film.rows[among]).astype(np.uint32)
    chosen = evenly(len(film.frames), FRAMES).tolist()
    corners, frames = packed_frames([film.frames[frame][among] for frame in chosen])
    return corners | {
        "points": packed(places),
        "frames": [
            {name: film.facts[frame].get(name) for name in ("step", "note")} | {"at": drawn}
            for frame, drawn in zip(chosen, frames, strict=True)
        ],
    }


def _maps_of(run: RunFolder) -> dict[str, Any] | None:
    """The first method with both maps: its name, and the texts placed on both."""
    for method in ALL_MAPS:
        if (drawn := read_both_maps(run, method)) is not None:
            rows, both = drawn
            return {"title": map_title(method), "accuracy": _accuracy(run, method), "rows": rows, "both": both}
    return None


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


def _maps(maps: dict[str, Any], rows: np.ndarray) -> dict[str, Any]:
    among = np.isin(maps["rows"], rows)
    corners, (before, after) = packed_frames([drawn[among] for drawn in maps["both"]])
    return corners | {
        "title": maps["title"],
        "accuracy": maps["accuracy"],
        "of": len(maps["rows"]),
        "points": packed(np.searchsorted(rows, maps["rows"][among]).astype(np.uint32)),
        "before": before,
        "after": after,
    }


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
    further = np.setdiff1d(mapped, probe)
    more = by_share(further, labels, TEXTS - len(probe), np.random.default_rng(SEED))
    return np.sort(np.concatenate([probe, more]).astype(np.int64))


def text_of(corpus: Corpus, row: int) -> list[str]:
    """Title and text, shortened."""
    return [shortened(title_of(corpus, row), TITLE_CHARACTERS), shortened(corpus.texts[row], CHARACTERS)]


_BROWSER = Path(__file__).parent / "browser"
_SCRIPTS = ("decoding", "map", "curves", "player", "main")


def replay_page(content: dict[str, Any]) -> bytes:
    """One self-contained page: nothing is fetched, and only this script and style may run."""
    scripts = [_source(f"{name}.js") for name in _SCRIPTS]
    return one_file_page(
        "Replay of a run", _source("replay.html"), scripts=scripts, style=_source("replay.css"), content=content
    )


def _source(name: str) -> str:
    return (_BROWSER / name).read_text(encoding="utf-8")


def replay_words(run: RunFolder, result: RunResult) -> dict[str, Any]:
    """``title``, ``corpus`` and ``settings``, a line each: what is the same by every distance."""
    corpus = result.corpus
    classes = f" in {counted(corpus.classes, 'class', 'classes')}" if corpus.classes else ""
    return {
        "title": result.name or f"{encoder_title(result.encoder)} · {recipe_title(result.recipe)}",
        "corpus": f"{corpus.name}, {counted(corpus.texts, 'text')}{classes}",
        "settings": _settings(run, result),
    }


def words_by(run: RunFolder, result: RunResult, distance: Distance) -> dict[str, Any]:
    """``verdict`` (one short line), ``further`` (what belongs to it), ``numbers``, and the ``name`` of the distance."""
    verdict, further = _verdict(run, result, distance)
    return {"name": DISTANCES[distance], "verdict": verdict, "further": further, "numbers": _numbers(result, distance)}


def distances_of(result: RunResult) -> list[Distance]:
    """Distances of a run's kNN accuracy, the one that pages open on first; without labels only that one."""
    return [SHOWN_FIRST] if result.knn is None else list(DISTANCES)


def _verdict(run: RunFolder, result: RunResult, distance: Distance) -> tuple[str, list[str]]:
    if line := headline(result, distance):
        return line, verdict_details(result, distance)
    if not result.steps:
        return "Measured as it is: nothing was trained.", []
    return words_without_knn(run), []


def _settings(run: RunFolder, result: RunResult) -> str:
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
    change_words = points(knn.after - knn.before) if result.steps else ""
    before = accuracy(knn.before, knn.standard_error_before)
    numbers = [[f"kNN accuracy ({DISTANCES[knn.distance]}), before", before, ""]]
    numbers.append(["after", accuracy(knn.after, knn.standard_error), change_words])
    lines = references_of(result, knn.distance)
    counted = counted_in(result)
    return numbers + [
        [baseline_title(key, counted), percent(lines[key].value), ""] for key in REFERENCE_LINES if key in lines
    ]


LOSSES = 400  # of more rows, means of neighboring ones are told


def accuracy_curves(run: RunFolder, distance: Distance) -> dict[str, Any]:
    """``line``, ``references`` on its texts; ``marks``, ``reference_marks`` of all test texts; ``where`` in words.

    Points are ``[step, value, error, test texts]``, references ``[name, dash, value]``.
    """
    curve = curve_of(run, distance)
    return {
        "by": DISTANCES[curve.distance],
        "line": _points(curve.line),
        "marks": _points(curve.marks),
        "references": _lines(curve.references, curve.counted),
        "reference_marks": _lines(curve.reference_marks, curve.counted),
        "where": curve.where,
    }


def loss_curve(run: RunFolder, result: RunResult) -> dict[str, Any]:
    """``loss``: ``[step, loss]``, and ``steps``, where every curve ends."""
    losses = [
        [row["step"], row["loss"]]
        for row in read_rows(run.terms)
        if row.get("loss") is not None and math.isfinite(row["loss"])
    ]
    return {"loss": _thinned(losses), "steps": result.steps or 0}


def _points(rows: list[dict[str, Any]]) -> list[list]:
    return [
        [row["step"], row["knn"], share_error(row["knn"], row.get("test_texts")), row.get("test_texts")] for row in rows
    ]


def _lines(references: dict[str, float], counted: str) -> list[list]:
    return [[baseline_title(key, counted), REFERENCE_LINES[key].dash, value] for key, value in references.items()]


def _thinned(rows: list[list]) -> list[list]:
    if len(rows) <= LOSSES:
        return rows
    size = math.ceil(len(rows) / LOSSES)
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    return [[part[-1][0], sum(loss for _, loss in part) / len(part)] for part in parts]
