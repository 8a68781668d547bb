"""A map of every layer, before and after fine-tuning: one slider moves both from the token embeddings to the top."""

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.encoder_names import pooling_name
from embedlab.runs.drawn_map import LayerMaps, read_layer_maps
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import word_of_before
from embedlab.table_files import csv_bytes
from embedlab.ui.components.loaded_maps import categories_of
from embedlab.ui.components.map_view import map_view
from embedlab.ui.frame.layout import pair
from embedlab.ui.frame.state import colours_of, corpus_of
from embedlab.ui.frame.switches import by_distance
from embedlab.ui.frame.text import count, escaped, percent
from embedlab.ui.inside.layers_view import layers_by, read_layers

HEIGHT = 430


def layer_maps_section(run: RunFolder, found: dict) -> None:
    """Both maps, or why there are none, or nothing; corners show values by the distance that they were drawn with.

    ``found``: what was measured of the layers.
    """
    drawn, corpus = read_layer_maps(run), corpus_of(run)
    if found.get("no_maps"):
        st.caption(escaped(found["no_maps"], 300))
    if drawn is None or corpus is None:
        return
    found = layers_by(read_layers(run), drawn.distance)
    st.subheader("What each layer sees", anchor=False)
    colours, names = colours_of(corpus), (word_of_before(run).capitalize(), "Fine-tuned")
    for place, state, name in zip(pair("layer-maps"), ("before", "after"), names, strict=True):
        frames = getattr(drawn, state)
        with place:
            map_view(
                key=f"layers-{state}-{run.id}",
                coordinates=frames[-1],
                categories=categories_of(corpus, drawn.rows),
                class_names=list(colours),
                colours=list(colours.values()),
                row_ids=drawn.rows,
                frames=[(f"layer {layer}", places) for layer, places in enumerate(frames)],
                told=[_told(name, layer, state, found, drawn) for layer in range(len(frames))],
                alt=f"Map of {count(len(drawn.rows))} texts after every layer, {name.lower()}.",
                corpus=corpus.fingerprint,
                group=f"layers-{run.id}",
                link_zoom=True,
                link_frames=True,
                legend=False,
                height=HEIGHT,
            )
    which = "all" if len(drawn.rows) == drawn.of else f"{count(len(drawn.rows))} of the"
    st.caption(
        f"t-SNE of {which} {count(drawn.of)} texts measured, by {pooling_name(drawn.pooling)} pooling. Each map starts "
        "from the layer above it and the fine-tuned top from the untouched one, so points can be followed; distances "
        "between groups mean little."
    )
    st.download_button("Download the coordinates as CSV", lambda: csv_bytes(places_table(drawn)),
                       f"layer-maps-{run.id}.csv", "text/csv", key="layers.maps.csv", on_click="ignore")  # fmt: skip


def places_table(drawn: LayerMaps) -> pa.Table:
    """One text of one layer and encoder a row."""
    layers, texts = drawn.before.shape[:2]
    parts = [
        pa.table({
            "row": np.tile(drawn.rows, layers),
            "layer": np.repeat(np.arange(layers), texts),
            "encoder": [state] * (layers * texts),
            "x": places[:, :, 0].ravel(),
            "y": places[:, :, 1].ravel(),
        })
        for state, places in (("before", drawn.before), ("after", drawn.after))
    ]  # fmt: skip
    return pa.concat_tables(parts)


def _told(name: str, layer: int, state: str, found: dict, drawn: LayerMaps) -> tuple[str, str]:
    """Title and corner of one frame."""
    rows = (row for row in found["layers"] if (row["layer"], row["pooling"]) == (layer, drawn.pooling))
    value = next((row[state] for row in rows), None)
    known = "" if value is None else f"kNN accuracy of the embeddings {percent(value)} {by_distance(drawn.distance)}"
    return f"{name}, layer {layer}", known
