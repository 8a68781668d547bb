"""A comparison as a table: one row per run, untouched encoder and baseline, one column per metric."""

from collections.abc import Iterable

from embedlab.baseline_methods import baseline_title
from embedlab.comparison.best import Comparison, group_by, grouped, measures_of, title_of
from embedlab.comparison.published import Published, place_of, published_beside
from embedlab.comparison.rows import BASELINE, RUN, UNTOUCHED, ComparedRow
from embedlab.comparison.tables import Sheet, TableCell, TableGroup, TableLine
from embedlab.comparison.values import metric_of
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance, is_of_papers
from embedlab.measurement import protocol_in_words
from embedlab.numbers import counted, percent, with_unit
from embedlab.runs.evaluations import CORPUS
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import RunResult, counted_in, read_result, references_of
from embedlab.runs.store import reads_beginnings
from embedlab.statistics.separable import NOT_COMPARED

ALIKE = 1.1  # runs whose texts read differ by less count as trained equally long
MARK = "†"  # trained without the test texts, among runs that were trained on all texts
Papers = dict[str, dict[str, Published]]  # metric -> row -> what a paper prints
Measures = list[tuple[str, Distance | None]]  # metrics, each by a distance if it has several
TRAINED_ON = {"all": "all texts", "train_split": "train split", "labels": "labels"}


def comparison_sheet(
    rows: list[ComparedRow],
    comparison: Comparison,
    *,
    source: str = CORPUS,
    source_name: str = "",
    first: Distance = SHOWN_FIRST,
) -> Sheet:
    """A comparison as a table; one group per corpus, or a single one for an evaluation set.

    A metric that both distances measure has a column for each, the one of ``first`` first. Published values stand
    behind the Euclidean ones, by which the papers computed them.
    """
    measures, marked = [each for metric in comparison for each in measures_of(metric, first)], marks_of(rows)
    papers = {
        metric: {row.key: value for row in rows if (value := published_beside(row, metric))} for metric in comparison
    }
    papers = {metric: values for metric, values in papers.items() if values and source == CORPUS}
    groups = [
        TableGroup(members[0].corpus_name if source == CORPUS else source_name, lines)
        for key, members in grouped(rows, source).items()
        if (lines := [_line(row, key, comparison, measures, papers, marked) for row in members])
    ]
    heads, plain = [], []
    for metric, distance in measures:
        title = title_of(metric, distance)
        published = [f"{title}, published"] if _is_published(metric, distance, papers) else []
        heads += [head_of(metric, distance), *published]
        plain += [title, *published]
    notes = [*notes_of(rows, comparison, papers, first), *why_no_baselines(rows, source)]
    return Sheet(["run"], heads, groups, notes, plain)


def head_of(metric: str, distance: Distance | None = None) -> str:
    """``kNN accuracy (cosine, %)``, ``Title matching (mean rank, lower is better)``"""
    _, _, unit = scale_of(metric)
    if not metric_of(metric).higher_is_better:
        unit = "mean rank, lower is better"
    return with_unit(title_of(metric, distance), unit)


def scale_of(metric: str) -> tuple[float, int, str]:
    """The factor for a metric's values, the number of decimals, and the resulting unit."""
    low, high = metric_of(metric).range
    if (low, high) == (0.0, 1.0):
        return 100.0, 1, "%"
    return (100.0, 1, "×100") if low >= -1 and high <= 1 else (1.0, 1, "")


def marks_of(rows: list[ComparedRow]) -> dict[str, str]:
    """``† `` for each run trained without the test texts, where others used them."""
    trained = {row.trained_on for row in rows if row.trained_on is not None}
    mixed = "train_split" in trained and len(trained) > 1
    return {row.key: f"{MARK} " if mixed and row.trained_on == "train_split" else "" for row in rows}


def notes_of(
    rows: list[ComparedRow], comparison: Comparison, papers: Papers | None = None, first: Distance = SHOWN_FIRST
) -> list[str]:
    """Notes below a table: texts and protocol, level, what was not compared and why, seeds, sources."""
    measures = [each for metric in comparison for each in measures_of(metric, first)]
    notes = _once([(*each, _how(comparison, *each)) for each in measures])
    seeds = {row.seed for row in rows if row.trained_on is not None}
    by_starts = " (for clustering, the standard deviation over its ten starts)" if "clustering" in comparison else ""
    notes.append(f"± is one standard error{by_starts}. {counted(len(seeds), 'seed')} among the runs.")
    notes += _once([(*each, note) for each in measures for note in _not_compared(rows, comparison, *each)])
    notes += trained_on_notes(rows)
    notes += unequal_length(row.texts_read for row in rows if row.kind == RUN)
    notes += lines_on_beginnings(rows, first)
    cited = dict.fromkeys(place_of(value) for values in (papers or {}).values() for value in values.values())
    if cited:
        notes.append(f"Published values use the papers' own settings and test texts: {'; '.join(cited)}.")
    return notes


def trained_on_notes(rows: list[ComparedRow]) -> list[str]:
    """What ``MARK`` means, if a row bears it; otherwise empty."""
    if not any(marks_of(rows).values()):
        return []
    others = "the others on all texts without labels" + (
        ", or on labels" if any(row.saw_labels for row in rows) else ""
    )
    return [f"{MARK} trained on the train split only, {others}."]


def lines_on_beginnings(rows: list[ComparedRow], distance: Distance) -> list[str]:
    """Name the accuracy of TF-IDF on the first tokens, for runs that read no more than those; a sentence per value."""
    runs_by_line: dict[str, list[str]] = {}
    for row in rows:
        run = RunFolder(row.path)
        if row.kind != RUN or not reads_beginnings(run):
            continue
        result = read_result(run)
        line = None if result is None else references_of(result, distance).get("tfidf")
        if result is None or line is None:
            continue
        title = baseline_title("tfidf", counted_in(result))
        reached = f"{title} reaches {percent(line.value)} ({DISTANCES[distance]})"
        runs_by_line.setdefault(reached, []).append(row.name)
    return [f"{reached}: compare {', '.join(names)} with that." for reached, names in runs_by_line.items()]


def unequal_length(texts_read: Iterable[int]) -> list[str]:
    """A sentence if the compared runs were not trained equally long, by the texts that each read; otherwise empty."""
    read = sorted(filter(None, texts_read))
    if not read or read[-1] <= ALIKE * read[0]:
        return []
    return [f"Not trained equally long: the runs read {read[0]:,} to {counted(read[-1], 'text')}."]


def _line(
    row: ComparedRow, group: str, comparison: Comparison, measures: Measures, papers: Papers, marked: dict[str, str]
) -> TableLine:
    cells: list[TableCell] = []
    facts: dict[str, str | float | None] = {}
    for metric, distance in measures:
        compared = group_by(comparison, metric, group, distance)
        entry = compared["rows"].get(row.key)
        scale, digits, _ = scale_of(metric)
        cells.append(TableCell(scale=scale, digits=digits) if entry is None
                     else TableCell(entry["value"], entry["error"], entry["mark"], scale, digits))  # fmt: skip
        if _is_published(metric, distance, papers):
            value = papers[metric].get(row.key)
            cells.append(TableCell(value.share if value else None, scale=scale, digits=digits, is_published=True))
        title, to_best = title_of(metric, distance), {} if entry is None else entry["to_best"] or {}
        facts |= {
            f"{title} n": None if entry is None else entry["n"],
            f"{title} protocol": None if entry is None else entry["protocol"],
            f"{title} minus best": to_best.get("value"),
            f"{title} minus best, low": to_best.get("low"),
            f"{title} minus best, high": to_best.get("high"),
            f"{title} level": compared["level"],
        }
    return TableLine([marked[row.key] + row.name], cells, facts_of(row) | facts)


def facts_of(row: ComparedRow) -> dict[str, str | float | None]:
    """Facts about a row that only the CSV has."""
    return {
        "id": row.path.name,
        "corpus": row.corpus_name,
        "encoder": row.encoder,
        "recipe": row.recipe,
        "seed": row.seed,
        "trained on": TRAINED_ON.get(row.trained_on or ""),
    }


def _is_published(metric: str, distance: Distance | None, papers: Papers) -> bool:
    return metric in papers and is_of_papers(distance)


def _how(comparison: Comparison, metric: str, distance: Distance | None) -> str:
    groups = [group_by(comparison, metric, group, distance) for group in comparison[metric]]
    rows = [row for group in groups for row in group["rows"].values()]
    n = sorted({row["n"] for row in rows if row["n"] is not None})
    protocols = sorted({row["protocol"] for row in rows if row["protocol"]})
    parts = [f"n = {n[0]:,}" if len(n) == 1 else f"n = {n[0]:,} to {n[-1]:,}"] if n else []
    parts += [", ".join(map(protocol_in_words, protocols))] if protocols else []
    for m in sorted({group["compared"] for group in groups if group["level"] is not None}):
        parts.append(f"{m} runs compared pairwise with the best, each at level 5 %/{m - 1} = {5 / (m - 1):.2g} %")
    lower = "" if metric_of(metric).higher_is_better else "lower is better; "
    return lower + ("; ".join(parts) or "not measured")


def _not_compared(rows: list[ComparedRow], comparison: Comparison, metric: str, distance: Distance | None) -> list[str]:
    names = {row.key: row.name for row in rows}
    whys: dict[str, list[str]] = {}
    lacking: list[str] = []
    for key in comparison[metric]:
        group = group_by(comparison, metric, key, distance)
        measured = group_by(comparison, metric, key, EUCLIDEAN)["rows"]
        lacking += [names.get(row, row) for row in measured if row not in group["rows"]]
        for row, entry in group["rows"].items():
            if entry["mark"] == NOT_COMPARED and group["compared"] != 1:
                whys.setdefault(entry["why"], []).append(names.get(row, row))
    sentences = [f"not compared, {why}: {', '.join(entry)}" for why, entry in whys.items()]
    return sentences + ([f"not measured for {', '.join(lacking)}"] if lacking else [])


def _once(notes: list[tuple[str, Distance | None, str]]) -> list[str]:
    """``kNN accuracy by cosine and by Euclidean distance: …`` where the same sentence holds for both."""
    by_note: dict[tuple[str, str], list[Distance | None]] = {}
    for metric, distance, words in notes:
        by_note.setdefault((metric, words), []).append(distance)
    return [f"{title_of(metric, *distances)}: {words}." for (metric, words), distances in by_note.items()]


def why_no_baselines(rows: list[ComparedRow], source: str = CORPUS) -> list[str]:
    """A sentence for each corpus of these rows (or the set ``source``) without TF-IDF; otherwise empty."""
    if source != CORPUS:
        is_there = any(row.kind == BASELINE for row in rows)
        return [] if is_there else ["TF-IDF is missing: it was not measured on this set. Evaluate measures baselines."]
    stored, sentences = {info.fingerprint for info in list_corpora()}, []
    for corpus in dict.fromkeys(row.corpus for row in rows):
        members = [row for row in rows if row.corpus == corpus]
        if not any(row.kind == BASELINE for row in members):
            sentences.append(f"TF-IDF is missing on {members[0].corpus_name}: {_why(members, corpus in stored)}")
    return sentences


def _why(members: list[ComparedRow], is_stored: bool) -> str:
    if not is_stored:
        return "the corpus is no longer in the store, so its reference lines are gone. Add it again."
    runs = [RunFolder(row.path) for row in members if row.kind in (RUN, UNTOUCHED)]
    results = [read_result(run) or RunResult() for run in runs]
    not_measured = "it was not measured yet. Evaluate measures baselines."
    return next((result.why_no_knn for result in results if result.why_no_knn), not_measured)
