"""Mine hard negatives for the chosen pairs: encoder and settings, a preview of what was mined, and keeping it."""

from functools import partial

import pyarrow as pa
import streamlit as st

from embedlab.config import validated
from embedlab.corpora.sets.pairs import PairReading
from embedlab.corpora.sets.stored import PairsInfo
from embedlab.damage import read_model
from embedlab.encoder_catalog.catalog import ENCODERS
from embedlab.jobs.requests.corpora import MinedNegatives, MineNegatives, Mining, ReadPairs
from embedlab.numbers import count, counted
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.form import config_form
from embedlab.ui.components.own_files import PAIRS_JOB
from embedlab.ui.components.train_fields import is_here, runs_offered
from embedlab.ui.frame.layout import errors_shown, show_table
from embedlab.ui.frame.progress import job_panel

FIRST_FIELDS = ("negatives", "range_min", "range_max", "absolute_margin", "max_score")
_FIRST = ("minilm", "mini")  # pretrained ones, where they are here
_CHARACTERS = 200


def mining_section(info: PairsInfo) -> None:
    """Folded; a change of a setting mines anew, and what was mined before is found again."""
    with st.expander("Mine hard negatives", key=f"mining-{info.fingerprint}"):
        st.caption(
            "Negatives are texts of other pairs that the encoder places near an anchor. Higher ranks and lower cosines "
            "make them easier and less often true answers. Pairs that do not get all their negatives are left out."
        )
        names = {card.key: card.title for card in ENCODERS if is_here(card.key)} | runs_offered()
        order = [*(name for name in _FIRST if name in names), *(name for name in names if name not in _FIRST)]
        encoder = st.selectbox("Encoder", order, format_func=names.__getitem__, key="mining.encoder", width=460)
        schema = Mining.model_json_schema()
        filled = config_form(schema, key="mining", only=FIRST_FIELDS, columns=len(FIRST_FIELDS))
        with st.popover("Advanced", width="content"):
            others = [name for name in schema["properties"] if name not in FIRST_FIELDS]
            filled |= config_form(schema, key="mining", only=others, columns=2)
        if filled.wrong:
            return
        with errors_shown():
            settings = validated(Mining, filled.values, where="mining")
            mining = MineNegatives(pairs=info.fingerprint, encoder=encoder, settings=settings)
            start = f"Mine negatives for {counted(info.pairs, 'pair')}"
            job_panel(mining, start=start, key="mining.start", show=partial(_preview, info))


def _preview(info: PairsInfo, job: RunFolder) -> None:
    """How many pairs have negatives, the first of them with cosines to the anchor, and the button that keeps all."""
    result = read_model(job.result, MinedNegatives)
    left_out = f"; {counted(result.without, 'pair')} with fewer left out" if result.without else ""
    st.write(
        f"{count(result.mined)} of {counted(result.pairs.used, 'pair')} have "
        f"{counted(result.negatives, 'negative')} each{left_out}. Mean cosine to the anchor: "
        f"{result.negative_score:.2f}, of the positives {result.positive_score:.2f}."
    )
    rows = [
        {
            "Anchor": pair.anchor[:_CHARACTERS],
            "Belongs to it": pair.positive[:_CHARACTERS],
            "its cosine": pair.positive_score,
            "Hard negative": negative[:_CHARACTERS],
            "cosine": score,
        }
        for pair in result.examples
        for negative, score in zip(pair.negatives, pair.scores, strict=True)
    ]
    of = f"The first {counted(len(result.examples), 'pair')} of {count(result.mined)}, a row for each negative."
    show_table(pa.Table.from_pylist(rows), alt=of)
    st.caption(of)
    name = f"{info.name}, hard negatives"
    negatives = tuple(f"negative_{number}" for number in range(1, result.negatives + 1))
    reading = PairReading(name=name, anchor="anchor", positive="positive", negative=negatives)
    reader = ReadPairs(path=str(job.mined), file_name=f"{name}.parquet", reading=reading, with_corpus=True)
    st.button("Keep these pairs and train on them", key="mining.keep", type="primary", on_click=PAIRS_JOB.start,
              args=(reader,), disabled=not job.mined.exists())  # fmt: skip
