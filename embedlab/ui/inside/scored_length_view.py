"""Whether the order of scored pairs survives the length attack: a sentence and a small table, or how to bring pairs."""

import pyarrow as pa
import streamlit as st

from embedlab.corpora.evaluation_sets import list_sets
from embedlab.figures.length import similarity_histograms
from embedlab.jobs.requests.measuring import AttackScoredPairs
from embedlab.report.verdict_words import REPEATED, change_told, scored_told
from embedlab.runs.folder import SCORED, RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.store_root import read_json
from embedlab.ui.components.chart import chart
from embedlab.ui.frame.layout import table_height
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import count, escaped
from embedlab.ui.inside.length_view import cosines, similarities

ASKS = "Does the order of scored pairs survive?"


def scored_section(run: RunFolder, copies: int) -> None:
    """What was measured; folded, on which set to measure it, or how to bring one."""
    found, sets = read_scores(run), {info.fingerprint: info for info in list_sets() if "sts" in info.serves}
    if found is not None:
        _measured(run, found)
    with st.expander("Measure on other scored pairs" if found else ASKS):
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
    """``scores.json`` of a run, or None while nobody measured it."""
    try:
        return read_json(run.length_scores)
    except (FileNotFoundError, ValueError):
        return None


def scores_table(found: dict, names: dict[str, str]) -> pa.Table:
    """One row for each way to repeat; each encoder's Spearman and by how much it differs from the texts as they are."""
    columns = {"Texts of a pair": list(REPEATED.values())}
    for encoder, name in names.items():
        values = [found[encoder][way] for way in REPEATED]
        columns[f"Spearman, {name}"] = [each["value"] for each in values]
        columns[f"change, {name}"] = ["" if "change" not in each else change_told(each["change"]) for each in values]
    return pa.table(columns)


def _densities(run: RunFolder, found: dict) -> None:
    """The same picture as of the corpus's pairs."""
    table, copies = similarities(run.scored_similarities), found["tuned"]["effective_copies"]
    untouched, tuned = (cosines(table, kind=SCORED, encoder=encoder) for encoder in ("untouched", "tuned"))
    if len(untouched["before"]) == 0:
        return
    said = f"Pairs of {escaped(found['set'], 60)}, every text repeated m = {copies['min']} … {copies['max']} times"
    figure = similarity_histograms(
        untouched=untouched, tuned=tuned, copies=said, beginning=word_of_before(run), dark=is_dark()
    )
    chart(figure, key="length.scored")


def _measured(run: RunFolder, found: dict) -> None:
    names = {"tuned": "fine-tuned", "untouched": word_of_before(run)}
    st.subheader(escaped(scored_told(found, names), 400), anchor=False)
    table = scores_table(found, dict(reversed(names.items())))
    numbers = st.column_config.NumberColumn(format="%.3f")
    shown = dict.fromkeys([name for name in table.column_names if name.startswith("Spearman")], numbers)
    st.dataframe(table, hide_index=True, column_config=shown, height=table_height(table.num_rows))
    _densities(run, found)
    told, copies = found["tuned"], found["tuned"]["effective_copies"]
    empty = told["zero_vectors"]
    left_out = f" Without a vector, so counted as least similar: {count(empty)}." if empty else ""
    st.caption(
        f"Spearman of the cosine with the scores of {count(told['pairs'])} pairs of {escaped(found['set'])}.{left_out} "
        f"m = {copies['min']} … {copies['max']} copies, as many as fit."
    )
