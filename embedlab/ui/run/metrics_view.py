"""All metrics of a run in one table: untouched, fine-tuned, the change with its interval, and the baselines."""

import streamlit as st

from embedlab.baseline_methods import BASELINE_METHODS, baseline_title
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import SetInfo, list_sets, open_set
from embedlab.counting import unit_of
from embedlab.measurement import ByDistance
from embedlab.metrics import METRICS, metrics_like
from embedlab.metrics.base import why_no_baseline, why_not_served
from embedlab.metrics.split import why_no_knn
from embedlab.report.evaluation_jobs import evaluation, newest_evaluation
from embedlab.report.metric_tables import (
    STATES,
    Measurements,
    measurements,
    near_duplicates_line,
    numbers_table,
    shown_table,
)
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import RunResult, counted_in, read_result
from embedlab.runs.store import reads_beginnings
from embedlab.runs.vectors import dim_of
from embedlab.ui.components.own_files import add_set
from embedlab.ui.frame.files import csv_download, reading_line
from embedlab.ui.frame.layout import escaped, show_table
from embedlab.ui.frame.progress import begin, follow_job
from embedlab.ui.frame.state import corpus_of, dimensions_choice, named, shown_distance

TASKS = ("evaluate", "embed_and_evaluate")
SLOW = ("linear", "clustering")  # left to the user: minutes on a large corpus


def show_metrics(run: RunFolder) -> None:
    """Shows all measured metrics of the run in one table, and the form that measures more."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The corpus of this run is no longer in the store, so nothing more can be measured on it.")
        return
    sets = {info.fingerprint: info for info in list_sets()}
    dim = dim_of(run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = {CORPUS: f"{corpus.name}, the corpus of this run"}
        names |= {key: f"{info.name} · {escaped(info.sizes)}" for key, info in sets.items() if not is_own(run)}
        source = CORPUS
        if len(names) > 1:  # there is an evaluation set to choose instead
            source = st.selectbox("Measure on", key=f"metrics.source.{run.id}", width=460, **named(names))
        dimensions = None if dim is None else dimensions_choice(dim)
    if source in sets and (report := sets[source].reading) is not None:
        reading_line(report)
    if source == CORPUS and (reason := _why_no_knn(run, corpus)):
        st.info(escaped(reason, 300))
    results = measurements(run, corpus.fingerprint, source, BASELINE_METHODS.keys(), dimensions)
    job = newest_evaluation(run.id)
    is_at_work = job is not None and not follow_job(job).is_over
    if results.either:
        counted = unit_of(corpus.texts if source == CORPUS else open_set(source).first_texts)
        titles = {key: baseline_title(key, counted) for key in BASELINE_METHODS.keys()}
        _table(run, results, titles, source, dimensions)
    with st.expander("Measure more" if results.either else "Measure", expanded=not results.either):
        metrics, baselines, words = _choice(run, corpus, source, sets)
        missing = [key for key in metrics if _lacks(results.either.get(key, {}), baselines, key)]
        if not is_at_work:
            _start(run, source, dimensions, metrics, missing, baselines, words)
    add_set()


def _why_no_knn(run: RunFolder, corpus: Corpus) -> str:
    """Why its labels do not suffice, or why the run found no text to test; empty if kNN accuracy can be measured."""
    reason = why_no_knn(corpus.labels, corpus.kept)
    return (read_result(run) or RunResult()).why_no_knn if reason is None else reason.message


def _choice(
    run: RunFolder, corpus: Corpus, source: str, sets: dict[str, SetInfo]
) -> tuple[list[str], list[str], str | None]:
    """Draws the choice of metrics, baselines and word vectors; returns it."""
    if source == CORPUS:
        there = {"titles": corpus.titles is not None, "summaries": corpus.has_summaries}
        has = {name for name, is_there in there.items() if is_there}
        no_labels = _why_no_knn(run, corpus) or None
        served = [m.key for m in METRICS if why_not_served(m, name=corpus.name, no_labels=no_labels, has=has) is None]
    else:
        served = metrics_like(sets[source].serves)
    if is_own(run):  # nothing can embed more
        served = [key for key in served if not METRICS[key].reads.embeds_parts]
    metrics = st.pills(
        "Metrics",
        selection_mode="multi",
        default=[key for key in served if key not in SLOW],
        key=f"metrics.keys.{run.id}.{source}",
        **named({key: METRICS[key].title for key in served}),
    )
    scored = any(METRICS[key].reads.takes_scores for key in metrics)
    names = {each.key: each.title for each in BASELINE_METHODS if each.gives_vectors or scored}
    baselines = st.pills(
        "Baselines to compare with",
        selection_mode="multi",
        default=["tfidf", "svd"],
        key=f"metrics.baselines.{run.id}",
        help="What word counts alone achieve. Measured once per corpus and stored.",
        **named(names),
    )
    words = None
    if any(BASELINE_METHODS[key].needs_words for key in baselines):
        words = st.text_input(
            "Word vectors",
            key="metrics.words",
            placeholder="/home/me/glove.6B.300d.txt",
            width=460,
            help="A file in GloVe or word2vec format on this computer.",
        ).strip()
    return metrics, baselines, words


def _lacks(states: dict, baselines: list[str], metric: str) -> bool:
    """Whether it is unmeasured, or for a chosen baseline that it can measure."""
    able = [key for key in baselines if why_no_baseline(METRICS[metric], BASELINE_METHODS[key]) is None]
    return any(key not in states for key in (*STATES, *able))


def _start(
    run: RunFolder, source: str, dimensions: int | None, metrics: list[str], missing: list[str], baselines: list[str],
    words: str | None,
) -> None:  # fmt: skip
    if not metrics:
        st.caption("Choose at least one metric.")
        return
    if not missing:
        return
    measured = {"baselines": tuple(baselines), "words": words or None, "dimensions": dimensions}
    request = evaluation(run.id, source, missing, **measured)
    label = "Measure" if len(missing) == len(metrics) else f"Measure the {len(missing)} that are missing"
    st.button(label, key=f"metrics.start.{run.id}", type="primary", on_click=begin, args=(request,))


def _table(
    run: RunFolder, results: ByDistance[Measurements], titles: dict[str, str], source: str, dimensions: int | None
) -> None:
    distance = shown_distance()
    table = shown_table(results, titles, beginning=word_of_before(run), first=distance)
    show_table(table, alt="Every metric of this run, one per row.")
    st.caption(
        "± is one standard error of the value; the change is paired over the same texts or queries, with its 95 % "
        "interval: ▲ clearly better, ▼ clearly worse. Ranks are better when lower, everything else when higher."
    )
    if dimensions is not None:
        st.caption(f"Only the first {dimensions:,} dimensions of each vector are kept; baselines keep all of theirs.")
    result = read_result(run)
    if source == CORPUS and result is not None and reads_beginnings(run):
        st.caption(
            f"For kNN accuracy TF-IDF counts {counted_in(result)}, as this run does; for other metrics, whole texts."
        )
    if line := near_duplicates_line(results, distance):
        st.caption(line)
    csv_download(
        lambda: numbers_table(results),
        f"metrics-{run.id}-{source}{'' if dimensions is None else f'-{dimensions}'}.csv",
        "Download as CSV",
        key="metrics.csv",
    )
