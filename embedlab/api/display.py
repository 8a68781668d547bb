"""How a run looks in a notebook: its verdict, its curve and both maps, as HTML without a script."""

from html import escape

import numpy as np

from embedlab.baseline_methods import baseline_title
from embedlab.comparison.siblings import texts_left_out
from embedlab.corpora.base import CORPORA, Corpus, open_corpus
from embedlab.distance import DISTANCES, SHOWN_FIRST
from embedlab.errors import EmbedlabError
from embedlab.figures.curves import live_title
from embedlab.figures.notebook import HOVER_TEXTS, STILL_POINTS, Figure, MapPanel, maps_figure, still_curve, still_maps
from embedlab.jobs.progress import read_progress
from embedlab.map_methods import MAP_METHODS, OWN_MAP, map_title
from embedlab.numbers import counted
from embedlab.palette import MOST_CLASSES, NO_CLASS
from embedlab.progress import stage_line
from embedlab.report.result_lines import imported_lines, run_lines
from embedlab.report.verdict_words import headline
from embedlab.runs.curve import curve_of
from embedlab.runs.drawn_map import DrawnMap, read_map
from embedlab.runs.folder import RunFolder
from embedlab.runs.hand_labels import shown_names, shown_numbers
from embedlab.runs.imported import is_own
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.list_rows import accuracies, accuracy_line
from embedlab.runs.result import read_result
from embedlab.runs.state import State, read_state
from embedlab.runs.store import fingerprint_of, read_rows
from embedlab.training.titles import run_title

SIDES = ("before", "after")


def run_html(run: RunFolder) -> str:
    """A run as HTML: title, state or verdict, SVG curve and maps, and what was measured. All text is escaped."""
    parts = [f"<div><b>{escape(run_title(run))}</b> <small>{escape(run.id)}, {read_state(run).state}</small></div>"]
    parts += [f"<div>{escape(sentence)}</div>" for sentence in run_sentences(run)[:1]]
    curve, pictures = curve_of(run, SHOWN_FIRST), _maps(run)
    if curve.line:
        references = {baseline_title(key, curve.counted): value for key, value in curve.references.items()}
        line = [(point.step, point.knn) for point in curve.line]
        title = live_title(f"kNN accuracy ({DISTANCES[SHOWN_FIRST]})", curve.line)
        pictures = [still_curve(line, title, references=references), *pictures]
    elif losses := [(row["step"], row["loss"]) for row in read_rows(run.terms) if row.get("loss") is not None]:
        pictures = [still_curve(losses, "Loss", are_shares=False), *pictures]  # of a run without labels
    if pictures:
        parts.append(f'<div style="display:flex;flex-wrap:wrap;gap:8px">{"".join(pictures)}</div>')
    parts += [f"<div><small>{escape(sentence)}</small></div>" for sentence in run_sentences(run)[1:]]
    return f'<div style="font-family:system-ui,sans-serif;max-width:1240px">{"".join(parts)}</div>'


def run_sentences(run: RunFolder) -> list[str]:
    """A run in sentences: its verdict or state first, then the lines of the command line."""
    state, result = read_state(run), read_result(run)
    if state.error is not None:
        return [state.error.message]
    if result is None:
        row = read_progress(run) if state.state is State.RUNNING else None
        stage = f": {stage_line(row.stage, row.done, row.total)}" if row else ""
        return [f"This run is {state.state}{stage}."]
    lines = imported_lines(result) if is_own(run) else run_lines(result, texts_left_out(run))
    return [
        headline(result) or result.why_no_knn or accuracy_line(accuracies(result)) or "Nothing was measured.",
        *lines,
    ]


def _maps(run: RunFolder) -> list[str]:
    """Both maps with the first method that has drawn one; nothing if none is drawn, or the corpus is gone."""
    method = next((key for key in (OWN_MAP, *MAP_METHODS.keys()) if drawn_maps(run, key)), None)
    if method is None or not CORPORA.holds(fingerprint_of(run)):
        return []
    try:
        corpus = open_corpus(fingerprint_of(run))
        panels = [_panel(run, side, each, corpus) for side, each in drawn_maps(run, method).items()]
        picture = still_maps(panels, shown_names(corpus))
    except (EmbedlabError, OSError, ValueError):  # a damaged file costs the picture, not the verdict
        return []
    points = max(len(panel.coordinates) for panel in panels)
    some = f", {STILL_POINTS:,} of {counted(points, 'text')}" if points > STILL_POINTS else ""
    return [f"<div>{picture}<br><small>{escape(map_title(method))}{some}</small></div>"]


def drawn_maps(run: RunFolder, method: str) -> dict[str, DrawnMap]:
    """The drawn maps, by side: ``before`` and ``after``."""
    maps = {side: read_map(run.map(side, method)) for side in SIDES}
    return {side: each for side, each in maps.items() if each is not None}


def maps_of_run(run: RunFolder, method: str) -> Figure:
    """Both maps as one plotly figure; hovering shows the beginning of a text."""
    corpus = open_corpus(fingerprint_of(run))
    panels = [_panel(run, side, each, corpus, with_texts=True) for side, each in drawn_maps(run, method).items()]
    return maps_figure(panels, shown_names(corpus), title=f"{map_title(method)} of {corpus.name}, {run_title(run)}")


def _panel(run: RunFolder, side: str, drawn: DrawnMap, corpus: Corpus, *, with_texts: bool = False) -> MapPanel:
    numbers = shown_numbers(corpus)[drawn.rows]
    categories = np.where((numbers >= 0) & (numbers < MOST_CLASSES), numbers, NO_CLASS)
    title = "After fine-tuning" if side == "after" else f"Before: {word_of_before(run)}"
    texts = corpus.texts.at(drawn.rows) if with_texts and len(drawn.rows) <= HOVER_TEXTS else ()
    return MapPanel(title, drawn.coordinates, categories, texts)
