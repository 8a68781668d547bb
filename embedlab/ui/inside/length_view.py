"""The length attack on pairs: histograms of a corpus's short texts, and whether scored pairs keep their order."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from embedlab.corpora.sets.stored import list_sets
from embedlab.damage import read_table
from embedlab.figures.length import copies_read, similarity_histograms
from embedlab.jobs.requests.measuring import AttackScoredPairs
from embedlab.numbers import count, counted, from_to
from embedlab.report.verdict_words import REPEATED, change_in_words, scored_pairs_sentence
from embedlab.runs.evaluations import read_length
from embedlab.runs.folder import SCORED, RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.store_root import read_json_if_whole
from embedlab.ui.components.chart import chart
from embedlab.ui.components.listed_texts import csv_download
from embedlab.ui.components.other_runs import runs_beside
from embedlab.ui.frame.layout import number_row, table_height
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import escaped

KINDS = {"random": "Random pairs", "same_label": "Pairs with the same label"}
_TEXTS = {"titles": "titles", "sentences": "single sentences"}
_MOVED = "Mean change of the cosine, in standard deviations of the random pairs before. 0: length does not matter."
_AUC = (
    "How often a pair with the same label is more similar than a random pair, before → after elongation. 0.5 is "
    "chance. An encoder that gives all texts the same vector does not move either: judge by both numbers."
)
FELT = 0.02  # of a mean cosine: less is called hardly a change


def similarities(path: Path) -> pa.Table:
    """Every cosine: columns ``kind encoder before after effective_copies``."""
    return _read(str(path), path.stat().st_mtime_ns)


@st.cache_resource(max_entries=4, show_spinner=False)
def _read(path: str, changed: int) -> pa.Table:
    return read_table(Path(path))


def cosines(table: pa.Table, *, kind: str, encoder: str) -> dict[str, np.ndarray]:
    """``before``, ``after`` and ``effective_copies`` for one kind of pairs and one encoder. each: (pairs,)"""
    mask = pc.and_(pc.equal(table["kind"], kind), pc.equal(table["encoder"], encoder))
    part = table.filter(mask)
    return {name: part[name].to_numpy() for name in ("before", "after", "effective_copies")}


def robustness_row(run: RunFolder, result: Mapping[str, Any]) -> None:
    """Both encoders: how far similarities move, and whether pairs of one label still stand out; and m."""
    row = number_row()
    for encoder, name in (("untouched", word_of_before(run)), ("tuned", "fine-tuned")):
        values = result["robustness"].get(encoder) or {}
        moved, before, after = (values.get(key) for key in ("change", "auc_before", "auc_after"))
        row.metric(f"Moved, {name}", "–" if moved is None else f"{moved:.2f} sd", help=_MOVED)
        auc = "–" if before is None or after is None else from_to(before, after)
        row.metric(f"AUC, {name}", auc, help=_AUC)
    mean, explained = f"{result['effective_copies']['mean']:.1f}", f"On average. {copies_sentence(result, 'random')}"
    row.metric("Copies m", mean, help=explained)


def answer(run: RunFolder, result: Mapping[str, Any]) -> str:
    """``Repeating a text makes unrelated texts look more alike: mean similarity 0.21 → 0.58 untouched, …``"""
    means = {
        name: (result[encoder]["before"]["mean"], result[encoder]["after"]["mean"])
        for encoder, name in (("tuned", "fine-tuned"), ("untouched", word_of_before(run)))
        if result.get(encoder)
    }
    first = next(iter(means.values()))
    change = first[1] - first[0]
    opening = "Repeating a text hardly changes how similar unrelated texts look"
    if abs(change) >= FELT:
        opening = f"Repeating a text makes unrelated texts look {'more' if change > 0 else 'less'} similar"
    changes = ", ".join(f"{from_to(before, after)} {name}" for name, (before, after) in means.items())
    return f"{opening}: mean similarity {changes}."


def histograms(run: RunFolder, result: Mapping[str, Any], kind: str) -> None:
    """The figure: untouched and fine-tuned, dotted before elongation, filled after; below it the copies that fit."""
    table = similarities(run.similarities)
    untouched, tuned = (cosines(table, kind=kind, encoder=encoder) for encoder in ("untouched", "tuned"))
    chosen = runs_beside(run, lambda other: _has(other, kind), key="length.beside")
    cosines_beside = {
        name: cosines(similarities(other.similarities), kind=kind, encoder="tuned") for name, other in chosen.items()
    }
    figure = similarity_histograms(
        untouched=untouched,
        tuned=tuned,
        copies=copies_range(result, kind),
        beginning=word_of_before(run),
        other_encoders=cosines_beside,
        dark=is_dark(),
    )
    chart(figure, key="length.histograms")
    line = f"{pairs_sentence(result, kind)} {copies_sentence(result, kind)}"
    other_ms = {
        name: copies_range(other_result, kind) for name, other in chosen.items() if (other_result := read_length(other))
    }
    unlike = [
        f"{escaped(name)}: {other_copies}"
        for name, other_copies in other_ms.items()
        if other_copies != copies_range(result, kind)
    ]
    line += f" {'. '.join(unlike)}." if unlike else ""
    st.caption(line)
    with st.expander("The copies m that fit, and every cosine"):
        chart(copies_read(untouched["effective_copies"], dark=is_dark()), key="length.copies")
        csv_download(lambda: table, f"length-{run.id}.csv", "Download every cosine as CSV", key="length.csv")


def _has(run: RunFolder, kind: str) -> bool:
    """Whether its fine-tuned encoder was measured on these pairs."""
    result = read_length(run)
    return result is not None and bool(result.get("tuned")) and (kind == "random" or bool(result["same_label"]))


def of_kind(result: Mapping[str, Any], kind: str) -> Mapping[str, Any]:
    """The result for one kind of measured pairs."""
    return result if kind == "random" else result["same_label"]


def pairs_sentence(result: Mapping[str, Any], kind: str) -> str:
    """``1,000 random pairs of titles.``"""
    number = count(of_kind(result, kind)["pairs"])
    if result["texts"] == "given":
        pairs = f"{number} pairs of {escaped(result.get('file') or 'a file', 80)}"
    else:
        between = "," if kind == "same_label" else " of"
        pairs = f"{number} {KINDS[kind].lower()}{between} {_TEXTS.get(result['texts'], 'short texts')}"
    left_out = result.get("zero_vectors") or 0
    return f"{pairs}; {counted(left_out, 'pair')} left out, because a text has no vector." if left_out else f"{pairs}."


def copies_range(result: Mapping[str, Any], kind: str) -> str:
    """``Every text repeated m = 3 … 17 times, 8.3 on average``"""
    copies = of_kind(result, kind)["effective_copies"]
    if copies["min"] == copies["max"]:
        return f"Every text repeated m = {copies['min']:.0f} times"
    return f"Every text repeated m = {copies['min']:.0f} … {copies['max']:.0f} times, {copies['mean']:.1f} on average"


def copies_sentence(result: Mapping[str, Any], kind: str) -> str:
    """Explains m, the number of copies, and why it differs from the paper's."""
    most = count(result["copies"])
    if of_kind(result, kind)["effective_copies"]["min"] >= result["copies"]:
        return f"m is {most}: this many copies of each text fit."
    return f"m is the largest number up to {most} at which the encoder truncates neither text of the pair."


ASKS = "Does the order of scored pairs survive?"


def scored_section(run: RunFolder, copies: int) -> None:
    """Shows whether scored pairs keep their order; collapsed, the choice of a set or the way to add one."""
    scores, sets = read_scores(run), {info.fingerprint: info for info in list_sets() if "sts" in info.serves}
    if scores is not None:
        _measured(run, scores)
    with st.expander("Measure on other scored pairs" if scores else ASKS):
        if not sets:
            st.write("Add a table with sentence1, sentence2 and score: Evaluate, *Add pairs, queries or candidates*.")
            go_button("Add an evaluation set", "evaluation sets", help="There a set is read once and stored.")
            return
        chosen = st.selectbox(
            "Scored pairs", list(sets), format_func=lambda key: escaped(sets[key].name), key="length.set"
        )
        request = AttackScoredPairs(run=run.id, set=chosen, settings={"copies": copies})
        job_panel(request, start="Measure Spearman", key="length.scores", primary=False)


def read_scores(run: RunFolder) -> dict | None:
    """``scores.json`` of a run, or None if not measured."""
    return read_json_if_whole(run.length_scores)


def scores_table(scores: dict, names: dict[str, str]) -> pa.Table:
    """One row for each way to repeat; each encoder's Spearman and by how much it differs from the texts as they are."""
    columns = {"Texts of a pair": list(REPEATED.values())}
    for encoder, name in names.items():
        values = [scores[encoder][way] for way in REPEATED]
        columns[f"Spearman, {name}"] = [each["value"] for each in values]
        columns[f"change, {name}"] = [
            "" if "change" not in each else change_in_words(each["change"]) for each in values
        ]
    return pa.table(columns)


def _densities(run: RunFolder, scores: dict) -> None:
    """Draws the similarity histograms of the scored pairs."""
    table, copies = similarities(run.scored_similarities), scores["tuned"]["effective_copies"]
    untouched, tuned = (cosines(table, kind=SCORED, encoder=encoder) for encoder in ("untouched", "tuned"))
    if len(untouched["before"]) == 0:
        return
    which = f"Pairs of {escaped(scores['set'], 60)}, every text repeated m = {copies['min']} … {copies['max']} times"
    figure = similarity_histograms(
        untouched=untouched, tuned=tuned, copies=which, beginning=word_of_before(run), dark=is_dark()
    )
    chart(figure, key="length.scored")


def _measured(run: RunFolder, scores: dict) -> None:
    names = {"tuned": "fine-tuned", "untouched": word_of_before(run)}
    st.subheader(escaped(scored_pairs_sentence(scores, names), 400), anchor=False)
    table = scores_table(scores, dict(reversed(names.items())))
    numbers = st.column_config.NumberColumn(format="%.3f")
    formats = dict.fromkeys([name for name in table.column_names if name.startswith("Spearman")], numbers)
    st.dataframe(table, hide_index=True, column_config=formats, height=table_height(table.num_rows))
    _densities(run, scores)
    tuned, copies = scores["tuned"], scores["tuned"]["effective_copies"]
    empty = tuned["zero_vectors"]
    left_out = f" Without a vector, so counted as least similar: {count(empty)}." if empty else ""
    st.caption(
        f"Spearman of the cosine with the scores of {count(tuned['pairs'])} pairs of {escaped(scores['set'])}."
        f"{left_out} m = {copies['min']} … {copies['max']} copies, as many as fit."
    )
