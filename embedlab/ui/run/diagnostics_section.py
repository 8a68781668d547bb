"""Diagnostics: instruments that explain an encoder, untouched and fine-tuned, one at a time."""

import json

import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.diagnostics.base import GEOMETRY, Diagnostic, texts_needed
from embedlab.figures.diagnosed import diagnosed_figure, words_drawn
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.measuring import Diagnose
from embedlab.picture import Picture
from embedlab.report.nearest_texts import text_line
from embedlab.runs.evaluations import Diagnosed, read_diagnosed
from embedlab.runs.example import MINI
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs, newest_job
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.state import read_state
from embedlab.ui.components.built_in import example_needed
from embedlab.ui.components.listed_texts import listed_texts
from embedlab.ui.components.other_runs import is_token, offer_layered, runs_beside
from embedlab.ui.components.run_maps import corpus_gone
from embedlab.ui.frame.files import csv_download, download
from embedlab.ui.frame.layout import chart, escaped, show_table
from embedlab.ui.frame.page import what_am_i_looking_at
from embedlab.ui.frame.progress import follow_job, job_panel, start_once
from embedlab.ui.frame.state import corpus_of, is_dark, linked_choice
from embedlab.ui.run.typed_texts import FIRST, LONGEST, SECOND

ELSEWHERE = ("layers", "length")  # have a view of their own
TOKEN = "This run's encoder is a bare token-embedding layer: its tokens have no context. Choose a run with layers."


def typed_texts(part: type[Diagnostic]) -> list[str] | None:
    """The texts that a reader types for this instrument; None until they are complete."""
    fields = [("Text", FIRST, "a"), ("Other text", SECOND, "b")][: texts_needed(part)]
    with st.popover("Change the text" if len(fields) == 1 else "Change the texts", width="content"):
        texts = [
            st.text_input(label, text, key=f"diagnostics.{key}", max_chars=LONGEST, persist_state="session").strip()
            for label, text, key in fields
        ]
    if not all(texts):
        st.info("Type a text first.")
        return None
    st.caption(" · ".join(f"“{escaped(text, LONGEST)}”" for text in texts))
    return texts


def measured(run: RunFolder, part: type[Diagnostic], group: list[type[Diagnostic]]) -> None:
    """Shows an instrument's result, or the button that measures it; geometry needs no encoder and starts by itself."""
    texts = typed_texts(part) if texts_needed(part) else []
    if texts is None:
        return
    stored = read_diagnosed(run, part.key)
    is_gone = corpus_of(run) is None
    if stored is not None and (stored.texts == texts or is_gone):
        instrument(run, part, stored)
    if is_gone:
        corpus_gone("this instrument can be measured")
        return
    if stored is not None and stored.texts == texts:
        with st.expander("Measure again"):
            request = Diagnose(run=run.id, keys=(part.key,), texts=tuple(texts))
            job_panel(request, start="Measure again", key="diagnostics.again", primary=False)
        return
    if (job := at_work(run, part.key)) is not None:
        follow_job(job)
        return
    missing = [each.key for each in group if not texts_needed(each) and read_diagnosed(run, each.key) is None]
    request = Diagnose(run=run.id, keys=(part.key,) if texts else tuple(missing), texts=tuple(texts))
    if part.group == GEOMETRY and newest_job(Diagnose.task, run=run.id) is None:
        start_once(request)
    label = f"Measure {part.title.lower()}" if len(request.keys) == 1 else f"Measure all of {part.group.lower()}"
    job_panel(request, start=label, key="diagnostics.measure")


def at_work(run: RunFolder, key: str) -> RunFolder | None:
    """The worker now measuring this for the run, perhaps among other things."""
    jobs = (job for job in find_jobs(Diagnose.task, run=run.id) if not read_state(job).is_over)
    return next((job for job in jobs if key in read_request(job, Diagnose).keys), None)


def instruments(run: RunFolder, *, is_example: bool = False) -> None:
    """The instrument and its result; for the example only what came with it."""
    offered = [each for each in DIAGNOSTICS if each.key not in ELSEWHERE]
    titles = {each.key: f"{each.group}: {each.title}" for each in offered}
    part = DIAGNOSTICS[linked_choice("Instrument", titles, key="diagnostics.part", address="instrument", width=420)]
    st.caption(escaped(part.question, 200))
    if is_example:
        if (diagnosed := read_diagnosed(run, part.key)) is not None:
            instrument(run, part, diagnosed)
    elif "context" in part.needs and is_token(run):
        offer_layered(run, TOKEN, key="diagnostics.layered")
        packaged = example_needed(MINI)
        if packaged is not None and (diagnosed := read_diagnosed(packaged, part.key)) is not None:
            instrument(packaged, part, diagnosed)
    else:
        measured(run, part, [each for each in offered if each.group == part.group])
    what_am_i_looking_at(part.sentence, part.paper)


def example() -> None:
    """The packaged example's result until there is a run."""
    run = example_needed(MINI)
    if run is not None:
        instruments(run, is_example=True)


STATES = ("before", "after")
_HEADS = {"nobodys": "never a neighbor", "least": "min", "most": "max"}  # in place of keys that name no number


def instrument(run: RunFolder, part: type[Diagnostic], diagnosed: Diagnosed) -> None:
    """Shows the instrument's result for this run and for others chosen for comparison."""
    if diagnosed.reason:
        st.info(escaped(diagnosed.reason, 500))
        return
    st.subheader(escaped(diagnosed.sentence, 500), anchor=False)
    if diagnosed.fitted:
        st.caption(escaped(diagnosed.fitted, 300))
    key = part.key
    others = runs_beside(run, lambda other: read_diagnosed(other, key) is not None, key=f"diagnostics.beside-{key}")
    encoders = {word_of_before(run): ("before", diagnosed), "fine-tuned": ("after", diagnosed)}
    for name, other in others.items():
        if (result := read_diagnosed(other, key)) is not None and not result.reason:
            encoders[name] = ("after", result)
    drawn = {name: result.pictures.get(state, []) for name, (state, result) in encoders.items()}
    for number in range(max(map(len, drawn.values()), default=0)):
        _picture(part, number, {name: pictures[number] for name, pictures in drawn.items() if number < len(pictures)})
    if part.key == "hubness":
        _hubs(run, diagnosed)
    elif part.key == "readout":
        _ways(diagnosed)
    rows = [  # the plain numbers, one encoder per row; True and False are none
        {"encoder": name}
        | {_HEADS.get(key, key.replace("_", " ")): n for key, n in values.items() if type(n) in (int, float)}
        for name, (state, result) in encoders.items()
        if (values := getattr(result, state))
    ]
    if rows and len(rows[0]) > 1:
        st.table(pa.Table.from_pylist(rows), hide_index=True, alt=f"{part.title} of {len(rows)} encoders.")
    if printed := part.printed:
        st.caption(escaped(printed, 400))
    _downloads(run, part, diagnosed)


def _picture(part: type[Diagnostic], number: int, pictures: dict[str, Picture]) -> None:
    if next(iter(pictures.values())).kind == "words":
        for name, picture in pictures.items():
            st.markdown(f"**{escaped(name)}**")
            svg, alt = words_drawn(picture, dark=is_dark())
            st.image(svg, alt=alt)
        st.caption("Darker: the cosine of the two texts falls more without this word.")
    else:
        chart(diagnosed_figure(pictures, dark=is_dark()), key=f"diagnostics.{part.key}-{number}")


def _hubs(run: RunFolder, diagnosed: Diagnosed) -> None:
    """The texts that are neighbors of most others, after fine-tuning and before."""
    corpus: Corpus | None = corpus_of(run)
    if corpus is None:
        return
    hubs = (diagnosed.after or {}).get("hubs", [])
    rows = [hub["row"] for hub in hubs]
    table = pa.table({
        "row": pa.array(rows, pa.int64()),
        "text": [text_line(corpus, row, 120) for row in rows],
        "label": [corpus.label(row) or "" for row in rows],
        "N₁₀ before": pa.array([hub.get("before") for hub in hubs], pa.int64()),
        "N₁₀ after": pa.array([hub["times"] for hub in hubs], pa.int64()),
    })  # fmt: skip
    st.markdown("**Hubs after fine-tuning**")
    listed_texts(corpus, table, key="diagnostics.hubs", whole=lambda: table, name="hubs.csv", of=len(rows))


def _ways(diagnosed: Diagnosed) -> None:
    """Every read-out, sortable, with those that cannot be told apart from the best."""
    names = ("pooling", "layers", "step", "distance")
    before = {way["name"]: way["value"] for way in (diagnosed.before or {}).get("ways", [])}
    table = pa.Table.from_pylist([
        {name: way[name] for name in names}
        | {"before (%)": _percent(before.get(way["name"])), "after (%)": _percent(way["value"]),
           "± (points)": _percent(way["standard_error"]), "mark": way["mark"]}
        for way in (diagnosed.after or {}).get("ways", [])
    ])  # fmt: skip
    if table.num_rows:
        percent = st.column_config.NumberColumn(format="%.1f")
        columns = dict.fromkeys(("before (%)", "after (%)", "± (points)"), percent)
        show_table(table, alt="kNN accuracy of every way to read the encoder.", formats=columns, most=12)
        csv_download(lambda: table, "readout.csv", "Download CSV", key="diagnostics.readout.csv")


def _percent(share: float | None) -> float | None:
    return None if share is None else round(100 * share, 4)


def _downloads(run: RunFolder, part: type[Diagnostic], diagnosed: Diagnosed) -> None:
    """All results as JSON, and every series of the figures as CSV."""
    name = f"{part.key}-{run.id}"
    with st.expander("Download"), st.container(horizontal=True):
        download(
            "Download as JSON",
            lambda: json.dumps(diagnosed.model_dump(mode="json"), ensure_ascii=False).encode(),
            f"{name}.json",
            key="diagnostics.json",
        )
        if any(diagnosed.pictures.values()):
            label = "Download the picture's data as CSV"
            csv_download(lambda: series_table(diagnosed), f"{name}.csv", label, key="diagnostics.csv")


def series_table(diagnosed: Diagnosed) -> pa.Table:
    """One point per row: encoder, picture, series, x and y."""
    rows = [
        {"encoder": state, "picture": picture.title, "series": series.name, "x": str(x), "y": y}
        for state, pictures in diagnosed.pictures.items()
        for picture in pictures
        for series in picture.series
        for x, y in zip(series.x, series.y, strict=True)
    ]
    return pa.Table.from_pylist(rows)
