"""By which distance kNN accuracy is shown: a switch of the frame that stands in the address."""

import streamlit as st

from embedlab.distance import DISTANCES, EUCLIDEAN, SHOWN_FIRST, Distance

DISTANCE = "distance"  # the key of the switch, and its name in the URL
_IN_URL = "distance_in_url"
_HELP = (
    "The distance used to find nearest neighbors. Encoders are trained and exported for cosine; the papers "
    "report Euclidean distance. Maps keep the distance they were drawn with."
)
AS_DRAWN = f"({DISTANCES[EUCLIDEAN]}, as for the maps)"  # of what is read beside a map and keeps its distance
_TITLES = {"cosine": "cosine", "euclidean": "Euclidean"}


def shown_distance() -> Distance:
    """What every page shows kNN accuracy and neighbors by."""
    return st.session_state.get(DISTANCE) or SHOWN_FIRST


def take_distance() -> None:
    """What the address asks for; before anything that shows kNN accuracy is drawn."""
    asked = st.query_params.get(DISTANCE)
    if asked in DISTANCES and asked != st.session_state.get(_IN_URL):
        st.session_state[DISTANCE] = asked
    st.session_state[DISTANCE] = shown_distance()


def distance_switch() -> None:
    """Choose it; the address keeps it where it is not the one that pages open on."""
    st.segmented_control(
        "Neighbors by", list(DISTANCES), key=DISTANCE, format_func=_TITLES.get, required=True, help=_HELP
    )
    chosen = shown_distance()
    if chosen == EUCLIDEAN:
        st.query_params[DISTANCE] = chosen
    elif DISTANCE in st.query_params:
        del st.query_params[DISTANCE]
    st.session_state[_IN_URL] = chosen if chosen == EUCLIDEAN else None


def by_distance(distance: Distance) -> str:
    """``(cosine)``, ``(Euclidean distance)``: follows every kNN accuracy."""
    return f"({DISTANCES[distance]})"
