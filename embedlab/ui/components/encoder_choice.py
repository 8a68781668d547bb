"""The encoder a run starts from: one of the catalog, what is typed, or that of an earlier run (the next phase)."""

from collections.abc import Sequence
from itertools import islice

import streamlit as st

from embedlab.encoder_names import is_token_layer
from embedlab.encoders.catalog import ENCODERS, CatalogEncoder
from embedlab.jobs.cost_estimate import fits_this_machine, seconds_by_encoder
from embedlab.numbers import counted
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs
from embedlab.runs.label_lineage import lineage
from embedlab.runs.result import Phase
from embedlab.training.recipes import recipe_title
from embedlab.training.titles import run_title
from embedlab.ui.frame.state import hold
from embedlab.ui.frame.text import duration, in_bytes

ENCODER = "train.encoder"
RUNS_OFFERED = 8


def encoder_choice(corpus: str) -> str:
    """The picker; what it holds. ``corpus``: the fingerprint of that on which a run's time is told."""
    took = seconds_by_encoder(corpus, ENCODERS.keys())
    runs = {f"run:{run.id}": f"continue from: {run_title(run)}" for run in _runs_with_encoder()}
    names = {**{card.key: _with_badge(card, took.get(card.key)) for card in ENCODERS}, **runs}
    hold(ENCODER)
    chosen = st.selectbox(
        "Encoder",
        list(names),
        key=ENCODER,
        format_func=lambda key: names.get(key, key),
        accept_new_options=True,
        persist_state="session",
        help="From the list; or type hf:owner/name, a folder, run:ID to continue from a run, or words:ENCODER.",
    )
    return (chosen or "").strip()


def _with_badge(card: CatalogEncoder, seconds: float | None) -> str:
    """``MPNet · fits this machine · about 3 min · 532 MB download``"""
    fits = "fits this machine" if fits_this_machine(card.parameters) else "too large for this machine's memory"
    took = f"about {duration(seconds)}" if seconds is not None else ""
    size = 0 if card.is_here else card.download_bytes
    fetched = f"{in_bytes(size)} download" if size else ""
    return " · ".join(each for each in (card.title, fits, took, fetched) if each)


def provided(encoder: str) -> set[str]:
    """What an encoder brings; a run's encoder what the first of its phases had, one not in the catalog is a BERT."""
    earlier = lineage(encoder)
    first = (earlier[-1].encoder if earlier else encoder) or ""
    if is_token_layer(first):
        return set()
    return set(ENCODERS[first if first in ENCODERS else "bert"].provides)


def is_here(encoder: str) -> bool:
    """Whether it opens without a download."""
    return ENCODERS[encoder].is_here if encoder in ENCODERS else not encoder.startswith("hf:")


def encoder_line(encoder: str) -> str:
    """What is known of an encoder, in one line."""
    if encoder.startswith("run:"):
        return f"The encoder of {phases(lineage(encoder))}, with a new optimiser and a new warm-up."
    if encoder not in ENCODERS:
        return f"{encoder}: safetensors of a BERT-like encoder; from the hub it is downloaded first."
    card = ENCODERS[encoder]
    size = f"{counted(card.layers, 'layer')}, {counted(card.dim, 'dimension')}, {card.pooling} pooling"
    licence = f"licence {card.licence}" if card.licence else ""
    return " · ".join(each for each in (card.title, size, card.note, _fetched(card), licence) if each)


def _fetched(card: CatalogEncoder) -> str:
    if card.is_here:
        return ""
    size = f" ({in_bytes(card.download_bytes)})" if card.download_bytes else ""
    return f"downloaded first{size}"


def _runs_with_encoder() -> list[RunFolder]:
    """The newest runs that have something to go on from."""
    return list(islice((run for run in find_jobs("train") if run.encoder.is_dir()), RUNS_OFFERED))


def phases(lineage: Sequence[Phase]) -> str:
    """``"adapted" (mlm), which started from "first" (tsdae)``; the nearest phase first."""
    return ", which started from ".join(_phase(each) for each in lineage)


def _phase(each: Phase) -> str:
    name = repr(each.name) if each.name else each.run
    return f"{name} ({recipe_title(each.recipe)})" if each.recipe else f"{name} (deleted)"
