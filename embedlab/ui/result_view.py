"""What a run found: the verdict, kNN accuracy before and after between the reference lines, and both maps."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.metrics.distance import DISTANCES, other_distance
from embedlab.runs.accuracy import Accuracy, accuracy_of, references_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import name_of_before, word_of_before
from embedlab.runs.own import OWN_MAP, has_only_places, own_files
from embedlab.runs.state import read_state
from embedlab.runs.store import read_result
from embedlab.ui.coordinates import RunMap, categories_of, load_map, morph
from embedlab.ui.distance import by_distance, shown_distance
from embedlab.ui.film_view import film_of, film_section, live_map
from embedlab.ui.map_view import map_view
from embedlab.ui.moved_summary import moved_summary
from embedlab.ui.numbers import number_row
from embedlab.ui.pair import pair
from embedlab.ui.phases import phases
from embedlab.ui.progress import follow_job, job_for
from embedlab.ui.state import colours_of, corpus_of, start_once
from embedlab.ui.text import accuracy, count, duration, escaped, percent
from embedlab.ui.verdict_view import TRAINED_ON, verdict
from embedlab.ui.words_explained import words_explained

_REFERENCES = {
    "tfidf": ("TF-IDF", "Weighted word counts, no training."),
    "svd": ("TF-IDF → SVD-100", "The same, in 100 dimensions."),
}
_ALIKE = "Its rows have length one, so cosine and Euclidean distance find the same neighbors."
METHODS = {"tsne": "t-SNE", "umap": "UMAP", "pca": "PCA"}
TITLES = {"before": "Before: untouched", "after": "After: fine-tuned"}


def titles_of(run: RunFolder) -> tuple[str, str]:
    """What stands above the left and the right map; of a brought run the names of its files."""
    files = own_files(run)
    if not files:
        return f"Before: {word_of_before(run)}", TITLES["after"]
    first = files.get("before") or files["coordinates"]
    second = files.get("after") or files.get("coordinates_after")
    return (first, first) if second is None else (f"Before: {first}", f"After: {second}")


def show_result(run: RunFolder) -> None:
    """The sentence, the numbers, the maps; while all labelled texts are still told, how far that is."""
    result = read_result(run)
    if result is None:
        return
    if not read_state(run)["state"].is_over:
        follow_job(run, stop="Skip the ten folds")
    verdict(run, result)
    words_explained(run)
    numbers(run, result)
    map_pair(run, result)
    moved_summary(run)
    film_section(run)
    remarks(result)


def numbers(run: RunFolder, result: dict) -> None:
    """kNN accuracy before → after ± error by the shown distance, the reference lines, and what it took, in one row."""
    knn, row = accuracy_of(result, shown_distance()), number_row()
    if knn is not None:
        other = accuracy_of(result, other_distance(knn.distance))
        tested = f"± one standard error, {count(knn.test_texts)} test texts, k = {knn.k}"
        first = (result.get("files") or {}).get("before", name_of_before(run).capitalize())
        value = accuracy(knn.before, knn.standard_error_before)
        explained = escaped(f"{first}. {tested}. {_beside(other, knn, 'before')}", 300)
        row.metric(f"kNN accuracy {by_distance(knn.distance)}, before", value, help=explained)
        value = accuracy(knn.after, knn.standard_error)
        change = knn.after - knn.before if result.get("verdict") else None
        row.metric("after", value, change, help=escaped(f"{tested}. {_beside(other, knn, 'after')}", 300))
        for name, (value, error) in references_of(result, knn.distance).items():
            title, explained = _REFERENCES.get(name, (name, ""))
            explained = f"kNN accuracy of a reference, ± {100 * error:.1f}. {explained} {_ALIKE}"
            row.metric(title, percent(value), help=explained)
    took = f"{count(result['steps'])} steps on {count(result['usable_texts'])} usable texts"
    took = took if result["steps"] else "Nothing was trained"
    row.metric("Took", duration(result["seconds"]), help=f"{took}, measuring included.")


def _beside(other: Accuracy, shown: Accuracy, side: str) -> str:
    """What it is by the other distance, where the run has that."""
    if other.distance == shown.distance:
        return f"Measured by {DISTANCES[shown.distance]} only."
    return f"Here by {DISTANCES[shown.distance]}; it is {other.said(side)}."


def map_pair(run: RunFolder, result: dict, *, method: str = "tsne", height: int = 430, plays: bool = False) -> None:
    """Before and after side by side, or where their drawing stands; ``plays``: the slider moves once by itself."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The corpus of this run is no longer in the store, so its maps cannot be drawn.")
        return
    if has_only_places(run):
        method = OWN_MAP
    both = [load_map(run, name, method) for name in ("before", "after")]
    if None in both:
        _wait_for_maps(run, method)
        _first_pictures(run, corpus, result, both[0], method, height)
        return
    knn = accuracy_of(result, shown_distance())
    corners = ["" if knn is None else f"kNN accuracy {knn.said(name)}" for name in ("before", "after")]
    told = list(zip(titles_of(run), corners, strict=True))
    sides = zip(pair("result"), ("before", "after"), both, told, strict=True)
    for place, name, drawn, (title, corner) in sides:
        with place:
            ends = morph(titles_of(run), *both) if name == "after" and both[0] is not both[1] else ()
            shown = {"name": name, "title": title, "corner": corner, "height": height, "method": method}
            _map(run, corpus, drawn, frames=ends, told=told if ends else (), plays=plays and bool(ends), **shown)


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
    frames=(),
    told=(),
    plays: bool = False,
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
        still=not names,  # a browser draws sixteen others at a time
        frames=frames,
        told=told,
        plays=plays,
        height=height,
    )


def map_caption(drawn: RunMap, corpus: Corpus, method: str) -> str:
    """``t-SNE, seed 42, 11,024 of 11,024 texts``"""
    seed = drawn.facts.get("seed")
    parts = [drawn.facts.get("file") or METHODS.get(method, method), f"seed {seed}" if seed is not None else ""]
    shown = f"{count(len(drawn.rows))} of {count(corpus.info.texts)} texts"
    parts.append(f"preview of {shown}" if drawn.facts.get("preview") else shown)
    if drawn.facts.get("approximate"):
        recall, queries = percent(drawn.facts["recall_15"]), count(drawn.facts["queries"])
        parts.append(f"neighbors approximate, recall@15 {recall} on {queries} texts")
    return ", ".join(part for part in parts if part)


def _wait_for_maps(run: RunFolder, method: str) -> None:
    job = job_for("map", run=run.id, method=method)
    if job is None or follow_job(job).is_over:
        asked = {"run": run.id, "method": method}
        st.button("Draw the maps", key=f"draw-{run.id}", on_click=start_once, args=("map", asked))


def _first_pictures(
    run: RunFolder, corpus: Corpus, result: dict, before: RunMap | None, method: str, height: int
) -> None:
    """Until both maps are there: the map before, where it is drawn, and the film's last frame."""
    knn, sides = accuracy_of(result, shown_distance()), pair("first")
    if before is not None:
        with sides[0]:
            corner = "" if knn is None else f"kNN accuracy {knn.said('before')}"
            shown = {"name": "before", "title": titles_of(run)[0], "corner": corner, "height": height}
            _map(run, corpus, before, method=method, **shown)
    if film_of(run) is not None:
        with sides[1]:
            live_map(run)


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
