"""Summaries of a stored corpus: whose it has, where their making stands, five of them, and the form for others."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.corpora.made_summaries import Unfinished, some_made, unfinished
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.corpora import Summarise
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.ui.corpus.summaries_form import OPEN, PRESSED, summaries_form
from embedlab.ui.frame.progress import follow_job
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import count, escaped, shortened, show_text

SHOWN_TEXTS, SHOWN_SUMMARIES = 5, 5
NONE_YET = (
    "SemCSE trains on several summaries of each text, and this corpus has none. A language model can write them: it "
    "continues each text after five prompts, three times each, as in the paper."
)


def show_summaries(corpus: Corpus) -> None:
    """The section of the Corpus page."""
    st.subheader("Summaries", anchor=False)
    facts = corpus.made_summaries
    if corpus.has_summaries and facts is None:
        line = f"They came with the texts ({_own(corpus)}), and training takes those."
        st.write(line)
        return
    job = newest_job(Summarise.task, corpus=corpus.fingerprint)
    works = job is not None and not follow_job(job).is_over
    if facts is not None:
        _made(corpus, facts)
    if works:
        st.session_state.pop(PRESSED, None)  # another tab was first
        _where_they_go(job)
        return
    early = unfinished(corpus.folder)
    if early is not None:
        _go_on(early)
    elif facts is None:
        st.write(NONE_YET)
    is_first = facts is None and early is None
    _offer(corpus, "Make summaries" if is_first else "Make others", primary=is_first)


def _offer(corpus: Corpus, label: str, *, primary: bool) -> None:
    """The folded form."""
    with st.expander(label, expanded=st.session_state.get(OPEN, False)):
        summaries_form(corpus, primary=primary)


def who(facts: dict) -> str:
    """``the language model gpt2``; for what ``summaries.json`` or a beginning says."""
    model = facts.get("model") or facts.get("settings", {}).get("model", "")
    named = {"local": "the language model", "endpoint": "the endpoint's model"}.get(facts["summariser"])
    return "the extractive stand-in, not the paper's method" if named is None else f"{named} {model}"


def _own(corpus: Corpus) -> str:
    columns = corpus.info.roles.get("summaries") or ()
    named = [columns] if isinstance(columns, str) else list(columns)
    return escaped(", ".join(named), 200) if named else "a column of the file"


def _made(corpus: Corpus, facts: dict) -> None:
    each = facts["summaries"] / facts["texts"] if facts["texts"] else 0.0
    of = count(facts["texts"])
    if facts["texts"] < corpus.info.texts:
        of += f" of {count(corpus.info.texts)}"
    line = f"{count(facts['summaries'])} summaries of {of} texts ({each:.1f} each), written by {who(facts)}."
    st.write(escaped(line, 400))
    if facts["texts"] < facts["asked_texts"]:
        missing = facts["asked_texts"] - facts["texts"]
        have = "texts have" if missing > 1 else "text has"
        empty = f"{count(missing)} {have} none: nothing but blanks was written."
        st.caption(empty)
    with st.expander("Five of its texts with their summaries"):
        _examples(corpus)


def _examples(corpus: Corpus) -> None:
    """Texts left, what was written about them right."""
    spread = corpus.kept[:: max(1, len(corpus.kept) // 200)].tolist()
    try:
        found = zip(spread, some_made(corpus.folder, spread), strict=True)
    except (EmbedlabError, OSError, ValueError):
        st.warning("The summaries cannot be read. Make them again.")
        return
    shown = [(row, lines) for row, lines in found if lines]
    for row, lines in shown[:: max(1, len(shown) // SHOWN_TEXTS)][:SHOWN_TEXTS]:
        with st.container(border=True):
            left, right = st.columns([1, 1.4])
            with left:
                if corpus.titles is not None and corpus.titles[row]:
                    title = f"**{escaped(corpus.titles[row], 90)}**"
                    st.markdown(title)
                show_text(corpus.texts[row], characters=300)
            with right:
                step = max(1, len(lines) // SHOWN_SUMMARIES)  # one for each prompt
                show_text("\n".join(f"– {shortened(line, 160)}" for line in lines[::step][:SHOWN_SUMMARIES]))


def _go_on(early: Unfinished) -> None:
    """What was begun and ended early, and the button that takes it up."""
    with st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        line = f"{count(early.done)} of {count(early.texts)} texts are done, written by {who(early.asked)}."
        st.write(escaped(line, 300))
        begin = {"on_click": start_once, "args": (Summarise(**early.asked),)}
        st.button("Go on", key="summaries.go-on", type="primary", **begin)


def _where_they_go(job: RunFolder) -> None:
    request = read_request(job, Summarise)
    if request.summariser == "endpoint":
        st.caption(escaped(f"The texts are sent to {request.settings.get('url', 'the endpoint')}.", 300))
