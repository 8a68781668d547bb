"""Length attack: what repeating a text does to its similarity with others, untouched and fine-tuned."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from embedlab.encoder_names import REPEATS_CHANGE_NOTHING
from embedlab.example import LAYERS
from embedlab.jobs.requests.measuring import AttackLength, PairsFile
from embedlab.runs.evaluations import read_length
from embedlab.runs.folder import RunFolder
from embedlab.runs.result import read_result
from embedlab.ui.components.built_in import example_needed
from embedlab.ui.components.other_runs import is_token, measuring_place, offer_layered
from embedlab.ui.frame.files import keep_upload
from embedlab.ui.frame.progress import job_panel
from embedlab.ui.frame.switches import view_choice
from embedlab.ui.frame.text import escaped
from embedlab.ui.inside.length_view import KINDS, answer, histograms, robustness_row, scored_section
from embedlab.ui.inside.typed_texts import bench, flight

VIEWS = {"corpus": "Pairs of the corpus", "bench": "Two sentences", "flight": "A text's path"}
COPIES = 100  # as in the paper
PAIRS_FILES = ["csv", "tsv", "jsonl", "json", "parquet", "xlsx"]
_BY_LOGARITHM = "a token is weighted by 1 + the logarithm of its count, so length changes little"


def _why_flat(run: RunFolder) -> str:
    """Explains why repeating changes nothing for a token layer, by how it counts a text's tokens."""
    result = read_result(run)
    why = REPEATS_CHANGE_NOTHING.get((result and result.pooling) or "mean")
    reason = f"{why}, so length changes nothing" if why is not None else _BY_LOGARITHM
    return f"This run's encoder is a bare token-embedding layer: {reason}."


def corpus_section(run: RunFolder) -> None:
    """The histograms, or the button that measures them."""
    result = read_length(run)
    if result is None:
        with measuring_place(run):
            st.write(
                "Short texts of the corpus (its titles, else one sentence per text) are repeated as often as the "
                "encoder can read, and 1,000 random pairs and 1,000 pairs with the same label are compared before "
                "and after. Of an encoder that reads more than 512 tokens, both are lowered to what takes a minute."
            )
            with st.popover("Advanced"):
                request = choices(run, COPIES, is_first=True)
            job_panel(request, start="Start the length attack", key="length.measure", primary=not is_token(run))
        example()
        return
    if result["pairs"]:
        attack(run, result)
    else:
        st.info("No pair of these texts could be compared, because one text of each has no vector under this encoder.")
    scored_section(run, result["copies"] or COPIES)
    with st.expander("Advanced"):
        request = choices(run, result["copies"] or COPIES)
        job_panel(request, start="Measure again", key="length.again", primary=False)


def example() -> None:
    """The packaged example's histograms, until there are those of the picked run."""
    run = example_needed(LAYERS)
    if run is not None and (result := read_length(run)) is not None:
        attack(run, result)


def choices(run: RunFolder, copies: int, *, is_first: bool = False) -> AttackLength:
    """Draws the maximum of copies and the upload of other pairs; returns the request.

    ``is_first``: nothing was measured yet, so that an unchanged number of copies may be lowered for a long context.
    """
    left, right = st.columns(2)
    most = left.number_input("Maximum copies m", 1, 1000, copies, key="length.most")
    given = right.file_uploader(
        "Pairs of a file instead of the corpus's",
        type=PAIRS_FILES,
        key="length.pairs",
        help="A table with the columns sentence1 and sentence2.",
    )
    file = None if given is None else PairsFile(path=str(keep_upload(given)), name=given.name)
    return AttackLength(run=run.id, pairs_file=file, settings={} if is_first and most == copies else {"copies": most})


def attack(run: RunFolder, result: Mapping[str, Any]) -> None:
    """The answer to the page's question, numbers, the kind of pairs, and the figure."""
    st.subheader(escaped(answer(run, result), 300), anchor=False)
    if fit := result.get("fitted"):
        st.caption(escaped(fit, 300))
    robustness_row(run, result)
    kinds = list(KINDS) if result["same_label"] else ["random"]
    kind = "random"
    if len(kinds) > 1:
        kind = st.segmented_control("Pairs", kinds, default="random", required=True, format_func=KINDS.__getitem__,
                                    key="length.kind", label_visibility="collapsed")  # fmt: skip
    histograms(run, result, kind)


def show_length(run: RunFolder) -> None:
    """The pairs of the corpus, two typed sentences, or one text's path on the map."""
    if is_token(run):
        with st.container(border=True):
            st.write(_why_flat(run))
            offer_layered(run, key="length.layered")
    view = view_choice(VIEWS, key="length.view")
    if view == "corpus":
        corpus_section(run)
    elif view == "bench":
        bench(run)
    else:
        flight(run)
