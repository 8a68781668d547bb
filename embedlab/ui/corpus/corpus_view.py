"""A stored corpus: its check-up with five of its texts; and rename, download and delete for any stored data."""

from functools import partial

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.stored.shelf import ContentStore, StoredInfo
from embedlab.errors import CorpusError
from embedlab.figures.corpus import class_sizes, length_histogram
from embedlab.jobs.in_use import require_unused, works_on
from embedlab.numbers import count, counted, in_bytes, percent
from embedlab.report.checkup import ENCODER_LIMIT, Checkup, kept_checkup
from embedlab.runs.index.find import find_runs
from embedlab.ui.frame.background import awaited
from embedlab.ui.frame.files import offer_file
from embedlab.ui.frame.layout import chart, escaped, number_row, pair, show_text
from embedlab.ui.frame.page import delete_question, rename_form, show_refusal
from embedlab.ui.frame.state import colours_of, is_dark

SHOWN_TEXTS = 5
_SEVERE_NOTES = ("W-NO-LABELS", "W-ONE-CLASS", "W-CONSTANT", "W-LABEL-CONTINUOUS", "W-LABEL-IS-ID")
_QUIET_NOTES = ("W-DUPLICATES", "W-EMPTY")  # their numbers stand in the row above


def show_checkup(corpus: Corpus) -> None:
    """What to know before training on it."""
    sentence = f"Checking {counted(corpus.info.texts, 'text')} for copies, lengths and crops"
    checkup = awaited(("checkup", corpus.fingerprint), partial(kept_checkup, corpus), sentence)
    if checkup is None:
        return
    _numbers(checkup)
    _notes(checkup)
    classes, length = pair("corpus")
    with classes:
        if checkup.classes:
            sizes = {each.label: each.texts for each in checkup.class_sizes}
            chart(class_sizes(sizes, colours_of(corpus), most=15, dark=is_dark()), key="corpus.sizes")
    with length:
        lengths = checkup.characters  # its last bin holds all that is longer, and would be drawn far too wide
        chart(length_histogram(lengths.counts[:-1], lengths.edges[:-1], dark=is_dark()), key="corpus.lengths")
        _origin(corpus, checkup)
    with st.expander("Five of its texts"):
        _texts(corpus)


def _numbers(checkup: Checkup) -> None:
    row = number_row()
    row.metric("Texts", count(checkup.texts))
    row.metric("Classes", count(checkup.classes) if checkup.classes else "none")
    usable, share = checkup.texts_with_two_crops, checkup.texts_with_two_crops / checkup.texts
    explained = f"{percent(share)} of the texts yield two crops (two sentences of 100 to 250 characters) to train on."
    row.metric("Two crops or more", count(usable), help=explained)
    row.metric(
        "Copies", count(checkup.duplicates), help="Texts that repeat an earlier one, ignoring case and whitespace."
    )
    row.metric("Empty rows", count(checkup.empty), help="Rows without a text: kept in the file, but not used.")
    cut = f"Share of texts with more than {ENCODER_LIMIT} tokens, estimated: BERT reads only their beginning."
    row.metric("Truncated", percent(checkup.truncated_share), help=cut)


def _notes(checkup: Checkup) -> None:
    """Shows notes that limit the work as warnings, the rest as captions."""
    warnings = [note for note in checkup.notes if note.code.startswith("W-") and note.code not in _QUIET_NOTES]
    severe = [note.message for note in warnings if note.code in _SEVERE_NOTES]
    small = [note.message for note in warnings if note.code not in _SEVERE_NOTES]
    if checkup.texts_with_two_crops < 2:
        severe.append("No two texts yield crops: text crops cannot train here. Train can ask for shorter sentences.")
    if checkup.conflicts:
        small.append(
            f"{counted(checkup.conflicts, 'text has', 'texts have')} several labels, as copies in different classes."
        )
    for line in severe:
        st.warning(escaped(line, 600))
    if small:
        st.caption("  \n".join(escaped(line, 600) for line in small))


def _origin(corpus: Corpus, checkup: Checkup) -> None:
    info, lengths = corpus.info, checkup.characters
    roles = {role: [each] if isinstance(each, str) else each for role, each in info.roles.items() if each}
    lines = [" · ".join(f"{role}: {', '.join(columns)}" for role, columns in roles.items())]
    if lengths.counts[-1]:
        longer = counted(lengths.counts[-1], "text is", "texts are")
        lines.insert(0, f"{longer} longer than {count(lengths.edges[-2])} characters")
    if info.unlabeled is not None and info.labelled < info.texts and info.classes:
        lines.append(f"{count(info.labelled)} of {count(info.texts)} texts have a label; {info.unlabeled} means none")
    if info.columns:
        lines.append(f"Kept for hover and color: {', '.join(info.columns[:12])}")
    if info.licence:
        lines.append(f"License: {info.licence}")
    lines += [note.message for note in checkup.notes if note.code.startswith("I-")]
    st.caption("  \n".join(escaped(line, 500) for line in lines))


def _texts(corpus: Corpus) -> None:
    rows = corpus.kept
    for column, row in zip(st.columns(SHOWN_TEXTS), rows[:: max(1, len(rows) // SHOWN_TEXTS)], strict=False):
        with column:
            text_card(corpus.texts[row], label=corpus.label(row), title=corpus.title(row))


def text_card(
    text: str, *, label: str | None = None, title: str | None = None, summaries: tuple[str, ...] = ()
) -> None:
    """One text with its label and title."""
    with st.container(border=True):
        if label:
            in_badge = escaped(label, 40).replace("\\[", "[").replace("\\]", "]")  # it escapes square brackets itself
            st.badge(in_badge, color="blue")
        if title:
            st.markdown(f"**{escaped(title, 90)}**")
        show_text(text, characters=180)
        for summary in filter(None, summaries[:2]):
            st.caption(escaped(f"Summary: {summary}", 160))


_REFUSED = "data.refused"


def shelf_actions(shelf: ContentStore, info: StoredInfo) -> None:
    """One popover: rename, export, delete."""
    key = f"{shelf.folder}-{info.fingerprint}"
    runs = sum(1 for _ in find_runs(corpus=info.fingerprint))
    size = in_bytes(sum(path.stat().st_size for path in shelf.place(info.fingerprint).rglob("*") if path.is_file()))
    stay = f" {counted(runs, 'run')} on it {'stays' if runs == 1 else 'stay'}, without the texts." if runs else ""
    with st.popover("Rename, export, delete", width="content"):
        rename_form(info.name, partial(shelf.rename, info.fingerprint), key=f"data.name-{key}", refused=_REFUSED)
        for path in sorted(shelf.place(info.fingerprint).glob("*.parquet")):
            offer_file(f"{path.stem.capitalize()} as Parquet", path, f"{info.name}-{path.name}")
        delete_question(
            f"Delete {escaped(info.name)} ({size}) from the store? Your own file stays where it is.{stay}",
            partial(_delete, shelf, info.fingerprint), key=f"data.delete-{key}",
            gone="It was already deleted in another tab.", busy=_busy(info.fingerprint),
        )  # fmt: skip
    show_refusal(_REFUSED)
    show_refusal(f"data.delete-{key}.refused")


def _busy(fingerprint: str) -> str:
    """Return why it cannot be deleted now, or an empty text."""
    works = works_on(fingerprint)
    return f"{works[0].name} uses it, so it cannot be deleted. Stop that first." if works else ""


def _delete(shelf: ContentStore, fingerprint: str) -> None:
    require_unused("content", fingerprint, code="E-BUSY", error=CorpusError)
    shelf.delete(fingerprint)
