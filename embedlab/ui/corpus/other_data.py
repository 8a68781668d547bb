"""Stored data other than corpora: pairs to train on, evaluation sets, and embeddings made elsewhere."""

from functools import partial

import numpy as np
import pyarrow as pa
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import PAIRS, SETS, list_sets, open_pairs, open_set
from embedlab.corpora.stored.shelf import CorpusInfo
from embedlab.damage import read_model_if_whole
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.corpora import BringVectors, ImportedRun, VectorFile
from embedlab.metrics import METRICS
from embedlab.numbers import count, counted
from embedlab.progress import silent
from embedlab.runs.imported import is_own
from embedlab.runs.index.find import find_runs, newest_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import open_run
from embedlab.training.titles import run_title
from embedlab.ui.components.own_files import add_set, described, pairs_choice
from embedlab.ui.corpus.corpus_view import shelf_actions
from embedlab.ui.corpus.file_kind import VECTORS
from embedlab.ui.corpus.mining_view import mining_section
from embedlab.ui.frame.background import awaited
from embedlab.ui.frame.files import called, upload_or_path
from embedlab.ui.frame.layout import escaped, show_error, show_table, without_options
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import empty_state, faults_line
from embedlab.ui.frame.pickers import corpus_picker, stored_choice
from embedlab.ui.frame.progress import FormJob, follow_job
from embedlab.ui.frame.state import named, one_of, opened, pick_run
from embedlab.vectors.faults import faults_in
from embedlab.vectors.ids import ORDER, ROW
from embedlab.vectors.laid import join, lay_in_order, require_places
from embedlab.vectors.opened import COORDINATES, EMBEDDINGS, OwnVectors, open_vectors

SHOWN_SET, SET_PICKER = "data.set", "data.set_picker"
SHOWN_ROWS = 8
_CHARACTERS = 300


def stored_pairs() -> None:
    """The pairs that are chosen for training, eight of them, and the way to add a file."""
    if (info := pairs_choice()) is None:
        st.caption("Recipes of the group “given pairs” train on these: questions with answers, NLI, scored pairs.")
        return
    with st.container(horizontal=True):
        shelf_actions(PAIRS, info)
    pairs = open_pairs(info.fingerprint)
    columns: dict[str, list] = {"Anchor": pairs.anchors, "Belongs to it": pairs.positives}
    columns |= {"Score": pairs.scores} if pairs.scores is not None else {}
    _sample({name: values[:SHOWN_ROWS] for name, values in columns.items()}, counted(info.pairs, "pair"))
    mining_section(info)


def stored_sets() -> None:
    """The chosen evaluation set, what it measures, the beginning of it, and the way to add a file."""
    infos = {info.fingerprint: info for info in list_sets()}
    if not infos:
        st.write("No evaluation set is stored yet. A file of pairs, queries, judgments or candidates becomes one.")
    else:
        with st.container(horizontal=True, vertical_alignment="bottom"):
            lines = {each.fingerprint: f"{each.name} · {each.sizes}" for each in infos.values()}  # plain, not Markdown
            info = infos[stored_choice("Evaluation set", lines, key=SET_PICKER, slot=SHOWN_SET, width=460)]
            shelf_actions(SETS, info)
        serves = ", ".join(METRICS[key].title for key in info.serves)
        st.caption(escaped(f"Measures {serves}. Scores, Metrics of a run measures on it.", 300))
        described(info)
        stored = open_set(info.fingerprint)
        names = ("sentence1", "sentence2", "score", "same") if info.kind == "pairs" else ("query",)
        columns = {name: stored.column(name)[:SHOWN_ROWS] for name in names}
        nonempty = {name: values for name, values in columns.items() if any(value is not None for value in values)}
        _sample(nonempty, info.sizes)
    add_set()


def _sample(columns: dict[str, list], of: str) -> None:
    """The first rows of a stored file."""
    shortened = {name: [each[:_CHARACTERS] if isinstance(each, str) else each for each in values]
             for name, values in columns.items()}  # fmt: skip
    rows = len(next(iter(shortened.values())))
    st.caption(f"The first {rows} of {of}.")
    show_table(pa.table(shortened), alt=f"The first {rows} of {of}.")


def own_embeddings() -> None:
    """Lists a corpus's runs made of imported embeddings, above the form that imports others."""
    fingerprint = corpus_picker("data.embeddings_of")
    if fingerprint is None:
        empty_state("Embeddings belong to a corpus, so its texts come first.", button="Add a corpus", page="corpus")
        return
    imported = [run for run in find_runs(corpus=fingerprint) if is_own(run)]
    for run in imported:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.write(escaped(run_title(run)))
            if st.button("Open", key=f"data.open-{run.id}", on_click=pick_run, args=(run,)):
                go_to("maps")
    is_given = any(st.session_state.get(f"own.{role}.path") for role, _ in ROLES.values())
    own_vectors_form(opened(fingerprint), is_open=is_given or not imported)


IMPORT = FormJob("own.job")  # that this session started or saw
KINDS = {EMBEDDINGS: "Embeddings", COORDINATES: "Coordinates"}
ROLES = {EMBEDDINGS: ("before", "after"), COORDINATES: ("coordinates", "coordinates_after")}
CHECKED_NUMBERS = 2**26  # of a file, 256 MB as float32; those of a larger one are looked at as it is imported
_ABOUT = {
    EMBEDDINGS: "One vector per text, from any encoder: a .npy array (rows, dim), .npz with ids, or Parquet "
    "with a list column or with numbered columns (e0, e1, …). They are measured like a run's and drawn as maps; no "
    "encoder is needed.",
    COORDINATES: "Two numbers per text, from any map: Parquet with the columns x and y, or a .npy array (rows, 2). "
    "They are shown unchanged.",
}
_BYTES = (
    "Embeddings can be stored as bits, eight dimensions in each byte, and this file looks like that. Tick this if each "
    "byte is one dimension instead, as in int8 or uint8 embeddings."
)
_BY = {"": "Ids that both have, else row", ROW: "Row numbers, counted from 0", ORDER: "The corpus's order"}


def own_vectors_form(corpus: Corpus, *, is_open: bool) -> None:
    """Folded: one file or two for this corpus, what is in them, and the button that imports them."""
    with st.expander("Use my own embeddings", expanded=is_open):
        _show_job(corpus.info)
        kind = one_of("What the files contain", KINDS, key=VECTORS, first=EMBEDDINGS, is_labelled=False)
        st.caption(f"{_ABOUT[kind]} They are joined with the corpus by a column of ids that both have, else by row.")
        files: dict[str, VectorFile] = {}
        are_fit = True
        boxes = (st.container(), st.expander("A second file, to compare with it"))
        for role, title, box in zip(ROLES[kind], ("File", "Second file"), boxes, strict=True):
            with box:
                given = _file(role, title, kind, corpus)
            if given is not None:
                files[role], fits = given
                are_fit &= fits
        ready = ROLES[kind][0] in files and are_fit
        st.button("Import them", key="own.import", type="primary", disabled=not ready, on_click=_start,
                  args=(corpus.fingerprint, files))  # fmt: skip


def _file(role: str, title: str, kind: str, corpus: Corpus) -> tuple[VectorFile, bool] | None:
    """A path or an upload, what it holds, and whether it can be imported."""
    path, _ = upload_or_path(
        title, key=f"own.{role}", placeholder="/home/me/embeddings.npy", type=["npy", "npz", "parquet"],
        path_help="Large files are read in place, in parts.",
    )  # fmt: skip
    if path is None:
        return None
    path = path.absolute()
    name = called(path)
    key = f"own.column.{role}"
    column = (st.session_state.get(key) or "").strip() or None  # asked for below, once it is known to be needed
    numbers = f"own.numbers.{role}.{name}"
    as_numbers = bool(st.session_state.get(numbers))
    fits, by, asks = False, "", column is not None
    try:
        vectors = open_vectors(path, kind=kind, column=column, name=name, as_numbers=as_numbers)
        if as_numbers or vectors.packing is not None:
            st.checkbox("One number per byte", key=numbers, help=_BYTES)
        if vectors.ids:
            names = _BY | {column: f"Column {column}" for column in vectors.ids}
            by = st.selectbox("Join with the corpus by", key=f"own.ids.{role}.{vectors.name}",
                              help="Which text each vector belongs to.", **named(names))  # fmt: skip
        fits = _show_what_it_holds(vectors, corpus, kind, by)
    except EmbedlabError as error:
        show_error(error)
        asks = asks or (error.code == "E-COLUMN" and kind == EMBEDDINGS)
    if asks:
        st.text_input("Column, or stem of numbered columns", key=key, placeholder="embedding")
    return VectorFile(path=str(path), name=name, column=column, ids=by or None, as_numbers=as_numbers), fits


def _show_what_it_holds(vectors: OwnVectors, corpus: Corpus, kind: str, by: str) -> bool:
    """Shows the file's size, its join with the corpus and defects of its vectors. -> whether it can be imported"""
    joined = join(vectors, corpus, by=by, gaps=kind == COORDINATES)
    line = f"{count(vectors.rows)} rows of {count(vectors.dim)} values. {joined.summary.sentence}"
    st.caption(f":material/check: {escaped(line, 400)}")
    if vectors.remark:
        st.caption(f":material/info: {escaped(without_options(vectors.remark), 400)}")
    if kind == COORDINATES:
        require_places(vectors)
        return True
    if corpus.info.rows * vectors.dim > CHECKED_NUMBERS:
        st.caption("Zero, repeated and constant vectors are counted as they are imported.")
        return True
    changed = vectors.path.stat().st_mtime_ns
    key = ("own", str(vectors.path), changed, vectors.columns, vectors.dim, by, corpus.fingerprint)
    checked = awaited(key, partial(_check, vectors, corpus, by), "Reading the vectors.")
    if isinstance(checked, EmbedlabError):
        raise checked
    faults_line(checked or ())
    return checked is not None


def _check(vectors: OwnVectors, corpus: Corpus, by: str) -> list[str] | EmbedlabError:
    """Defects of the vectors, a sentence each, or why they cannot be imported."""
    laid = np.empty((corpus.info.rows, vectors.dim), np.float32)
    try:
        lay_in_order(vectors, corpus, laid, progress=silent, by=by)
    except EmbedlabError as error:
        return error
    return faults_in(laid, corpus.kept, corpus.copies).sentences


def _show_job(info: CorpusInfo) -> None:
    """The current import; when it is done, the link to its maps."""
    job = newest_job(BringVectors.task, corpus=info.fingerprint)
    if job is None or (job != IMPORT.folder and read_state(job).is_over):
        return  # one that ended before this session
    IMPORT.keep(job)
    imported = read_model_if_whole(job.result, ImportedRun)
    if follow_job(job) is not State.FINISHED or imported is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.write(escaped(f"Imported: {read_request(job, BringVectors).run_name}.", 300))
        if st.button("Open its maps", key=f"own.open-{job.id}", type="primary", on_click=_open, args=(imported.run,)):
            go_to("maps")


def _open(run_id: str) -> None:
    IMPORT.forget()
    pick_run(open_run(run_id))


def _start(corpus: str, files: dict[str, VectorFile]) -> None:
    IMPORT.start(BringVectors.model_validate({"corpus": corpus, **files}))
