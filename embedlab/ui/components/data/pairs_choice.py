"""Given pairs on Train: choose stored ones, or read a file, its columns proposed and five pairs shown to confirm."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import streamlit as st

from embedlab.corpora.files import read_table
from embedlab.corpora.sets.judgements import NLI
from embedlab.corpora.sets.pairs import PairProposal, PairReading, propose_pairs
from embedlab.corpora.sets.stored import GivenPairs, PairsInfo, list_pairs, open_pairs
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.corpora import ReadPairs
from embedlab.limits import LIMITS
from embedlab.numbers import counted
from embedlab.runs.state import State
from embedlab.runs.store import read_job_result
from embedlab.ui.components.train_fields import PAIRS
from embedlab.ui.frame.files import called, keep_upload, stem
from embedlab.ui.frame.job_panel import FormJob
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.reading_form import (
    accept_field,
    chosen_options,
    option_fields,
    reading_line,
    two_numbers,
)
from embedlab.ui.frame.text import escaped, show_text

READING = FormJob("train.pairs_job")
_TAKEN = "train.pairs_taken"  # the job whose pairs were chosen by themselves
_SHOWN = 160  # characters of a text on a card
_NONE = ""  # a column that is not there


def chosen_pairs() -> GivenPairs | None:
    """Those chosen in this session, if they are still stored; else the only ones there are."""
    known = [info.fingerprint for info in list_pairs()]
    chosen = st.session_state.get(PAIRS)
    if chosen not in known:
        chosen = known[0] if len(known) == 1 else None
    return None if chosen is None else open_pairs(chosen)


def pairs_choice() -> None:
    """Stored pairs to choose from, and a file of one's own."""
    _outcome()
    stored = {info.fingerprint: info for info in list_pairs()}
    if stored:
        if st.session_state.get(PAIRS) not in stored:
            st.session_state[PAIRS] = next(iter(stored))
        st.selectbox(
            "Pairs to train on", list(stored), format_func=lambda key: _line(stored[key]), key=PAIRS,
            persist_state="session", width=620,
        )  # fmt: skip
        info = stored[st.session_state[PAIRS]]
        if info.reading is not None:
            reading_line(info.reading)
        for note in info.notes:
            st.caption(escaped(note.message, 300))
    with st.expander("Add pairs of your own", expanded=not stored or bool(st.session_state.get("train.pairs.path"))):
        _add()


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
    left, right = st.columns(2)
    uploaded = left.file_uploader(
        "File of pairs", key="train.pairs.upload", max_upload_size=LIMITS.upload_bytes // 2**20
    )
    typed = right.text_input(
        "Or a path on this computer", key="train.pairs.path", placeholder="/home/me/pairs.csv"
    ).strip()
    if uploaded is None and not typed:
        return
    path = keep_upload(uploaded) if uploaded is not None else Path(typed)
    name = called(path)
    key = f"train.pairs.{name}"
    options = chosen_options(key)
    reading, proposal = PairReading(**options.model_dump()), None
    report = None
    try:
        columns = read_table(path.expanduser(), options, name=name).columns.column_names
        with suppress(EmbedlabError):  # what names suggest, until the columns are chosen
            proposal = propose_pairs(path, reading, file_name=name)
        reading = _columns(columns, proposal, reading, key=key)
        proposal = propose_pairs(path, reading, file_name=name)
        report = proposal.reading
    except EmbedlabError as error:
        proposal = None
        show_error(error)
    with st.expander("Read it differently", expanded=proposal is None):
        option_fields(report, key)
        accept_field(key)
    if proposal is None:
        return
    reading_line(report)
    _cards(proposal)
    named = reading.model_copy(update={"name": stem(name)})
    request = ReadPairs(path=str(path.expanduser().absolute()), file_name=name, reading=named, with_corpus=True)
    st.button("Read these pairs", key="train.pairs.read", type="primary", on_click=READING.start, args=(request,))


def _columns(columns: Sequence[str], proposal: PairProposal | None, reading: PairReading, *, key: str) -> PairReading:
    """What each column holds, as proposed until somebody says otherwise; the scale, and what numbers of NLI are."""
    names, row = list(columns), st.columns(4)
    choices = [_NONE, *names]

    def place(name: str | None, among: list[str]) -> int | None:
        return among.index(name) if name in among else None

    proposed = {name: proposal and getattr(proposal, name) for name in ("anchor", "positive", "negative", "score")}
    anchor = row[0].selectbox("Anchor", names, index=place(proposed["anchor"], names), key=f"{key}.anchor")
    positive = row[1].selectbox("Matching text", names, index=place(proposed["positive"], names), key=f"{key}.positive")
    negative = row[2].multiselect("Other text", names, default=list(proposed["negative"] or ()), key=f"{key}.negative")
    score = row[3].selectbox(
        "Score or label", choices, index=place(proposed["score"] or _NONE, choices), key=f"{key}.score",
        format_func=lambda name: name or "none",
    )  # fmt: skip
    scale = nli = None
    if score:
        left, right = st.columns(2)
        shown = "{:g} to {:g}".format(*proposal.reading.scale) if proposal and proposal.reading.scale else ""
        scale = two_numbers(left.text_input("Scale", key=f"{key}.scale", placeholder=shown or "such as 0 to 5"))
        coded = right.text_input("NLI classes that 0, 1, 2 mean", key=f"{key}.nli", placeholder=", ".join(NLI))
        nli = tuple(word.strip() for word in coded.split(",") if word.strip()) or None
    given = {"anchor": anchor, "positive": positive, "negative": tuple(negative) or None, "score": score}
    return PairReading(**(reading.model_dump() | given | {"scale": scale, "nli": nli}))


def _cards(proposal: PairProposal) -> None:
    for place, card in zip(st.columns(max(1, len(proposal.cards))), proposal.cards, strict=False):
        with place.container(border=True, height="stretch"):
            for title, text in (("Anchor", card.anchor), ("Matching text", card.positive)):
                st.caption(title)
                show_text(text, characters=_SHOWN)
            for text in card.negatives:
                st.caption("Other text")
                show_text(text, characters=_SHOWN)
            if card.score is not None:
                st.caption(f"Score {escaped(card.score, 20) or 'none'}")


def _outcome() -> None:
    """What became of the file that was read last; its pairs are chosen as soon as they are there."""
    if (job := READING.folder) is None:
        return
    if follow_job(job) is State.FINISHED and st.session_state.get(_TAKEN) != job.id:
        st.session_state[_TAKEN], st.session_state[PAIRS] = job.id, read_job_result(job)["fingerprint"]
