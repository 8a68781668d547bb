"""Length attack: what repeating a text does to its similarity with others, untouched and fine-tuned."""

import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.ui.bench_view import bench
from embedlab.ui.layered import is_token, offer_layered, open_layered_by_default
from embedlab.ui.length_view import KINDS, histograms, read_length, robustness_row
from embedlab.ui.measuring import measure_button
from embedlab.ui.page import page_head, run_needed, what_am_i_looking_at

VIEWS = {"corpus": "Pairs of the corpus", "bench": "Two sentences"}
COPIES = 100  # as in the paper
FLAT = (
    "This run's encoder is a bare token-embedding layer: the mean over m copies is the mean over one, "
    "so length changes nothing."
)


def corpus_section(run: RunFolder) -> None:
    """The histograms, or the button that measures them."""
    found = read_length(run)
    if found is None:
        st.write(
            "Short texts of the corpus (its titles, else one sentence a text) are repeated as often as the encoder can "
            "read, and 1,000 random pairs and 1,000 pairs of one label compared before and after."
        )
        asked = {"run": run.id, "copies": COPIES}
        measure_button("length", asked, "Start the length attack", key="length.measure", primary=not is_token(run))
    elif not found["pairs"]:
        st.info("No pair of these texts could be compared, because one text of each has no vector under this encoder.")
    else:
        attack(run, found)


def attack(run: RunFolder, found: dict) -> None:
    """Numbers, the kind of pairs, the picture, and another m."""
    robustness_row(found)
    kinds = list(KINDS) if found["same_label"] else ["random"]
    kind = st.segmented_control("Pairs", kinds, default="random", required=True, format_func=KINDS.get,
                                key="length.kind", label_visibility="collapsed")  # fmt: skip
    histograms(run, found, kind)
    with st.expander("Advanced"):
        copies = st.number_input("Copies m at most", 1, 1000, found["copies"], key="length.most")
        asked = {"run": run.id, "copies": copies}
        measure_button("length", asked, "Measure again", key="length.again", primary=False)


page_head("Length", "Do texts become more similar only because they get longer?")
open_layered_by_default()
run = run_needed()
if is_token(run):
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.write(FLAT)
        offer_layered(run, key="length.layered")
view = st.segmented_control("View", list(VIEWS), default="corpus", required=True, format_func=VIEWS.get,
                            key="length.view", label_visibility="collapsed", persist_state="session")  # fmt: skip
if view == "corpus":
    corpus_section(run)
else:
    bench(run)
what_am_i_looking_at(
    "Every text is repeated m times: nothing is said that was not said before, so similarities should stay. In many "
    "encoders they rise, because attention follows the dominant tokens more the longer a text is. Left of each picture "
    "unlike pairs, right alike ones; dotted before, filled after. The paper repeats a hundred times, which an encoder "
    "of 512 tokens cuts off for all but the shortest texts: here m is the largest number that fits. AUC says whether "
    "pairs of one label still stand out. An encoder trained on crops of many lengths need not be robust.",
    "LA(SER)³ paper, sections 2 and 3, Figure 2.",
)
