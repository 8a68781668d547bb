"""The kind of a dropped file, by its extension, its folder and its columns; one that is not a corpus opens its form."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import pyarrow as pa
import streamlit as st

from embedlab.archives import zip_names
from embedlab.corpora.names import ANCHOR_NAMES, POSITIVE_NAMES, SCORE_NAMES, TEXT_NAMES
from embedlab.corpora.sets.judgements import NLI, is_judged
from embedlab.corpora.sets.queries import is_of_queries, with_names
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.table_files import is_list
from embedlab.ui.frame.layout import escaped
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.state import CORPUS_SOURCE, DROPPED, OWN_FILE
from embedlab.vectors.opened import COORDINATES, EMBEDDINGS

TEXTS, PAIRS, SET = "a corpus", "training pairs", "an evaluation set"
VECTORS = "own.kind"  # the key of whether the form of vectors takes embeddings or coordinates
RECOGNIZED = "data.recognized"  # the last file that opened the form of its kind: that, its path, the user's name
_VAGUE = ("text", "sentence", "document", "doc")  # a corpus has such columns too


class Form(NamedTuple):
    """Of a kind of data other than corpora: its key in ``PLACES``, its view of Data, and the key of its path."""

    page: str
    view: str
    path: str


_FORMS = {
    PAIRS: Form("pairs", "Training pairs", "train.pairs.path"),
    SET: Form("evaluation sets", "Evaluation sets", "metrics.set.path"),
    EMBEDDINGS: Form("own embeddings", "Embeddings", "own.before.path"),
    COORDINATES: Form("own embeddings", "Embeddings", "own.coordinates.path"),
}
_PLACES = "x and y"


@dataclass(frozen=True)
class FileKind:
    """The kind that a file is recognized as, and the evidence in words."""

    kind: str
    why: str = ""


def kind_of_file(path: Path, table: Table | None) -> FileKind:
    """Recognises a file by its extension, the names in a folder or zip, and its columns. ``table``: its first rows"""
    if is_array(path):
        return FileKind(EMBEDDINGS, "an array of numbers")
    if _is_beir(path):
        return FileKind(SET, "a folder of documents, queries and judgments, as BEIR keeps them")
    if table is None:
        return FileKind(TEXTS)
    names = {name.casefold(): name for name in table.columns.column_names}
    if not set(names) & set(TEXT_NAMES) and (vectors := _vector_column(table, names)):
        return FileKind(COORDINATES if vectors == _PLACES else EMBEDDINGS, f"numbers in {vectors}")
    try:
        is_judgements = is_of_queries(with_names(table))
    except CorpusError:
        is_judgements = False
    if is_judgements or {"query", "positive", "negative"} <= set(names):
        return FileKind(SET, f"queries with what is relevant to them ({', '.join(names)})")
    return _pairs_in(table, names)


def is_array(path: Path) -> bool:
    """Whether its name says that it holds vectors alone."""
    return path.suffix.casefold() in (".npy", ".npz")


def _pairs_in(table: Table, names: dict[str, str]) -> FileKind:
    """Two text columns whose names belong together, perhaps with a score."""
    first = next((name for name in ANCHOR_NAMES if name in names and name not in _VAGUE), None)
    second = next((name for name in POSITIVE_NAMES if name in names and name not in _VAGUE and name != first), None)
    if first is None or second is None:
        return FileKind(TEXTS)
    score = next((names[name] for name in SCORE_NAMES if name in names and name not in (first, second)), None)
    is_nli = score is not None and bool(set(NLI) & {str(cell).casefold() for cell in table.column(score)})
    if score is not None and is_judged(table, score) and not is_nli:
        return FileKind(SET, f"pairs of texts with a score ({names[first]}, {names[second]}, {score})")
    return FileKind(PAIRS, f"pairs of texts ({names[first]}, {names[second]})")


def _vector_column(table: Table, names: dict[str, str]) -> str:
    """Names of the columns that hold vectors or coordinates; empty if none do."""
    for field in table.columns.schema:
        kind = field.type
        if is_list(kind) and pa.types.is_floating(kind.value_type):
            return field.name
    if {"e0", "e1"} <= set(names):
        return "e0, e1, …"
    return _PLACES if {"x", "y"} <= set(names) else ""


def _is_beir(path: Path) -> bool:
    """Whether a folder or zip holds documents and judgements."""
    if path.is_dir():
        paths = [*path.glob("*"), *path.glob("qrels/*")]
        files = [file.relative_to(path).as_posix() for file in paths if file.is_file()]
    else:
        files = zip_names(path)
    names = [PurePosixPath(file.casefold()) for file in files]
    has_documents = any(name.name.startswith(("corpus.", "docs.", "documents.", "collection.")) for name in names)
    return has_documents and any("qrels" in name.as_posix() for name in names)


def open_form(file_kind: FileKind, path: Path, name: str) -> None:
    """Open the form of a file that is not a corpus, unless it was to be read as one; else the ways to other forms."""
    if file_kind.kind != TEXTS and not st.session_state.get(_as_texts(path)):
        st.session_state[RECOGNIZED] = file_kind, path, name
        st.session_state.pop(DROPPED, None)
        _fill(file_kind.kind, path)
        go_to(_FORMS[file_kind.kind].page)
    with st.popover("Not a corpus?", width="content"):
        for kind in _FORMS:
            _open_button(kind, path)


def recognized_line(view: str) -> None:
    """In a form that a dropped file opened: what the file was taken for, and the other ways to read it."""
    if RECOGNIZED not in st.session_state:
        return
    file_kind, path, name = st.session_state[RECOGNIZED]
    kind, form = file_kind.kind, _FORMS[file_kind.kind]
    if form.view != view or st.session_state.get(form.path) != str(path):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escaped(f"{name} looks like {kind}: {file_kind.why}.", 300), width="content")
        with st.popover(f"Not {kind}?", width="content"):
            for other in _FORMS:
                if other != kind:
                    _open_button(other, path)
            if not is_array(path):
                st.button("Read it as a corpus", key="data.as-texts", on_click=_read_as_texts, args=(path,))


def _open_button(kind: str, path: Path) -> None:
    st.button(f"Open as {kind}", key=f"data.as-{kind}", on_click=_open, args=(kind, path))


def _open(kind: str, path: Path) -> None:
    st.session_state["data"] = _FORMS[kind].view
    _fill(kind, path)


def _fill(kind: str, path: Path) -> None:
    st.session_state[_FORMS[kind].path] = str(path)
    if kind in (EMBEDDINGS, COORDINATES):
        st.session_state[VECTORS] = kind


def _read_as_texts(path: Path) -> None:
    st.session_state[_as_texts(path)], st.session_state[DROPPED] = True, str(path)
    st.session_state["data"], st.session_state[CORPUS_SOURCE] = "Corpora", OWN_FILE


def _as_texts(path: Path) -> str:
    """The key of whether this file is to be read as a corpus whatever it looks like."""
    return f"data.as-texts-{path}"
