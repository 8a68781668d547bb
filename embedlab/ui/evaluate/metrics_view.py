"""All metrics of a run in one table: untouched, fine-tuned, the change with its interval, and the baselines."""

from math import isfinite

import pyarrow as pa
import streamlit as st

from embedlab.baseline_methods import BASELINE_METHODS, baseline_title
from embedlab.comparison.best import measures_of, title_of
from embedlab.comparison.values import KNN
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import SetInfo, list_sets, open_set
from embedlab.counting import unit_of
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, other_distance
from embedlab.jobs.requests.measuring import EmbedAndEvaluate, Evaluate
from embedlab.measurement import ByDistance, Difference
from embedlab.metrics import METRICS, metrics_like
from embedlab.metrics.base import MetricResult, embeds_parts, takes_scores, why_no_baseline, why_not_served
from embedlab.metrics.split import why_no_knn
from embedlab.numbers import accuracy, count, digits_of_claim, minus, percent
from embedlab.runs.evaluations import CORPUS, DIFFERENCE, Evaluations, States, baselines_beside, evaluations_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.index.find import newest_job
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import as_measured, read_result
from embedlab.runs.state import read_state
from embedlab.runs.vectors import dim_of
from embedlab.ui.components.listed_texts import csv_download
from embedlab.ui.components.own_files import add_set
from embedlab.ui.frame.files import reading_line
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import begin
from embedlab.ui.frame.state import corpus_of
from embedlab.ui.frame.switches import dimensions_choice, shown_distance
from embedlab.ui.frame.text import escaped

TASKS = ("evaluate", "embed_and_evaluate")
SLOW = ("linear", "clustering")  # left to the user: minutes on a large corpus


Measurements = dict[str, States]  # {metric: {before, after, difference, tfidf, …}}


def show_metrics(run: RunFolder) -> None:
    """Shows all measured metrics of the run in one table, and the form that measures more."""
    corpus = corpus_of(run)
    if corpus is None:
        st.info("The corpus of this run is no longer in the store, so nothing more can be measured on it.")
        return
    sets = {info.fingerprint: info for info in list_sets()}
    dim = dim_of(run)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = _source(run, corpus, sets)
        dimensions = None if dim is None else dimensions_choice(dim)
    if source in sets and (report := sets[source].reading) is not None:
        reading_line(report)
    results = measurements(run, corpus.fingerprint, source, BASELINE_METHODS.keys(), dimensions)
    job = _newest_job(run)
    is_at_work = job is not None and not follow_job(job).is_over
    if results.euclidean:
        counted = unit_of(corpus.texts if source == CORPUS else open_set(source).first_texts)
        titles = {key: baseline_title(key, counted) for key in BASELINE_METHODS.keys()}
        _table(run, results, titles, source, dimensions)
    with st.expander("Measure more" if results.euclidean else "Measure", expanded=not results.euclidean):
        metrics, baselines, words = _choice(run, corpus, source, sets)
        missing = [key for key in metrics if _lacks(results.euclidean.get(key, {}), baselines, key)]
        if not is_at_work:
            _start(run, source, dimensions, metrics, missing, baselines, words)
    add_set()


def _source(run: RunFolder, corpus: Corpus, sets: dict[str, SetInfo]) -> str:
    """The run's own corpus, or an evaluation set; a choice only if there is one."""
    names = {CORPUS: f"{corpus.name}, the corpus of this run"}
    names |= {key: f"{info.name} · {_size(info)}" for key, info in sets.items() if not is_own(run)}
    if len(names) == 1:
        return CORPUS
    return st.selectbox(
        "Measure on", list(names), format_func=names.__getitem__, key=f"metrics.source.{run.id}", width=460
    )


def _choice(
    run: RunFolder, corpus: Corpus, source: str, sets: dict[str, SetInfo]
) -> tuple[list[str], list[str], str | None]:
    """Draws the choice of metrics, baselines and word vectors; returns it."""
    served = _served(corpus) if source == CORPUS else metrics_like(sets[source].serves)
    served = (
        [key for key in served if not embeds_parts(METRICS[key])] if is_own(run) else served
    )  # nothing can embed more
    titles = {metric.key: metric.title for metric in METRICS}
    default = [key for key in served if key not in SLOW]
    metrics = st.pills(
        "Metrics",
        served,
        selection_mode="multi",
        default=default,
        format_func=titles.__getitem__,
        key=f"metrics.keys.{run.id}.{source}",
    )
    scored = any(takes_scores(METRICS[key]) for key in metrics)
    names = {each.key: each.title for each in BASELINE_METHODS if each.gives_vectors or scored}
    baselines = st.pills(
        "Baselines to compare with",
        list(names),
        selection_mode="multi",
        default=["tfidf", "svd"],
        format_func=names.__getitem__,
        key=f"metrics.baselines.{run.id}",
        help="What word counts alone achieve. MetricResult once per corpus and stored.",
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


def _served(corpus: Corpus) -> list[str]:
    reason = why_no_knn(corpus.labels, corpus.kept)
    there = {"titles": corpus.titles is not None, "summaries": corpus.has_summaries}
    has = {name for name, is_there in there.items() if is_there}
    no_labels = None if reason is None else reason.message
    return [m.key for m in METRICS if why_not_served(m, name=corpus.name, no_labels=no_labels, has=has) is None]


def _lacks(states: dict, baselines: list[str], metric: str) -> bool:
    """Whether it is unmeasured, or for a chosen baseline that it can measure."""
    able = [key for key in baselines if why_no_baseline(METRICS[metric], BASELINE_METHODS[key]) is None]
    return any(key not in states for key in (*STATES, *able))


def _start(
    run: RunFolder,
    source: str,
    dimensions: int | None,
    metrics: list[str],
    missing: list[str],
    baselines: list[str],
    words: str | None,
) -> None:
    if not metrics:
        st.caption("Choose at least one metric.")
        return
    if not missing:
        return
    waits = source != CORPUS or any(embeds_parts(METRICS[key]) for key in missing)
    kind = EmbedAndEvaluate if waits else Evaluate
    measured = {"metrics": tuple(missing), "baselines": tuple(baselines), "words": words or None}
    request = kind(run=run.id, source=source, dimensions=dimensions, **measured)
    label = "Measure" if len(missing) == len(metrics) else f"Measure the {len(missing)} that are missing"
    st.button(label, key=f"metrics.start.{run.id}", type="primary", on_click=begin, args=(request,))


def _newest_job(run: RunFolder) -> RunFolder | None:
    """The newest job that measures this run; one at work comes first."""
    jobs = [newest_job(kind.task, run=run.id) for kind in (Evaluate, EmbedAndEvaluate)]
    there = [job for job in jobs if job is not None]
    return max(there, key=lambda job: (not read_state(job).is_over, job.id), default=None)


def _table(
    run: RunFolder,
    results: ByDistance[Measurements],
    titles: dict[str, str],
    source: str,
    dimensions: int | None,
) -> None:
    distance = shown_distance()
    table = shown_table(results, titles, beginning=word_of_before(run), first=distance)
    st.dataframe(table, hide_index=True, width="stretch", height=table_height(len(table)))
    st.caption(
        "± is one standard error of the value; the change is paired over the same texts or queries, with its 95 % "
        "interval: ▲ clearly better, ▼ clearly worse. Ranks are better when lower, everything else when higher."
    )
    if dimensions is not None:
        st.caption(f"Only the first {dimensions:,} dimensions of each vector are kept; baselines keep all of theirs.")
    if line := near_duplicates_line(results, distance):
        st.caption(line)
    cut = "" if dimensions is None else f"-{dimensions}"
    name = f"metrics-{run.id}-{source}{cut}.csv"
    csv_download(lambda: numbers_table(results), name, "Download as CSV", key="metrics.csv")


def _size(info: SetInfo) -> str:
    return escaped(", ".join(f"{count(number)} {name}" for name, number in info.counts.items()))


NOTHING = "–"
RANKED = " (mean rank, lower is better)"
STATES = {"before": "untouched", "after": "fine-tuned"}
_COUNTED = {"test_texts": "texts", "pairs": "pairs", "queries": "queries", "candidates": "candidates"}


def measurements(
    run: RunFolder, fingerprint: str, source: str, baselines: list[str], dimensions: int | None = None
) -> ByDistance[Measurements]:
    """Measurements of a run on one source, in display order; ``dimensions``: of its vectors cut to the first so many.

    On its own corpus kNN accuracy is known from training; where it was evaluated since, that wins.
    """
    baseline_runs = {key: Evaluations(baselines_beside(run, fingerprint, source, key)) for key in baselines}
    order = {key: position for position, key in enumerate(METRICS.keys())}

    def measured(distance: Distance) -> Measurements:
        is_trained_on = source == CORPUS and dimensions is None
        from_training = as_measured(read_result(run), distance) if is_trained_on else {}
        results: Measurements = {KNN: from_training} if from_training else {}
        for key, states in evaluations_of(run, dimensions).values(source, distance).items():
            results[key] = {**results.get(key, {}), **states}
        for baseline, evaluations in baseline_runs.items():
            for metric, states in evaluations.values(source, distance).items():
                if metric in results:
                    results[metric][baseline] = states["after"]
        return dict(sorted(results.items(), key=lambda entry: (order[entry[0].partition("/")[0]], entry[0])))

    return ByDistance.of(measured)


def shown_table(
    results: ByDistance[Measurements],
    baselines: dict[str, str],
    *,
    beginning: str = "untouched",
    first: Distance = SHOWN_FIRST,
) -> pa.Table:
    """One row per metric, as text: value ± error for each state, the change with its interval, the baselines.

    A metric that both distances measure has a row for each, that by ``first`` before the other. ``beginning``: what
    the encoder before is called.
    """
    measured = [key for key in baselines if any(key in states for states in results.euclidean.values())]
    rows = [
        (title_of(key, distance), key, results.by(distance or EUCLIDEAN)[key])
        for key in results.euclidean
        for _, distance in measures_of(key, first)
    ]
    columns: dict[str, list[str]] = {"metric": [title + RANKED * is_rank(key) for title, key, _ in rows]}
    for state, name in (STATES | {"before": beginning}).items():
        columns[name] = [value_with_error(key, states.get(state)) for _, key, states in rows]
    columns["change (95 %)"] = [change(key, states.get(DIFFERENCE)) for _, key, states in rows]
    for baseline in measured:
        columns[baselines[baseline]] = [value_with_error(key, states.get(baseline)) for _, key, states in rows]
    columns["measured on"] = [_counted(states) for _, _, states in rows]
    return pa.table(columns)


def numbers_table(results: ByDistance[Measurements]) -> pa.Table:
    """One row per metric, distance and state: the unrounded numbers."""
    names = ("value", "standard_error", "low", "high")
    rows = [
        {"metric": key, "distance": distance, "state": state, **{name: each.as_json().get(name) for name in names}}
        for key in results.euclidean
        for _, distance in measures_of(key, EUCLIDEAN)
        for state, each in results.by(distance or EUCLIDEAN)[key].items()
    ]
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def near_duplicates_line(results: ByDistance[Measurements], first: Distance = SHOWN_FIRST) -> str:
    """kNN accuracy without test texts that nearly repeat a train text; empty if there are none."""
    after = results.euclidean.get(KNN, {}).get("after")
    count = after.facts.get("near_duplicates") if isinstance(after, MetricResult) else None
    if not count:
        return ""
    changes = []
    for distance in (first, other_distance(first)):
        states = [results.by(distance)[KNN].get(state) for state in STATES]
        without = [each.facts.get("without_near_duplicates") for each in states if isinstance(each, MetricResult)]
        values = [percent(value) for value in without if value is not None]
        changes += [f"{' → '.join(values)} ({DISTANCES[distance]})"] if values else []
    repeated = f"{count:,} test texts nearly repeat a train text (TF-IDF cosine 0.9)"
    return f"{repeated}; kNN accuracy without them: {', '.join(changes)}."


def is_rank(key: str) -> bool:
    """Whether the metric is a rank rather than a share."""
    return not METRICS[key.partition("/")[0]].higher_is_better


def value_with_error(key: str, measured: MetricResult | Difference | None) -> str:
    """``58.9 % ± 1.4``, ``rank 12.3 ± 0.5``; a dash if not measured."""
    if not isinstance(measured, MetricResult):
        return NOTHING
    if is_rank(key):
        return f"rank {measured.value:,.1f}" + (f" ± {measured.error:.1f}" if measured.error else "")
    return accuracy(measured.value, measured.error)


def change(key: str, difference: MetricResult | Difference | None) -> str:
    """``+21.5 points (18.9 … 24.0)``, ``−3.0 ranks (−4.0 … −2.0)``, with a sign for whether that is clear: ▲ better,
    ▼ worse, nothing if unclear.
    """
    if not isinstance(difference, Difference) or not isfinite(difference.value):
        return NOTHING
    value, low, high = (
        number * (1 if is_rank(key) else 100) for number in (difference.value, difference.low, difference.high)
    )
    unit = "ranks" if is_rank(key) else "points"
    if not isfinite(high - low):
        return minus(f"{value:+.1f} {unit}")
    clear = "" if low <= 0 <= high else " ▲" if (low > 0) != is_rank(key) else " ▼"
    digits = digits_of_claim(low, high, 1)
    return minus(f"{value:+.{digits}f} {unit} ({low:.{digits}f} … {high:.{digits}f}){clear}")


def _counted(states: States) -> str:
    values = (states.get(name) for name in ("after", *states))
    measured = next((value for value in values if isinstance(value, MetricResult)), None)
    if measured is None or measured.n is None:
        return NOTHING
    drawn = f", drawn from {measured.facts['drawn_from']:,}" if "drawn_from" in measured.facts else ""
    return f"{measured.n:,} {_COUNTED.get(measured.counts, measured.counts)}{drawn}"
