"""What a run found: the verdict, kNN accuracy before and after between the reference lines, and both maps."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_result
from embedlab.ui.coordinates import RunMap, categories_of, load_map
from embedlab.ui.map_view import map_view
from embedlab.ui.numbers import number_row
from embedlab.ui.pair import pair
from embedlab.ui.phases import phases
from embedlab.ui.progress import follow_job, job_for
from embedlab.ui.state import colours_of, corpus_of, start_once
from embedlab.ui.text import accuracy, count, duration, escaped, percent
from embedlab.ui.verdict_view import TRAINED_ON, verdict

_REFERENCES = {
    "tfidf": ("TF-IDF", "Weighted word counts, no training."),
    "svd": ("TF-IDF → SVD-100", "The same, in 100 dimensions."),
}
METHODS = {"tsne": "t-SNE", "umap": "UMAP", "pca": "PCA"}


def show_result(run: RunFolder) -> None:
    """The sentence, the numbers, the maps."""
    result = read_result(run)
    if result is None:
        return
    verdict(run, result)
    numbers(result)
    map_pair(run, result)
    remarks(result)


def numbers(result: dict) -> None:
    """kNN accuracy before → after ± error, the reference lines, and what it took, in one row."""
    knn, row = result["knn"], number_row()
    if knn is not None:
        opened = knn["best"] if result["stopped"] else knn["after"]
        tested = f"{count(knn['test_texts'])} test texts, k = {knn.get('k', 10)}, Euclidean distance."
        row.metric("kNN accuracy before", percent(knn["before"]), help=f"The untouched encoder. {tested}")
        change = opened - knn["before"] if result["steps"] else None
        explained = f"± one standard error. {tested}"
        row.metric("after", accuracy(opened, knn["standard_error"]), change, help=explained)
        for name, line in result["references"].items():
            title, explained = _REFERENCES.get(name, (name, ""))
            row.metric(title, percent(line["value"]), help=f"kNN accuracy of a reference: {explained}")
    took = f"{count(result['steps'])} steps on {count(result['usable_texts'])} usable texts"
    row.metric("Took", duration(result["seconds"]), help=f"{took}, measuring included.")


def map_pair(run: RunFolder, result: dict, *, method: str = "tsne", height: int = 430) -> None:
    """Before and after side by side, or where their drawing stands."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The corpus of this run is no longer in the store, so its maps cannot be drawn.")
        return
    both = [load_map(run, name, method) for name in ("before", "after")]
    if None in both:
        _wait_for_maps(run, method)
        return
    knn = result["knn"]
    opened = None if knn is None else knn["best"] if result["stopped"] else knn["after"]
    values = (None, None) if knn is None else (knn["before"], opened)
    for place, name, drawn, value in zip(pair("result"), ("before", "after"), both, values, strict=True):
        with place:
            corner = f"kNN accuracy {accuracy(value, knn['standard_error'])}" if value is not None else ""
            title = "Before: untouched" if name == "before" else "After: fine-tuned"
            _map(run, corpus, drawn, name=name, title=title, corner=corner, height=height, method=method)


def small_map(
    run: RunFolder, corpus: Corpus, *, title: str, corner: str, height: int = 230, method: str = "tsne"
) -> bool:
    """The map after, small and without names; False where it is not drawn."""
    drawn = load_map(run, "after", method)
    if drawn is not None:
        _map(run, corpus, drawn, name="small", title=title, corner=corner, height=height, method=method, names=False)
    return drawn is not None


def _map(
    run,
    corpus: Corpus,
    drawn: RunMap,
    *,
    name: str,
    title: str,
    corner: str,
    height: int,
    method: str,
    names: bool = True,
):
    colours = colours_of(corpus)
    map_view(
        key=f"{name}-{method}-{run.id}",
        coordinates=drawn.coordinates,
        categories=categories_of(corpus, drawn.rows),
        class_names=list(colours),
        colours=list(colours.values()),
        row_ids=drawn.rows,
        names_on_map=names,
        title=title,
        corner=corner,
        caption=map_caption(drawn, corpus, method) if names else "",
        corpus=corpus.fingerprint,
        group=f"{name if not names else 'pair'}-{run.id}",
        legend=False,
        link_zoom=names,
        height=height,
    )


def map_caption(drawn: RunMap, corpus: Corpus, method: str) -> str:
    """``t-SNE, seed 42, 11,024 of 11,024 texts``"""
    seed = drawn.facts.get("seed")
    parts = [METHODS.get(method, method), f"seed {seed}" if seed is not None else ""]
    parts.append(f"{count(len(drawn.rows))} of {count(corpus.info.texts)} texts")
    return ", ".join(part for part in parts if part)


def _wait_for_maps(run: RunFolder, method: str) -> None:
    job = job_for("map", run=run.id, method=method)
    if job is None or follow_job(job).is_over:
        asked = {"run": run.id, "method": method}
        st.button("Draw the maps", key=f"draw-{run.id}", on_click=start_once, args=("map", asked))


def remarks(result: dict) -> None:
    """What was warned of, and which step is kept."""
    for notice in result.get("notices", ()):
        st.warning(escaped(f"Seen at step {count(notice['step'])}: {notice['message']}", 700))
    if result.get("lineage"):
        st.caption(escaped(f"Started from the encoder of {phases(result['lineage'])}.", 400))
    with_verdict = {TRAINED_ON} if result.get("verdict") else set()
    lines = [warning["message"] for warning in result["warnings"] if warning.get("code") not in with_verdict]
    if result["stopped"] and result.get("kept"):
        lines.insert(0, result["kept"]["reason"])
    for line in lines:
        st.caption(escaped(line, 400))
