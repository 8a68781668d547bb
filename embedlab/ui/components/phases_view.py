"""kNN accuracy of the target across phases: of one run, or of several beside each other."""

from collections.abc import Sequence

import streamlit as st

from embedlab.corpora.base import list_corpora
from embedlab.figures.run_curves import phases_curve
from embedlab.runs.curve import watched_phases
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import settings_of
from embedlab.ui.components.chart import chart
from embedlab.ui.frame.distance import by_distance, shown_distance
from embedlab.ui.frame.state import is_dark
from embedlab.ui.frame.text import count, escaped


def phases_view(runs: Sequence[tuple[str, RunFolder]], *, key: str) -> None:
    """Runs that end their phases, by name; without a run that watched a target nothing is shown."""
    distance = shown_distance()
    watched = {(name, run.id): watched_phases(run, distance) for name, run in runs}
    found = {place: phases for place, phases in watched.items() if any(phase.rows for phase in phases)}
    if not found:
        return
    target = next(settings_of(run).get("target", "") for name, run in runs if (name, run.id) in found)
    corpus = {info.fingerprint: info.name for info in list_corpora()}.get(target, target)
    lines = [{"name": name, "phases": [phase.rows for phase in phases]} for (name, _), phases in found.items()]
    chart(phases_curve(lines, corpus=corpus, by=by_distance(distance), dark=is_dark()), key=key)
    last = next(phase.rows[-1] for phases in found.values() for phase in phases if phase.rows)
    of = f"Of {count(last['texts'])} test texts of {escaped(corpus)}"
    sample = (
        "" if last["is_whole"] else ", with neighbors from a sample of its train texts: lower than with all of them"
    )
    several = any(len(phases) > 1 for phases in found.values())
    rings = " Thin: an earlier phase; ring: where the next one begins." if several else ""
    line = f"{of}, the same at every point{sample}.{rings}"
    st.caption(line)
