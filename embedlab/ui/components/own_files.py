"""A user's pairs and evaluation sets: choose stored ones, or read files whose columns are proposed and shown."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st

from embedlab.corpora.files import read_table
from embedlab.corpora.hub import dataset_reference, parse_reference
from embedlab.corpora.notes import ReadingReport
from embedlab.corpora.sets.judgements import NLI
from embedlab.corpora.sets.pairs import PairProposal, PairReading, propose_pairs
from embedlab.corpora.sets.reading import SetReading
from embedlab.corpora.sets.stored import SETS, GivenPairs, PairsInfo, list_pairs, open_pairs, open_set
from embedlab.corpora.stored.shelf import StoredInfo
from embedlab.damage import read_model, read_model_if_whole
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.corpora import AddedPairs, AddedSet, FetchedTable, FetchTable, ReadPairs, ReadSet
from embedlab.numbers import counted
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.ui.components.train_fields import PAIRS
from embedlab.ui.frame import files
from embedlab.ui.frame.layout import errors_shown, escaped, show_error, show_text
from embedlab.ui.frame.progress import FormJob, follow_job, job_panel
from embedlab.ui.frame.state import named

PAIRS_JOB = FormJob("train.pairs_job")
_TAKEN = "train.pairs_taken"  # the job whose pairs were chosen by themselves
_SHOWN = 160  # characters of a text on a card


def chosen_pairs() -> GivenPairs | None:
    """Those chosen in this session, if still stored; otherwise the only ones there are."""
    stored = [info.fingerprint for info in list_pairs()]
    chosen = st.session_state.get(PAIRS)
    if chosen not in stored:
        chosen = stored[0] if len(stored) == 1 else None
    return None if chosen is None else open_pairs(chosen)


def pairs_choice() -> PairsInfo | None:
    """Stored pairs to choose from, and an upload, whose pairs are chosen once they are stored; the chosen ones."""
    job = PAIRS_JOB.folder
    if job is not None and follow_job(job) is State.FINISHED and st.session_state.get(_TAKEN) != job.id:
        st.session_state[_TAKEN], st.session_state[PAIRS] = job.id, read_model(job.result, AddedPairs).fingerprint
    stored = {info.fingerprint: info for info in list_pairs()}
    if stored:
        if st.session_state.get(PAIRS) not in stored:
            st.session_state[PAIRS] = next(iter(stored))
        st.selectbox(
            "Pairs to train on", list(stored), format_func=lambda key: _line(stored[key]), key=PAIRS,
            persist_state="session", width=620,
        )  # fmt: skip
        described(stored[st.session_state[PAIRS]])
    with st.expander("Add pairs of your own", expanded=not stored or bool(st.session_state.get("train.pairs.path"))):
        _add()
    return stored[st.session_state[PAIRS]] if stored else None


def described(info: StoredInfo) -> None:
    """How a stored file was read, and the notes on it."""
    if info.reading is not None:
        files.reading_line(info.reading)
    for note in info.notes:
        st.caption(escaped(note.message, 400))


def _line(info: PairsInfo) -> str:
    parts = [counted(info.pairs, "pair")]
    parts += [f"{info.negatives} negatives each"] if info.negatives else []
    parts += ["scored"] if info.has_scores else []
    return f"{info.name} ({', '.join(parts)})"


def _add() -> None:
    st.caption(
        "A table with two columns of matching texts (question and answer, query and document, sentence1 and "
        "sentence2), optionally with columns of non-matching texts, a similarity score, or NLI labels."
    )
    path, name = _file("File of pairs", "train.pairs", example="pairs", usual=("train",))
    if path is None:
        return
    key = f"train.pairs.{name}"
    options = files.chosen_options(key)
    reading, proposal = PairReading(**options.model_dump()), None
    try:
        columns = read_table(path, options, name=name).columns.column_names
        with suppress(EmbedlabError):  # what names suggest, until the columns are chosen
            proposal = propose_pairs(path, reading, file_name=name)
        reading = _columns(columns, proposal, reading, key=key)
        proposal = propose_pairs(path, reading, file_name=name)
    except EmbedlabError as error:
        proposal = None
        show_error(error)
    with st.expander("Read it differently", expanded=proposal is None):
        files.option_fields(None if proposal is None else proposal.reading, key)
        files.accept_field(key)
    if proposal is None:
        return
    files.reading_line(proposal.reading)
    _cards(proposal)
    named = reading.model_copy(update={"name": files.stem(name)})
    request = ReadPairs(path=str(path.absolute()), file_name=name, reading=named, with_corpus=True)
    st.button("Read these pairs", key="train.pairs.read", type="primary", on_click=PAIRS_JOB.start, args=(request,))


def _columns(columns: Sequence[str], proposal: PairProposal | None, reading: PairReading, *, key: str) -> PairReading:
    """The role of each column, as proposed until changed; the scale, and the meaning of NLI numbers."""
    row = st.columns(4)
    proposed: dict[str, Any] = {
        name: proposal and getattr(proposal, name) for name in ("anchor", "positive", "negative", "score")
    }
    anchor = files.column_choice(row[0], "Anchor", columns, proposed["anchor"], key=f"{key}.anchor")
    positive = files.column_choice(row[1], "Matching text", columns, proposed["positive"], key=f"{key}.positive")
    negative = row[2].multiselect("Other text", columns, list(proposed["negative"] or ()), key=f"{key}.negative")
    score = files.column_choice(row[3], "Score or label", columns, proposed["score"], key=f"{key}.score", may_lack=True)
    scale = nli = None
    if score:
        left, right = st.columns(2)
        detected = _scale(None if proposal is None else proposal.reading) or "such as 0 to 5"
        scale = files.two_numbers(left.text_input("Scale", key=f"{key}.scale", placeholder=detected))
        coded = right.text_input("NLI classes that 0, 1, 2 mean", key=f"{key}.nli", placeholder=", ".join(NLI))
        nli = tuple(word.strip() for word in coded.split(",") if word.strip()) or None
    chosen = {"anchor": anchor, "positive": positive, "negative": tuple(negative) or None, "score": score}
    return reading.model_copy(update=chosen | {"scale": scale, "nli": nli})


def _scale(report: ReadingReport | None) -> str:
    """``0 to 5``, as detected; empty if it was not."""
    return "{:g} to {:g}".format(*report.scale) if report is not None and report.scale else ""


def _cards(proposal: PairProposal) -> None:
    for column, card in zip(st.columns(max(1, len(proposal.cards))), proposal.cards, strict=False):
        with column.container(border=True, height="stretch"):
            for title, text in (("Anchor", card.anchor), ("Matching text", card.positive)):
                st.caption(title)
                show_text(text, characters=_SHOWN)
            for text in card.negatives:
                st.caption("Other text")
                show_text(text, characters=_SHOWN)
            if card.score is not None:
                st.caption(f"Score {escaped(card.score, 20) or 'none'}")


SET_JOB = FormJob("metrics.set_job")
COLUMNS = """
| kind | columns or files | measures |
|---|---|---|
| pairs | `sentence1`, `sentence2`, `score` (its scale is detected) | STS |
| pairs | `sentence1`, `sentence2`, `is_paraphrase` (true, false, empty: undecided) | paraphrase |
| queries | `query`, `doc_ids` (a list, or one per row), optionally `gain`; documents: `doc_id`, `text` | retrieval |
| judgments | TREC's four columns, or `query-id`, `corpus-id`, `score`; files of documents and of queries | retrieval |
| BEIR | a folder or zip of `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv` | retrieval |
| candidates | `query`, `positive`, `negative` (lists of texts) | reranking |
"""
_COLUMNS = {"anchor": "Texts", "positive": "Compared with", "score": "Score"}
_OWN = {"leave": "leave it out", "keep": "keep it"}
_SET_READING = "metrics.set.reading"  # begins the keys of how the file is parsed


def add_set() -> None:
    """Collapsed: the columns, the files, how they are parsed, and the state of reading."""
    job = SET_JOB.folder
    added = None if job is None else read_model_if_whole(job.result, AddedSet)
    info = open_set(added.fingerprint).info if added is not None and SETS.holds(added.fingerprint) else None
    report = None if info is None else info.reading
    is_named = bool(st.session_state.get("metrics.set.path"))
    with st.expander("Add pairs, queries, judgments or candidates of your own", expanded=job is not None or is_named):
        st.markdown(COLUMNS)
        path, file_name = _file("File", "metrics.set", usual=("test",))
        more: dict[str, Path | None] = {}
        if st.toggle("Documents or queries are in separate files", key="metrics.set.apart"):
            more = {name: _file(name.capitalize(), f"metrics.set.{name}")[0] for name in ("documents", "queries")}
        with st.container(horizontal=True):
            reading = _set_reading(report, {name: str(file) for name, file in more.items() if file is not None})
            named = reading.model_copy(update={"name": files.stem(file_name)})
            request = ReadSet(path=str(path), file_name=file_name, reading=named)
            st.button(
                "Read this set", key="metrics.set.read", on_click=SET_JOB.start, args=(request,), disabled=path is None
            )
        if job and follow_job(job) is State.FINISHED and info is not None:
            st.success(f"{escaped(info.name)}: {info.sizes}. Choose it under Measure on.")
            described(info)
        elif job and not read_state(job).is_over:
            st.caption("The set can be chosen as soon as it is read.")


def _set_reading(report: ReadingReport | None, more: dict[str, str]) -> SetReading:
    """The choices of columns and parsing, initially as last read. ``more``: files of documents and queries"""
    with st.popover("Read it differently"):
        row = st.columns(3)
        split = row[0].text_input("Split", key="metrics.set.split", placeholder="test, if there is one")
        detected = _scale(report) or files.FOUND
        scale = row[1].text_input("Scale of the scores", key="metrics.set.scale", placeholder=detected)
        own_document = row[2].selectbox(
            "A query's own document", index=None, key="metrics.set.own", placeholder=files.FOUND, **named(_OWN)
        )
        names = {name: column.text_input(label, key=f"metrics.set.{name}", placeholder="the column's name") for column,
                 (name, label) in zip(st.columns(3), _COLUMNS.items(), strict=True)}  # fmt: skip
        files.option_fields(report, _SET_READING)
        files.accept_field(_SET_READING)
    columns = {name: typed.strip() or None for name, typed in {"split": split, **names}.items()}
    options = files.chosen_options(_SET_READING).model_dump()
    choices = {"scale": files.two_numbers(scale), "own": own_document}
    return SetReading.model_validate(options | more | columns | choices)


def _file(label: str, key: str, *, example: str = "", usual: tuple[str, ...] = ()) -> tuple[Path | None, str]:
    """The location of the file, folder or downloaded data set, and its name; ``usual``: see ``FetchTable``."""
    path, typed = files.upload_or_path(
        label, key=key, placeholder=f"/home/me/{example or label.lower()}.csv",
        path_help="hf: a data set on the Hugging Face hub, as hf:owner/name or hf:owner/name:configuration:split.",
        or_path="Or a path on this computer, or hf:owner/name",
    )  # fmt: skip
    if (reference := dataset_reference(typed)).startswith("hf:"):
        return _downloaded(FetchTable(reference=reference, usual=usual), key)
    return path, "" if path is None else files.called(path)


def _downloaded(request: FetchTable, key: str) -> tuple[Path | None, str]:
    """The table of a data set and its name, once it is downloaded; the button that starts it, and its progress."""
    tables: list[RunFolder] = []
    with errors_shown():
        parse_reference(request.reference)
        job_panel(request, start="Download", key=f"{key}.download", show=tables.append, primary=False)
    if not tables:
        return None, ""
    table = read_model(tables[0].result, FetchedTable)
    for note in table.notes:
        st.caption(escaped(note, 300))
    return table.path, table.path.name
