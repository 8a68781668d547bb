"""The chosen runs of Compare: the choice in the address, warnings, and their curves."""

import streamlit as st

from embedlab.comparison.curves import Overlay, Race, RaceField, field_of, overlay, race_of
from embedlab.comparison.sheet import MARK, unequal_length
from embedlab.figures.curves import X_NAMES
from embedlab.figures.run_curves import overlaid_curves, race_curves
from embedlab.jobs.progress import worked_beside
from embedlab.report.run_rows import corpora_of, curves_of, mixes_training_texts
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.result import RunResult, read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import corpus_key
from embedlab.ui.frame.layout import chart, escaped, fragment, smoothing_choice
from embedlab.ui.frame.state import (
    COMPARED_RUNS,
    RUNS_VIEW,
    by_distance,
    is_dark,
    one_of,
    picked_run,
    several_of,
    shown_distance,
)

MOST = 24  # runs in one table
CURVES = 6  # curves that can still be told apart
KEY, IN_URL, IN_ADDRESS = COMPARED_RUNS, "compare.runs_in_url", "runs"
VIEW_KEY = RUNS_VIEW
VIEWS = {
    "table": "Table",
    "glance": "At a glance",
    "metrics": "Metrics",
    "side": "Side by side",
    "maps": "Maps",
    "curves": "Curves",
    "recipes": "Recipe × corpus",
    "studies": "Studies",
}
RACING = "compare.racing"
_PLAY = "The lines grow together over the recorded seconds of training, up to the end of the shortest run."
_CLOCK = "The clock is the recorded time of training, without evaluations: the same runs always give the same race."


def choose_runs(runs: list[RunFolder], names: dict[str, str]) -> list[RunFolder]:
    """Up to 24 of these runs; their ids are in the address, so that a comparison is a link."""
    by_id = {run.id: run for run in runs}
    address = st.query_params.get(IN_ADDRESS)
    if address is not None and address != st.session_state.get(IN_URL):
        st.session_state[KEY] = [run_id for run_id in dict.fromkeys(address.split(",")) if run_id in by_id][:MOST]
    first: list[str] = []
    if KEY not in st.session_state:  # the picked run and the newest others on its corpus
        picked = picked_run() or runs[0]
        same = [run for run in runs if corpus_key(run) == corpus_key(picked) and (run.metrics.exists() or is_own(run))]
        first = [picked.id, *(run.id for run in same if run.id != picked.id)][:CURVES]
    chosen = several_of("Runs", names, key=KEY, first=first, max_selections=MOST,
                        placeholder=f"Choose up to {MOST} runs")  # fmt: skip
    st.query_params[IN_ADDRESS] = st.session_state[IN_URL] = ",".join(chosen)
    return [by_id[run_id] for run_id in chosen]


def cautions(chosen: list[RunFolder]) -> None:
    """Warns about runs that must not be compared, or only with care; tables separate corpora by themselves."""
    corpora = corpora_of([run for run in chosen if run.metrics.exists()])
    if len(corpora) > 1:
        named = ", ".join(corpora.values())
        st.warning(escaped(f"These runs are on different corpora ({named}): their accuracies cannot be compared.", 400))
    if mixes_training_texts(chosen):
        st.caption(
            f"{MARK} trained on the train split only. The others were trained on all texts, including the test texts "
            f"(without labels), which alone adds about 2 points in the crops paper."
        )
    for sentence in unequal_length((read_result(run) or RunResult()).texts_read for run in chosen):
        st.caption(sentence)


def curves(chosen: list[RunFolder], names: dict[str, str], x: str, field: RaceField, smoothing: float) -> None:
    """The curves of the first six; updated while one of the runs is at work."""
    if len(chosen) > CURVES:
        st.caption(f"The first {CURVES} of the {len(chosen)} runs are drawn: more curves would be hard to distinguish.")
        chosen = chosen[:CURVES]
    grey = {run.id for run in field.grey} if x == "seconds" else set()
    if any(not read_state(run).is_over for run in chosen):
        fragment(_growing, run_every=2, key="compare.growing")(chosen, names, x, grey, smoothing)
    else:
        _draw(chosen, names, x, grey, smoothing)


def race_or_curves(chosen: list[RunFolder], names: dict[str, str]) -> None:
    """The curves, or once Play is pressed the race; where it would be unfair, what differs."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first, distance = chosen[:CURVES], shown_distance()
        field = field_of(first, names, distance)
        is_racing = st.session_state.get(RACING, False) and field.is_race
        x = one_of("Over", X_NAMES, key="compare.x", first="step") if not is_racing else ""
        smoothing = smoothing_choice("compare.smoothing") if not is_racing else 0.0
        if len(chosen) > 1:
            label = "All of the curves" if is_racing else "Play"
            st.button(label, key="compare.play", on_click=st.session_state.update, args=({RACING: not is_racing},),
                      disabled=not field.is_race, help=_PLAY if field.is_race else None)  # fmt: skip
    if is_racing:
        _race(race_of(field, names, distance), overlay(field.fair, names, distance))
        return
    if len(chosen) > 1 and field.reasons:
        sentence = f"Play needs runs that were trained under the same conditions. {' '.join(field.reasons)}"
        st.caption(escaped(sentence, 900))
    curves(chosen, names, x, field, smoothing)


def _race(race: Race, lines: Overlay) -> None:
    """The lines grow over the recorded training clock and end with the verdict."""
    drawn, grey = (
        [(line.name, line.seconds.tolist(), line.knn.tolist()) for line in lines] for lines in (race.lines, race.grey)
    )
    by = by_distance(race.distance)
    figure = race_curves(
        drawn, grey=grey, end=race.end, references=lines.references, counted=lines.counted, by=by, alt=race.at_the_end,
        dark=is_dark(),
    )  # fmt: skip
    verdicts = [race.at_the_end, f"The kept encoders {by}: {' '.join(race.verdicts)}"]
    chart(
        figure, key="compare.race", race={"lines": len(drawn), "grey": len(grey), "end": race.end, "verdicts": verdicts}
    )
    remarks = [_CLOCK, *race.remarks]
    for line in race.lines:
        if jobs := worked_beside(line.run):
            remarks.append(f"{line.name} trained while other jobs ran ({', '.join(jobs)}): its clock may run slow.")
    st.caption(escaped(" ".join(remarks), 1200))


def _growing(chosen: list[RunFolder], names: dict[str, str], x: str, grey: set[str], smoothing: float) -> None:
    if all(read_state(run).is_over for run in chosen):
        st.rerun()
    _draw(chosen, names, x, grey, smoothing)


def _draw(chosen: list[RunFolder], names: dict[str, str], x: str, grey: set[str], smoothing: float) -> None:
    distance = shown_distance()
    overlaid, identity = curves_of(chosen, names, distance), ",".join(run.id for run in chosen)
    if not any(line or marks for _, line, marks in overlaid.curves):
        results = [result for run in chosen if (result := read_result(run)) is not None]
        reasons = dict.fromkeys(f"{each.reason_without_knn}." for each in results if each.why_no_knn)
        st.info(escaped(" ".join(["None of these runs has measured kNN accuracy yet.", *reasons]), 700))
        return
    figure = overlaid_curves(
        overlaid.curves, references=overlaid.references, reference_marks=overlaid.reference_marks,
        counted=overlaid.counted, grey=[number for number, run in enumerate(chosen) if run.id in grey],
        by=by_distance(distance), x=x, identity=f"{identity}/{distance}", smoothing=smoothing, dark=is_dark(),
    )  # fmt: skip
    chart(figure, key="compare.curves")
    if not overlaid.captions:
        return
    st.caption(escaped(overlaid.captions[0], 600))
    if len(overlaid.captions) > 1:
        with st.expander("Which texts each line was measured on"):
            for line in overlaid.captions[1:]:
                st.caption(escaped(line, 600))
