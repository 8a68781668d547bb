"""Given pairs on Train: choose stored ones, or read a file, its columns proposed and five pairs shown to confirm."""

from pathlib import Path

import streamlit as st

from embedlab.corpora.pairs.reading import PairProposal, PairReading, propose_pairs
from embedlab.corpora.pairs.stored import GivenPairs, PairsInfo, list_pairs, open_pairs
from embedlab.errors import EmbedlabError
from embedlab.jobs.runner import submit_once
from embedlab.limits import LIMITS
from embedlab.runs.state import State
from embedlab.runs.store import open_run, read_job_result
from embedlab.ui.frame.files import keep_upload, stem
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.text import count, escaped, show_text

CHOSEN, JOB = "train.pairs", "train.pairs_job"
_TAKEN = "train.pairs_taken"  # the job whose pairs were chosen by themselves
_SHOWN = 160  # characters of a text on a card
_NONE = ""  # a column that is not there


def chosen_pairs() -> GivenPairs | None:
    """Those chosen in this session, if they are still stored; else the only ones there are."""
    known = [info.fingerprint for info in list_pairs()]
    chosen = st.session_state.get(CHOSEN)
    if chosen not in known:
        chosen = known[0] if len(known) == 1 else None
    return None if chosen is None else open_pairs(chosen)


def pairs_choice() -> None:
    """Stored pairs to choose from, and a file of one's own."""
    _outcome()
    stored = {info.fingerprint: info for info in list_pairs()}
    if stored:
        if st.session_state.get(CHOSEN) not in stored:
            st.session_state[CHOSEN] = next(iter(stored))
        st.selectbox(
            "Pairs to train on", list(stored), format_func=lambda key: _line(stored[key]), key=CHOSEN,
            persist_state="session", width=620,
        )  # fmt: skip
        for note in stored[st.session_state[CHOSEN]].notes:
            st.caption(escaped(note.message, 300))
    with st.expander("Add pairs of your own", expanded=not stored):
        _add()


def _line(info: PairsInfo) -> str:
    parts = [f"{count(info.pairs)} pairs"]
    parts += [f"{info.negatives} negatives each"] if info.negatives else []
    parts += ["scored"] if info.has_scores else []
    return f"{info.name} ({', '.join(parts)})"


def _add() -> None:
    st.caption(
        "A table with two columns of texts that belong together (question and answer, query and document, sentence1 "
        "and sentence2), perhaps with columns of texts that do not, or with a score of how alike both are."
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
    path, name = (keep_upload(uploaded), uploaded.name) if uploaded is not None else (Path(typed), Path(typed).name)
    try:
        proposal = propose_pairs(path, file_name=name)
        reading = _columns(proposal, key=f"train.pairs.{name}")
        proposal = propose_pairs(path, reading, file_name=name)
    except EmbedlabError as error:
        show_error(error)
        return
    _cards(proposal)
    asked = {
        "path": str(path.expanduser().absolute()),
        "file_name": name,
        "reading": reading.model_dump(mode="json", exclude_none=True) | {"name": stem(name)},
        "with_corpus": True,
    }
    st.button("Read these pairs", key="train.pairs.read", type="primary", on_click=_start, args=(asked,))


def _columns(proposal: PairProposal, *, key: str) -> PairReading:
    """What each column holds, as proposed until somebody says otherwise."""
    names = list(proposal.columns)
    optional = {"format_func": lambda name: name or "none"}
    row = st.columns(4)
    anchor = row[0].selectbox("Anchor", names, index=names.index(proposal.anchor), key=f"{key}.anchor")
    positive = row[1].selectbox("Belongs to it", names, index=names.index(proposal.positive), key=f"{key}.positive")
    negative = row[2].multiselect("Does not", names, default=list(proposal.negative), key=f"{key}.negative")
    choices = [_NONE, *names]
    score = row[3].selectbox(
        "Score", choices, index=choices.index(proposal.score or _NONE), key=f"{key}.score", **optional
    )
    return PairReading(anchor=anchor, positive=positive, negative=tuple(negative), score=score)


def _cards(proposal: PairProposal) -> None:
    for place, card in zip(st.columns(max(1, len(proposal.cards))), proposal.cards, strict=False):
        with place.container(border=True, height="stretch"):
            for title, text in (("Anchor", card.anchor), ("Belongs to it", card.positive)):
                st.caption(title)
                show_text(text, characters=_SHOWN)
            for text in card.negatives:
                st.caption("Does not")
                show_text(text, characters=_SHOWN)
            if card.score is not None:
                st.caption(f"Score {escaped(card.score, 20) or 'none'}")


def _start(asked: dict) -> None:
    st.session_state[JOB] = submit_once("read_pairs", asked).id


def _outcome() -> None:
    """What became of the file that was read last; its pairs are chosen as soon as they are there."""
    if not (job := st.session_state.get(JOB)):
        return
    run = open_run(job)
    if follow_job(run) is State.FINISHED and st.session_state.get(_TAKEN) != job:
        st.session_state[_TAKEN], st.session_state[CHOSEN] = job, read_job_result(run)["fingerprint"]
