"""What a dropped file is: texts, pairs to train on, an evaluation set or embeddings; and the way to its form."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pyarrow as pa
import streamlit as st

from embedlab.corpora.formats.folders import zip_names
from embedlab.corpora.names import ANCHOR_NAMES, POSITIVE_NAMES, SCORE_NAMES, TEXT_NAMES
from embedlab.corpora.sets.judgements import NLI, is_judged
from embedlab.corpora.sets.queries import is_of_queries, with_names
from embedlab.corpora.tables import Table
from embedlab.errors import CorpusError
from embedlab.ui.frame.text import escaped

TEXTS, PAIRS, SET, EMBEDDINGS = "a corpus", "training pairs", "an evaluation set", "embeddings"
_FORMS = {  # kind -> the view of Data, and the key of its form's path
    PAIRS: ("Training pairs", "train.pairs.path"),
    SET: ("Evaluation sets", "metrics.set.path"),
    EMBEDDINGS: ("Embeddings", "own.path.before"),
}
_VAGUE = ("text", "sentence", "document", "doc")  # a corpus has such columns too
_ARRAYS = (".npy", ".npz")


@dataclass(frozen=True)
class FileKind:
    """The kind that a file is recognised as, and the evidence in words."""

    kind: str
    why: str = ""


def kind_of_file(path: Path, table: Table | None) -> FileKind:
    """Recognises a file by its extension, the names in a folder or zip, and its columns. ``table``: its first rows"""
    if path.suffix.casefold() in _ARRAYS:
        return FileKind(EMBEDDINGS, "an array of numbers")
    if _is_beir(path):
        return FileKind(SET, "a folder of documents, queries and judgements, as BEIR keeps them")
    if table is None:
        return FileKind(TEXTS)
    names = {name.casefold(): name for name in table.columns.column_names}
    if not set(names) & set(TEXT_NAMES) and (vectors := _vector_column(table, names)):
        return FileKind(EMBEDDINGS, f"numbers in {vectors}")
    try:
        is_judgements = is_of_queries(with_names(table))
    except CorpusError:
        is_judgements = False
    if is_judgements or {"query", "positive", "negative"} <= set(names):
        return FileKind(SET, f"queries with what is relevant to them ({', '.join(names)})")
    return _pairs_in(table, names)


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
        if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
            if pa.types.is_floating(kind.value_type):
                return field.name
    if {"e0", "e1"} <= set(names):
        return "e0, e1, …"
    return "x and y" if {"x", "y"} <= set(names) else ""


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


def offer_kinds(file_kind: FileKind, path: Path, name: str) -> bool:
    """Says what the file is if it is not a corpus, with buttons to the right form. -> whether to read it as one"""
    key = f"data.as-{path.name}"
    if file_kind.kind == TEXTS or st.session_state.get(key):
        with st.popover("Not a corpus?", width="content"):
            for kind in _FORMS:
                st.button(f"Open as {kind}", key=f"{key}-{kind}", on_click=_open_form, args=(kind, path))
        return True
    line = f"{name} looks like {file_kind.kind}: {file_kind.why}."
    st.info(escaped(line, 300))
    with st.container(horizontal=True):
        for kind in sorted(_FORMS, key=lambda each: each != file_kind.kind):
            st.button(f"Open as {kind}", key=f"{key}-{kind}", type="primary" if kind == file_kind.kind else "secondary",
                      on_click=_open_form, args=(kind, path))  # fmt: skip
        st.button("Read it as a corpus", key=f"{key}-texts", on_click=_read_as_texts, args=(key,))
    return False


def _open_form(kind: str, path: Path) -> None:
    view, field = _FORMS[kind]
    st.session_state["data"], st.session_state[field] = view, str(path)


def _read_as_texts(key: str) -> None:
    st.session_state[key] = True
