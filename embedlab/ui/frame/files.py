"""Files in and out: uploads are stored at once, their parsing can be changed, downloads are made on demand."""

import hashlib
import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from embedlab.corpora.notes import QUOTINGS, SEPARATORS, ReadingReport, ReadOptions
from embedlab.damage import read_bytes
from embedlab.limits import LIMITS
from embedlab.numbers import in_bytes
from embedlab.store_root import atomic_write, store_root
from embedlab.table_files import csv_bytes
from embedlab.ui.frame.layout import escaped, without_options
from embedlab.ui.frame.navigation import go_to_own_texts
from embedlab.ui.frame.state import named
from embedlab.ui.frame.typed_choice import one_or_typed, say_unmatched

_CALLED = "uploads.called"
_ENDING = re.compile(r"(\.[a-z0-9]{1,8}){1,2}$")


def keep_upload(uploaded: UploadedFile) -> Path:
    """The upload's path in the store: its content's hash and its extension; computed once per session."""
    uploads = st.session_state.setdefault("uploads", {})
    if uploaded.file_id in uploads:
        return Path(uploads[uploaded.file_id])
    digest = hashlib.file_digest(uploaded, "sha256").hexdigest()[:16]
    ending = _ENDING.search(uploaded.name.casefold())
    path = store_root() / "uploads" / f"{digest}{ending.group() if ending else ''}"
    if not path.exists():
        uploaded.seek(0)
        with atomic_write(path) as temporary, open(temporary, "wb") as file:
            shutil.copyfileobj(uploaded, file)
    uploads[uploaded.file_id] = str(path)
    st.session_state.setdefault(_CALLED, {})[str(path)] = uploaded.name
    return path


_MEGABYTES = LIMITS.upload_bytes // 2**20


def upload_or_path(
    label: str, *, key: str, placeholder: str, path_help: str, or_path: str = "Or a path on this computer", **more: Any
) -> tuple[Path | None, str]:
    """A drop zone beside a field for a path. -> the stored upload or the typed path; what was typed, if no upload"""
    left, right = st.columns(2)
    uploaded = left.file_uploader(label, key=f"{key}.upload", max_upload_size=_MEGABYTES, **more)
    typed = right.text_input(or_path, key=f"{key}.path", placeholder=placeholder, help=path_help)
    if uploaded is not None:
        return keep_upload(uploaded), ""
    return Path(typed.strip()).expanduser() if typed.strip() else None, typed.strip()


def own_texts_drop() -> None:
    """One drop zone on another page: the file opens on Data, which recognizes its kind."""
    dropped = st.file_uploader(
        "Use my own texts", key="own.drop", width=300, max_upload_size=_MEGABYTES,
        help=f"Texts with or without labels, pairs, an evaluation set, or embeddings, in a file of up to {_MEGABYTES} "
        "MB. Data also reads paths, folders and data sets of the hub.",
    )  # fmt: skip
    if dropped is not None:
        go_to_own_texts(keep_upload(dropped))


def called(path: Path) -> str:
    """The user's name for a file: an upload's own name, not the one it is stored under."""
    return st.session_state.get(_CALLED, {}).get(str(path), path.name)


def stem(name: str) -> str:
    """The file's name without extension, used as the corpus's name."""
    name = Path(name).name
    ending = _ENDING.search(name.casefold())
    return name[: -len(ending.group())] if ending and len(ending.group()) < len(name) else name


_MIMES = {
    ".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".md": "text/markdown",
    ".npy": "application/octet-stream", ".parquet": "application/vnd.apache.parquet", ".pdf": "application/pdf",
    ".png": "image/png", ".svg": "image/svg+xml", ".tex": "application/x-tex",
    ".txt": "text/plain", ".zip": "application/zip",
}  # fmt: skip
_CSV = "For spreadsheets: a cell that would run as a formula gets a leading apostrophe."


def download(label: str, content: str | bytes | Callable[[], bytes], file: str, *, key: str, **more: Any) -> None:
    """A button that sends a file; its ending says what it is. ``content``: a function is called when it is pressed"""
    st.download_button(label, content, file, _MIMES[Path(file).suffix], key=key, on_click="ignore", **more)


def csv_download(table: Callable[[], pa.Table], file: str, label: str, *, key: str) -> None:
    """The same for a table, made when the button is pressed."""
    download(label, lambda: csv_bytes(table()), file, key=key, help=_CSV)


_LINE, _CHARACTERS = 21, 110  # pixels a line, characters in one
_TALLEST = 2_000  # pixels of a box


def paragraph_shown(text: str, bibtex: str, *, of: str) -> None:
    """A paragraph of methods and its citations, each with a button that copies it, and both as a file."""
    code_box(text)
    if bibtex:
        st.subheader("BibTeX", anchor=False)
        code_box(bibtex, "latex", most=420)
    download("Download as text", f"{text}\n\n{bibtex}\n", f"methods-{of}.txt", key=f"methods-{of}")


def code_box(text: str, language: str | None = None, *, most: int = _TALLEST) -> None:
    """About as high as the text, so that content below does not jump; above ``most`` pixels it scrolls.

    What scrolls holds the button that copies, so that a keyboard reaches it.
    """
    height = _LINE * (2 + sum(1 + len(line) // _CHARACTERS for line in text.splitlines()))
    with st.container(height=min(height, most), border=False):
        st.code(text, language=language, wrap_lines=True)


SENT_BYTES = 200 * 2**20  # a larger file is not sent through the browser: the page says where it lies


def offer_file(label: str, path: Path, name: str) -> None:
    """A file on disk, with its size."""
    offer_made(label, partial(read_bytes, path), name, size=path.stat().st_size, path=path)


def offer_made(
    label: str, make: Callable[[], bytes], name: str, *, size: int, path: Path, most: int = SENT_BYTES
) -> None:
    """A file made by ``make``, of about ``size`` bytes; above ``most`` the location of its source is shown instead."""
    if size > most:
        st.caption(f"{label}, {in_bytes(size)}, is here:")
        st.code(str(path), language=None)
        return
    download(f"{label} ({in_bytes(size)})", make, name, key=f"files.{name}")


FOUND = "detected automatically"
_QUOTING_NAMES = {
    "doubled": "quoted, doubled inside",
    "backslash": "quoted, after a backslash",
    "single": "in single quotes",
    "none": "plain characters",
}
assert set(_QUOTING_NAMES) == set(QUOTINGS)


def chosen_options(key: str) -> ReadOptions:
    """The contents of the fields before they are drawn: they determine how the file is read, and so which fields there
    are.
    """
    fields = ("encoding", "separator", "quoting", "sheet", "header_row")
    values = {name: st.session_state.get(f"{key}.{name}") for name in fields}
    if values["encoding"] is not None:
        values["encoding"] = values["encoding"].strip()
    given = {name: value for name, value in values.items() if value not in (None, "")}
    return ReadOptions(**given, accept_reading=bool(st.session_state.get(f"{key}.accept")))


def option_fields(report: ReadingReport | None, key: str) -> None:
    """The fields that fit the format; all of them if the file was not read yet."""
    is_table = report is None or report.header_row is not None
    is_text = report is None or report.encoding is not None
    places = iter(st.columns(4))
    if is_text:
        next(places).text_input("Encoding", key=f"{key}.encoding", placeholder=_now(report and report.encoding),
                                help="Such as cp1252.")  # fmt: skip
    if is_text and is_table:
        name = report and report.separator and SEPARATORS.get(report.separator, report.separator)
        separators = {each: each for each in (*SEPARATORS.values(), "space")}
        with next(places):
            one_or_typed(
                "Separator", separators, key=f"{key}.separator", is_new=_is_sign, index=None, placeholder=_now(name),
                help="What separates the cells of a row. Another character can be typed.",
            )  # fmt: skip
            say_unmatched(f"{key}.separator", "Type one character, or choose one.")
        next(places).selectbox(
            "Quotes", index=None, key=f"{key}.quoting",
            placeholder=_now(report and _QUOTING_NAMES.get(report.quoting or "")),
            help="How quotes are used: around cells, with a quote inside doubled or after a backslash; or as ordinary "
            "characters.", **named(_QUOTING_NAMES),
        )  # fmt: skip
    if report is not None and report.sheets:
        next(places).selectbox("Sheet", report.sheets, index=None, key=f"{key}.sheet", placeholder=_now(report.sheet))
    if is_table:
        next(places).number_input(
            "Header row", 0, None, None, key=f"{key}.header_row", placeholder=_now(report and report.header_row),
            help="The row of column names, counted from 1; 0 if there is none.",
        )  # fmt: skip


def _is_sign(typed: str) -> bool:
    """Whether a typed separator is the character itself."""
    return len(typed) == 1 or typed == "\\t"


def reading_line(report: ReadingReport) -> None:
    """Format, dialect, columns, rows left out."""
    st.caption(f":material/description: {escaped(report.prose, 1_200)}")


def ask_about(report: ReadingReport, key: str) -> None:
    """The doubts about this reading, and a way to accept it anyway."""
    for doubt in report.doubts:
        st.warning(escaped(without_options(doubt.message), 700))
    if report.doubts:
        accept_field(key)


def accept_field(key: str) -> None:
    """One checkbox."""
    st.checkbox("Accept this reading", key=f"{key}.accept", help="In spite of the doubts about this reading.")


def two_numbers(written: str) -> list[float] | None:
    """A scale: two numbers among any words; None keeps the detected one."""
    numbers = []
    for word in written.replace(",", " ").split():
        try:
            numbers.append(float(word))
        except ValueError:
            continue
    return numbers if len(numbers) == 2 and numbers[0] < numbers[1] else None


NO_COLUMN = ""


def column_choice(
    cell: DeltaGenerator, label: str, names: Sequence[str], proposed: str | None, *, key: str, may_lack: bool = False
) -> str | None:
    """A column by its name, at first the proposed one; ``may_lack``: or ``NO_COLUMN``, so none is proposed again."""
    choices = [NO_COLUMN, *names] if may_lack else list(names)
    index = choices.index(proposed or NO_COLUMN) if (proposed or NO_COLUMN) in choices else None
    return cell.selectbox(label, choices, index=index, key=key, format_func=lambda name: name or "none")


def _now(value: object) -> str:
    """The current parsing."""
    return FOUND if value in (None, "") else str(value)
