"""Sources of a corpus: built in, a file, the hub, or the papers' catalog."""

from dataclasses import replace
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.corpora import propose
from embedlab.corpora.catalog import CATALOG
from embedlab.corpora.files import FORMS, first_rows
from embedlab.corpora.hub import dataset_reference, parse_reference
from embedlab.corpora.notes import ReadingReport, ReadOptions
from embedlab.corpora.proposal import Proposal, Reading
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.corpora.tables import Table
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.corpora import FetchCorpus, ReadCorpus
from embedlab.numbers import in_bytes
from embedlab.reader_process import warm_up
from embedlab.ui.corpus.corpus_view import text_card
from embedlab.ui.corpus.file_kind import is_array, kind_of_file, open_form
from embedlab.ui.frame import files
from embedlab.ui.frame.layout import errors_shown, escaped, show_error, show_table
from embedlab.ui.frame.progress import FormJob
from embedlab.ui.frame.state import DROPPED, OWN_FILE, named

READING = FormJob("corpus.job")


def from_docs() -> None:
    """The documentation of the installed packages."""
    st.write(
        "The documentation of the Python packages that embedlab runs on: real prose, labeled by the part of the "
        "package it belongs to. It is collected once, in under half a minute; nothing is downloaded or run."
    )
    stored = next((info for info in list_corpora() if info.source == "docs" or info.name == "docs"), None)
    label = "Collect the documentation again" if stored else "Collect the documentation"
    st.button(label, key="corpus.docs", type="primary", on_click=READING.start, args=(ReadCorpus(reference="docs"),))


def from_file() -> None:
    """An upload or a path, its proposed columns, and five cards to confirm."""
    warm_up()
    path, typed = files.upload_or_path(
        "Upload", key="corpus", placeholder="/home/me/texts.parquet", help="A folder is read by its path, or as a zip.",
        path_help="For large files, and for folders in which every subfolder is a class.",
    )  # fmt: skip
    st.caption(f"{FORMS}.")
    dropped = st.session_state.get(DROPPED)  # on another page
    if path is None and dropped is not None and Path(dropped).exists():
        path = Path(dropped)
        st.caption(f":material/description: {escaped(files.called(path))}")
    if path is None:
        return
    if not path.exists():
        show_error(f"There is no file or folder {typed!r} on this computer. Check the path.")
        return
    with errors_shown():
        _confirm(path, files.called(path))


def _confirm(path: Path, file_name: str) -> None:
    """``file_name``: the user's name for the file."""
    name, key = files.stem(file_name), f"corpus.{path.name}"
    options = files.chosen_options(key)
    try:
        table = None if is_array(path) else _table(str(path), path.stat().st_mtime_ns, options, file_name)
        open_form(kind_of_file(path, table), path, file_name)
    except EmbedlabError as error:  # perhaps only as it was told to be read
        show_error(error)
        with st.expander("Advanced", expanded=True):
            files.option_fields(None, key)
        return
    report = None if table is None else table.report
    with st.expander("Advanced"):
        one, two = st.columns(2)
        name = one.text_input("Name of the corpus", value=name, key=f"corpus.name.{path.name}") or name
        unlabeled = two.text_input("Label value that means “no label”", value="unlabeled", key="corpus.unlabeled")
        files.option_fields(report, key)
        if report is None:
            files.accept_field(key)
    reading = Reading(**options.model_dump(), name=name, unlabeled=unlabeled or None)
    row = st.columns([1, 1, 1, 1, 0.8], vertical_alignment="bottom")
    proposal = None
    if table is None:
        row[0].caption("Columns are proposed when it is read: each folder is one class, a sheet is read as a whole.")
    else:
        dialect = [str(value) for name, value in options if value is not None and name != "accept_reading"]
        reading, proposal, report = _choose(row, table, reading, key=".".join([key, *dialect]))
    request = ReadCorpus(reference=str(path.resolve()), reading=reading, file_name=file_name)
    is_doubted = report is not None and bool(report.doubts) and not options.accept_reading
    row[-1].button("Read these texts", key="corpus.read", type="primary", width="stretch", disabled=is_doubted,
                   on_click=READING.start, args=(request,))  # fmt: skip
    if proposal is not None and report is not None:
        files.reading_line(report)
        files.ask_about(report, key)
        _cards(proposal)


@st.cache_resource(max_entries=2, show_spinner="Reading the first rows")
def _table(path: str, changed: int, options: ReadOptions, file_name: str) -> Table | None:
    return first_rows(Path(path), options, name=file_name)


def _choose(
    row: list[DeltaGenerator], table: Table, reading: Reading, *, key: str
) -> tuple[Reading, Proposal, ReadingReport]:
    """Four pickers that start with the proposal, and what the rows become with these choices."""
    proposal = propose(replace(table), reading)
    names = [column.name for column in proposal.columns]
    text = files.column_choice(row[0], "Text", names, proposal.text, key=f"{key}.text")
    label = files.column_choice(row[1], "Label", names, proposal.label, key=f"{key}.label", may_lack=True)
    title = files.column_choice(row[2], "Title", names, proposal.title, key=f"{key}.title", may_lack=True)
    summaries = row[3].multiselect("Summaries", names, default=list(proposal.summaries), key=f"{key}.summaries")
    if not label:
        st.info(
            "No column is used as the label. Training, maps and neighbors work without one; kNN accuracy is then off."
        )
    chosen = {"text": text, "label": label, "title": title, "summaries": tuple(summaries)}
    proposed = {role: getattr(proposal, role) or files.NO_COLUMN for role in chosen}
    changed = {role: column for role, column in chosen.items() if column != proposed[role]}
    confirmed_table = replace(table)  # what is said of one choice of columns is not said of the next
    confirmed = propose(confirmed_table, reading.model_copy(update=changed))
    return reading.model_copy(update=chosen), confirmed, confirmed_table.report


def _cards(proposal: Proposal) -> None:
    for column, card in zip(st.columns(5), proposal.cards, strict=False):
        with column:
            text_card(card.text, label=card.label, title=card.title, summaries=card.summaries)


def from_hub() -> None:
    """A data set of the hub by its id."""
    typed = st.text_input(
        "Data set on Hugging Face",
        key="corpus.hub",
        placeholder="owner/name",
        help="Its files are listed at a pinned commit, downloaded, and read by embedlab's own readers.",
    )
    with st.expander("Advanced"):
        text, label = (
            cell.text_input(f"{role.capitalize()} column", key=f"corpus.hub.{role}",
                            placeholder="proposed from names and content").strip()
            for cell, role in zip(st.columns(2), ("text", "label"), strict=True)
        )  # fmt: skip
        files.accept_field("corpus.hub")
    reference = f"hf:{dataset_reference(typed).removeprefix('hf:')}"
    is_one = False
    if typed.strip():
        with errors_shown():
            is_one = bool(parse_reference(reference))
    accepted = bool(st.session_state.get("corpus.hub.accept"))
    reading = Reading(text=text or None, label=label or None, accept_reading=accepted)
    st.button(
        "Download and read",
        key="corpus.fetch",
        type="primary",
        disabled=not is_one,
        on_click=READING.start,
        args=(FetchCorpus(corpus=reference, reading=reading),),
    )


def from_catalog() -> None:
    """The papers' corpora: source, licence, size."""
    entries = list(CATALOG)
    rows = [
        {
            "Corpus": entry.title,
            "Texts": entry.texts,
            "Classes": entry.classes,
            "Download": in_bytes(entry.bytes) if entry.bytes else None,
            "License": entry.licence,
            "Source": entry.url,
            "Paper": entry.paper,
        }
        for entry in entries
    ]
    formats = {name: st.column_config.LinkColumn(width="medium") for name in ("Source", "Paper")}
    formats |= {name: st.column_config.NumberColumn(format="localized") for name in ("Texts", "Classes")}
    show_table(rows, alt="The papers' corpora, one per row.", formats=formats, placeholder="–")
    titles = {entry.key: entry.title for entry in entries}
    key = st.selectbox("Corpus of the catalog", key="corpus.catalog", **named(titles))
    request = FetchCorpus(corpus=key)
    st.button("Download and read", key="corpus.download", type="primary", on_click=READING.start, args=(request,))


BUILT_IN = "Built in"
SOURCES = {BUILT_IN: from_docs, OWN_FILE: from_file, "Hugging Face": from_hub, "Catalog": from_catalog}
