"""Labels by hand, one text at a time: buttons for the labels so far, a field for a new one, Skip and Back."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.errors import EmbedlabError
from embedlab.finds.judging import labels_of, why_not
from embedlab.finds.labelling import WANTED, csv_of_labels, label_names, labelling_explained, labels_in, texts_wanted
from embedlab.jobs.requests.corpora import ChooseTexts
from embedlab.numbers import count, counted
from embedlab.runs.hand_labels import LABEL_CHARACTERS, HandLabels, forget_labels, give_labels, hand_labels_of, skip
from embedlab.ui.frame.files import download, keep_upload
from embedlab.ui.frame.layout import errors_shown, escaped, show_error, show_text
from embedlab.ui.frame.page import attempt, show_refusal
from embedlab.ui.frame.progress import job_panel

BUTTONS = 9  # labels, each with its digit; others are picked from a list
CHARACTERS = 3_000  # of a text that is shown
_TYPED, _PICKED, _REFUSED = "labels.typed", "labels.picked", "labels.refused"


def given_labels(corpus: Corpus) -> HandLabels | None:
    """Labels given by hand; if they cannot be read, an error with a remedy, and None."""
    try:
        return hand_labels_of(corpus)
    except EmbedlabError as error:
        show_error(error)
        st.button("Draw new texts", key="labels.anew", on_click=forget_labels, args=(corpus,))
        return None


def labelling(corpus: Corpus, given: HandLabels | None) -> None:
    """The current text, or the button that draws texts, and what the labels are worth."""
    if given is None:
        job_panel(
            ChooseTexts(corpus=corpus.fingerprint), key="labels.begin", start=f"Label {texts_wanted(corpus)}",
            line=labelling_explained(corpus), is_outdated=lambda job: True, primary=not corpus.info.has_two_classes,
        )  # fmt: skip
        return
    missing = why_not(list(labels_of(corpus, given).values()))
    wants_more = len(given.labels) < WANTED or missing or st.session_state.get(_more(corpus))
    if given.open and wants_more or _shown(corpus, given) is not None:
        _card(corpus, given)
    if summary(corpus, given, missing, offers_more=bool(given.open) and not wants_more):
        st.session_state[_more(corpus)] = True
        st.rerun()


def _card(corpus: Corpus, given: HandLabels) -> None:
    """One text with its buttons."""
    row = _shown(corpus, given)
    row = given.open[0] if row is None else row
    with st.container(border=True):
        show_refusal(_REFUSED)
        done, goal = len(given.labels), min(WANTED, len(given.rows))
        more = f", {count(len(given.skipped))} skipped" if given.skipped else ""
        st.progress(min(done / goal, 1.0), text=f"{count(done)} of {count(goal)} labeled{more}")
        if title := corpus.title(row):
            st.markdown(f"**{escaped(title, 200)}**")
        with st.container(height=190, border=False):
            show_text(corpus.texts[row], characters=CHARACTERS)
        _answers(corpus, given, row)


def _answers(corpus: Corpus, given: HandLabels, row: int) -> None:
    """Keys name the row, so that a late second click applies to the text it was made on."""
    names = label_names(corpus, given)
    with st.container(horizontal=True):
        for digit, name in enumerate(names[:BUTTONS], start=1):
            st.button(escaped(name, 40), key=f"labels.name-{row}-{digit}", shortcut=str(digit), on_click=_label,
                      args=(corpus, row, name),
                      type="primary" if given.labels.get(row) == name else "secondary")  # fmt: skip
        if len(names) > BUTTONS:
            st.selectbox("Another label", names[BUTTONS:], key=_PICKED, index=None, width=220, on_change=_take,
                         args=(corpus, row, _PICKED, None), placeholder="Another label",
                         label_visibility="collapsed")  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # a form: what is typed is taken by Enter alone, not by a click elsewhere that means something else
        with st.form("labels.new", border=False, width=300), st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("New label", key=_TYPED, max_chars=LABEL_CHARACTERS, width=220)
            st.form_submit_button("Add", on_click=_take, args=(corpus, row, _TYPED, ""))
        st.button("Skip", key=f"labels.skip-{row}", shortcut="S", on_click=_skip, args=(corpus, row))
        earlier = given.rows[: given.rows.index(row)][-1:]
        st.button("Back", key=f"labels.back-{row}", shortcut="B", disabled=not earlier, on_click=_go,
                  args=(corpus, *earlier))  # fmt: skip


def _label(corpus: Corpus, row: int, name: str) -> None:
    def give() -> None:
        give_labels(corpus, {row: name})
        _go(corpus)

    attempt(give, _REFUSED)


def _take(corpus: Corpus, row: int, key: str, empty: str | None) -> None:
    """The label typed or picked under this key, which is ``empty`` then."""
    name, st.session_state[key] = st.session_state[key], empty
    if name and name.strip():
        _label(corpus, row, name)


def _skip(corpus: Corpus, row: int) -> None:
    skip(corpus, row)
    _go(corpus)


def _shown(corpus: Corpus, given: HandLabels) -> int | None:
    """The row that Back went to, else None."""
    row = st.session_state.get(f"labels.row-{corpus.fingerprint}")
    return row if row in given.rows else None


def _go(corpus: Corpus, row: int | None = None) -> None:
    """Show this row next; without one the next unanswered one."""
    st.session_state[f"labels.row-{corpus.fingerprint}"] = row


def _more(corpus: Corpus) -> str:
    return f"labels.more-{corpus.fingerprint}"


NAMED = 12  # labels


def summary(corpus: Corpus, given: HandLabels, missing: str, *, offers_more: bool) -> bool:
    """Shows the labels by hand, what is missing and their file. -> whether more are to be labelled"""
    sizes = given.sizes
    if sizes:
        named = ", ".join(f"{name} ({count(size)})" for name, size in list(sizes.items())[:NAMED])
        more = f" and {count(len(sizes) - NAMED)} more" if len(sizes) > NAMED else ""
        line = f"{counted(len(given.labels), 'label')} by hand: {named}{more}."
        st.caption("  \n".join(escaped(each, 900) for each in (line, missing) if each))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        is_pressed = offers_more and st.button("Label more", key="labels.more")
        download(
            "Download the labels", csv_of_labels(corpus, given), f"labels-{corpus.fingerprint}.csv", key="labels.csv"
        )
        with st.popover("Read a filled file"):
            _filled_file(corpus, given)
    return is_pressed


def _filled_file(corpus: Corpus, given: HandLabels) -> None:
    st.caption("The file from Download the labels, with its column label filled in.")
    uploaded = st.file_uploader("File of labels", key="labels.upload", label_visibility="collapsed")
    if uploaded is None:
        return
    with errors_shown():
        labels = labels_in(corpus, given, keep_upload(uploaded), name=uploaded.name)
        if given.labels.items() >= labels.items():
            st.caption(f"{count(len(labels))} label{' is' if len(labels) == 1 else 's are'} in it, and kept here.")
            return
        label = f"Use its {counted(len(labels), 'label')}"
        st.button(label, key="labels.take", type="primary", on_click=_take_file, args=(corpus, labels))


def _take_file(corpus: Corpus, labels: dict[int, str]) -> None:
    with errors_shown():
        give_labels(corpus, labels)
