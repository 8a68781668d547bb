"""Maps of made-up points, one case an address, with what Python makes of the reader's state written below."""

import json
import time

import numpy as np
import streamlit as st
from map_points import TURN, points

from embedlab.figures.colour_groups import ColourBar
from embedlab.figures.corpus import length_histogram
from embedlab.figures.run_curves import race_curves
from embedlab.palette import categorical
from embedlab.ui.components.map_view import NO_CLASS, map_view
from embedlab.ui.components.strip_view import strip_view
from embedlab.ui.frame import sidebar
from embedlab.ui.frame.layout import chart, pair
from embedlab.ui.frame.routes import FRAME, map_rooms
from embedlab.ui.frame.state import take_size

CORPUS = "0123456789abcdef"


def show(key: str, state, coordinates: np.ndarray, categories: np.ndarray, rows: np.ndarray | None = None) -> None:
    """The reader's state as JSON."""
    inside = state.selected(coordinates, categories)
    told = dict(
        picked=state.picked, second=state.second, at=state.at, count=len(inside), polygon=state.selection,
        inside=[int(row) for row in (inside if rows is None else rows[inside])][:2000],
    )  # fmt: skip
    st.markdown(f"<div id='{key}-state'>{json.dumps(told)}</div>", unsafe_allow_html=True)


def drawn(key: str, coordinates: np.ndarray, categories: np.ndarray, classes: int, **more) -> None:
    """One map and its state."""
    state = map_view(
        key=key,
        coordinates=coordinates,
        categories=categories,
        class_names=[f"class {number:03}" for number in range(classes)],
        colours=categorical(classes),
        corpus=CORPUS,
        title=key,
        **{"corner": "kNN 57.9 % ± 2.4", **more},
    )
    show(key, state, coordinates, categories, more.get("row_ids"))


take_size()
st.html(f"<style>{FRAME.read_text(encoding='utf-8')}{map_rooms()}</style>")
case = st.query_params.get("case", "one")
texts, classes = int(st.query_params.get("texts", 300)), int(st.query_params.get("classes", 5))
before, categories = points(texts, classes)
after = before @ TURN

if case == "one":
    drawn("one", before, categories, classes)
elif case == "pair":
    rows, some = np.arange(texts)[1::2], np.flatnonzero(np.arange(texts) % 3)
    left, right = st.columns(2)
    with left:
        drawn("left", before[some], categories[some], classes, group="pair", link_zoom=True, row_ids=some)
    with right:
        drawn("right", after[rows], categories[rows], classes, group="pair", link_zoom=True, row_ids=rows)
elif case == "race":
    lines = [("first", [0.0, 5.0, 10.0], [0.4, 0.6, 0.7]), ("<b>second</b>", [0.0, 2.0, 10.0], [0.3, 0.7, 0.65])]
    grey = [("elsewhere", [0.0, 3.0], [0.4, 0.75])]
    figure = race_curves(lines, grey=grey, end=10.0, by="(cosine)", alt="Two lines.")
    chart(figure, key="race", race={"lines": 2, "grey": 1, "end": 10.0, "verdicts": ["First: +5.0 points."]})
elif case == "recoloured":
    few = np.zeros(texts, np.uint16)
    shown, number = (categories, classes) if st.toggle("Classes") else (few, 1)
    for key, column in zip(("still", "unnamed", "named"), st.columns(3), strict=True):
        with column:
            kind = {"still": key == "still", "names_on_map": key == "named", "legend": key == "named"}
            drawn(key, before, shown, number, row_ids=np.arange(texts)[::-1] if number > 1 else None, **kind)
elif case == "morph":
    moved = np.arange(texts) % 10 == 0
    told = [("Before: untouched", "kNN 57.9 %"), ("After: fine-tuned", "kNN 95.1 %")]
    drawn(
        "morph", after, categories, classes, frames=[("before", before), ("after", after)], headings=told, trails=moved
    )
elif case == "films":
    for key, column in zip(("left", "right"), st.columns(2), strict=True):
        with column:
            frames = [(f"layer {layer}", before * (1 + layer)) for layer in range(4)]
            drawn(key, frames[-1][1], categories, classes, frames=frames, group="films", link_frames=True)
elif case == "beside":
    st.set_page_config(layout="wide")
    left, right = pair("beside")
    with left:
        chart(length_histogram(np.ones(4), np.arange(5.0), dark=False), key="chart")
    if st.toggle("A text beside it"):
        right.write("beside the chart")
elif case == "busy":
    line = st.empty()
    while True:  # until the tab is closed
        line.write(time.time())
        time.sleep(0.2)
elif case == "film":
    steps = int(st.session_state.setdefault("steps", 3))
    if st.button("One more"):
        steps = st.session_state.steps = steps + 1
    frames = [(f"step {10 * step}", before + step * np.array([4.0, 1.0])) for step in range(steps)]
    drawn("film", frames[-1][1], categories, classes, frames=frames)
elif case == "glide":
    places = after if st.toggle("Other places") else before
    drawn("glide", places, categories, classes, glide=True)
elif case == "chosen":
    near = before[:, 0] > 0 if st.toggle("Right half", True) else None
    faded = np.linspace(0, 1, texts)
    drawn("chosen", before, categories, classes, chosen=near, fade=faded, marks=[("a mark", 0.0, 0.0)])
elif case == "contours":
    shown = st.toggle("Contours", True)
    drawn("contours", before, categories, classes, names_on_map=False, contours=shown)
elif case == "bar":
    ticks = [(0.0, "0"), (0.5, "500"), (1.0, "≥ 1,000")]
    bar = ColourBar("Characters", ticks) if st.toggle("Bar", True) else None
    drawn("bar", before, categories, classes, names_on_map=False, bar=bar, legend=bar is None)
elif case == "walk":
    step = st.segmented_control("Step", [7, 11], key="step")
    drawn("walk", before, categories, classes, group="walk", pointed=step)
elif case == "levels":
    coarse = [("everything", 0.0, 0.0, 9.0)]
    fine = [(f"part {column} {row}", 5.0 * column, 5.0 * row, 1.0) for column in range(-2, 3) for row in range(-2, 3)]
    drawn("levels", before, np.full(texts, NO_CLASS), 0, levels=[coarse, fine])
elif case == "gallery":
    for line in range(5):
        for column, place in enumerate(st.columns(4)):
            with place:
                drawn(f"m{line}{column}", before, categories, classes, still=True, height=220, names_on_map=False)
elif case == "strips":
    left, right = st.columns(2)
    with left:
        drawn("left", before, categories, classes, group="strips", link_zoom=True)
    with right:
        drawn("right", after, categories, classes, group="strips", link_zoom=True)
    lengths = np.where(np.arange(texts) % 50 == 49, np.nan, np.arange(texts) % 97 + 10.0)
    numbers = strip_view(key="lengths", values=lengths, group="strips", title="Length")
    names = [f"class {number:03}" for number in range(classes)]
    bars = strip_view(
        key="bars", categories=categories, names=names, colours=categorical(classes), group="strips", title="Class"
    )
    for key, state in (("lengths", numbers), ("bars", bars)):
        told = dict(words=state.words, count=0 if state.inside is None else int(state.inside.sum()))
        st.markdown(f"<div id='{key}-state'>{json.dumps(told)}</div>", unsafe_allow_html=True)
elif case == "alerts":
    st.set_page_config(page_title="Train · embedlab")
    alerting = st.segmented_control("Run", ["working", "ended", "both ended"], default="working")
    line = {"line": "Helped: +1.0 points."}
    ended = {"working": 0, "ended": 1, "both ended": 2}[alerting]
    told = [{"id": name, "title": name, **line} for name in ("first", "second")][:ended]
    sidebar._alerts_component(key="alerts", data={"ended": told, "working": not ended}, height="content")
