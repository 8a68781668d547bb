"""What a study will take, before its start: the lines under its form."""

import streamlit as st

from embedlab.studies.base import StudySettings
from embedlab.studies.expected import StudyExpectation, expected_study, to_time
from embedlab.ui.components.encoder_choice import is_here
from embedlab.ui.components.timing import time_by_itself
from embedlab.ui.frame.text import count, duration, in_bytes


def show_study_time(asked: StudySettings) -> None:
    """Known of runs and timings of this computer; what nothing is known of is timed by itself, a few of all settings.

    Only where nothing must be downloaded first.
    """
    found = expected_study(asked)
    if found is not None:
        st.caption(expected_line(found))
        if found.out_of_reach:
            st.warning(f"{found.out_of_reach}.")
    waiting = [request for request in to_time(asked) if is_here(request.encoder)]
    if waiting:
        time_by_itself(waiting[0], key="studies")


def expected_line(found: StudyExpectation) -> str:
    """``About 12 min for 12 runs, up to 1.2 GB of memory, 90 MB on the disk: …``"""
    left = found.runs - found.there
    if not left:
        return "All its runs are there already: nothing is trained again."
    runs = f"{count(left)} run{'' if left == 1 else 's'}" + (f" ({count(found.there)} more there)" * bool(found.there))
    memory = f", up to {in_bytes(found.peak_bytes)} of memory" if found.peak_bytes else ""
    line = f"About {duration(found.seconds)} for {runs}{memory}, {in_bytes(found.disk_bytes)} on the disk"
    if found.known == found.settings:
        return f"{line}: by runs or timings of each setting on this computer."
    known = f"{count(found.known)} of {count(found.settings)} settings"
    return f"{line}: {known} known of this computer, the others taken as the nearest."
