"""Accuracy by layer beside the length attack: what was measured inside a run's encoder after its training."""

from pathlib import Path

import pyarrow as pa
import streamlit as st

from embedlab.damage import read_table
from embedlab.figures.layers import layer_curves
from embedlab.figures.length import similarity_histograms
from embedlab.measurement import LayerValue
from embedlab.numbers import percent
from embedlab.report.length_words import answer, copies_range, cosines
from embedlab.runs.evaluations import read_layers, read_length
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.runs.result import read_result
from embedlab.ui.components.inside_section import has_followed, is_awaited
from embedlab.ui.components.other_runs import is_token
from embedlab.ui.frame.background import read_once
from embedlab.ui.frame.layout import chart, escaped, pair
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.state import by_distance, is_dark, shown_distance

RANDOM = "random"  # the kind of pairs whose texts have nothing to do with each other


def inside_pictures(run: RunFolder) -> None:
    """Draw both pictures of a run; a picture that is still being measured shows its progress until it is there.

    Draws nothing for an encoder with a single layer, or for a run of which neither was ever measured.
    """
    if is_token(run):
        return
    has_layers = bool(own_layers(run))
    has_length = _has_pairs(run)
    if not has_layers and not has_length and not has_followed(run):
        return
    st.subheader("Inside the encoder", anchor=False)
    if not has_layers and not has_length:  # one progress for both
        is_awaited(run, "layers", lambda: bool(own_layers(run)) or _has_pairs(run))
        return
    left, right = pair("inside")
    with left:
        if has_layers:
            _draw_layers(run)
        else:
            is_awaited(run, "layers", lambda: bool(own_layers(run)))
    with right:
        if has_length:
            _draw_length(run)
        else:
            is_awaited(run, "length", lambda: _has_pairs(run))


def own_layers(run: RunFolder) -> list[LayerValue]:
    """Return the accuracy of every layer by the pooling that the run itself uses; empty before it is measured."""
    layers, result = read_layers(run), read_result(run)
    if layers is None or result is None:
        return []
    values = layers.knn(shown_distance())
    by_its_pooling = [value for value in values if value.pooling == result.pooling]
    return by_its_pooling or [value for value in values if value.pooling == values[0].pooling]


@read_once(lambda path: [path], most=4)
def similarities(path: Path) -> pa.Table:
    """Every cosine: columns ``kind encoder before after effective_copies``."""
    return read_table(path)


def _draw_layers(run: RunFolder) -> None:
    values = own_layers(run)
    measured = f"kNN accuracy {by_distance(shown_distance())}"
    chart(layer_curves(values, measured=measured, dark=is_dark()), key=f"inside.layers-{run.id}")
    # Of the pooling in the picture alone; the page of the layers has the others.
    first = min(values, key=lambda value: value.layer)
    last = max(values, key=lambda value: value.layer)
    st.caption(f"Layer {first.layer}: {_before_and_after(first)}. Last layer: {_before_and_after(last)}.")
    go_button("All about the layers", "layers", name=f"inside.open-layers-{run.id}")


def _before_and_after(layer: LayerValue) -> str:
    """``60.5 % → 61.7 %``, or the one value there is of a run without training."""
    return " → ".join(percent(each.value) for each in (layer.before, layer.after) if each is not None)


def _has_pairs(run: RunFolder) -> bool:
    length = read_length(run)
    return length is not None and bool(length.pairs)


def _draw_length(run: RunFolder) -> None:
    length = read_length(run)
    assert length is not None, "the caller has looked"
    table = similarities(run.similarities)
    untouched, tuned = (cosines(table, kind=RANDOM, encoder=encoder) for encoder in ("untouched", "tuned"))
    figure = similarity_histograms(
        untouched=untouched,
        tuned=tuned if len(tuned["before"]) else None,
        copies=copies_range(length.of_kind(RANDOM).fitting),
        beginning=word_of_before(run),
        dark=is_dark(),
    )
    chart(figure, key=f"inside.length-{run.id}")
    st.caption(escaped(answer(run, length), 300))
    go_button("All about length", "length", name=f"inside.open-length-{run.id}")
