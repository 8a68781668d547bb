"""What labels by hand are worth: before the first one and after the last, with the file to take along or to fill in."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.hand_labels import HandLabels, give_labels
from embedlab.finds.judging import labels_of, width
from embedlab.finds.labelling import WANTED, csv_of_labels, labels_in
from embedlab.ui.frame.files import keep_upload
from embedlab.ui.frame.page import errors_shown
from embedlab.ui.frame.text import count, duration, escaped

SECONDS_EACH = 10
NAMED = 12  # labels


def texts_wanted(corpus: Corpus) -> str:
    """``sixty texts``; of a smaller corpus how many there are."""
    texts = _wanted(corpus)
    return "sixty texts" if texts == WANTED else f"{texts} text{'' if texts == 1 else 's'}"


def before(corpus: Corpus) -> str:
    """What it takes, what it is for, and how wide the interval will be."""
    texts = _wanted(corpus)
    judging = (len(labels_of(corpus, None)) + texts) // 2
    return (
        f"Label {texts_wanted(corpus)} here, which takes about {duration(SECONDS_EACH * texts)}. They are spread over "
        f"the corpus; half of the labels choose the encoder, the other half give the verdict. {width(max(judging, 1))}"
    )


def _wanted(corpus: Corpus) -> int:
    unlabelled = corpus.info.texts - (corpus.info.labelled if corpus.info.has_two_classes else 0)
    return min(WANTED, unlabelled)


def summary(corpus: Corpus, given: HandLabels, missing: str, *, offers_more: bool) -> bool:
    """How many texts carry each label and what is missing, and the file; whether more are to be labelled."""
    sizes = given.sizes
    if sizes:
        named = ", ".join(f"{name} ({count(size)})" for name, size in list(sizes.items())[:NAMED])
        more = f" and {count(len(sizes) - NAMED)} more" if len(sizes) > NAMED else ""
        line = f"{count(len(given.labels))} label{'' if len(given.labels) == 1 else 's'} by hand: {named}{more}."
        st.caption("  \n".join(escaped(each, 900) for each in (line, missing) if each))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        is_pressed = offers_more and st.button("Label more", key="labels.more")
        st.download_button("Download the labels", csv_of_labels(corpus, given), f"labels-{corpus.fingerprint}.csv",
                           "text/csv", key="labels.csv", on_click="ignore")  # fmt: skip
        with st.popover("Read a filled file"):
            _filled_file(corpus, given)
    return is_pressed


def _filled_file(corpus: Corpus, given: HandLabels) -> None:
    st.caption("The file from Download the labels, with its column label filled in.")
    uploaded = st.file_uploader("File of labels", key="labels.upload", label_visibility="collapsed")
    if uploaded is None:
        return
    with errors_shown():
        found = labels_in(corpus, given, keep_upload(uploaded), name=uploaded.name)
        if given.labels.items() >= found.items():
            st.caption(f"{count(len(found))} label{' is' if len(found) == 1 else 's are'} in it, and kept here.")
            return
        label = f"Use its {count(len(found))} label{'' if len(found) == 1 else 's'}"
        st.button(label, key="labels.take", type="primary", on_click=_take_file, args=(corpus, found))


def _take_file(corpus: Corpus, found: dict[int, str]) -> None:
    with errors_shown():
        give_labels(corpus, found)
