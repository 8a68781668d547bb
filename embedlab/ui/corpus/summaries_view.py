"""Summaries of a stored corpus: who made them, the progress, five examples, and the form for others."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.corpora.made_summaries import MadeSummaries, some_made, unfinished
from embedlab.damage import read_model_if_whole
from embedlab.errors import EmbedlabError
from embedlab.jobs.requests.base import find_job, read_request
from embedlab.jobs.requests.corpora import SummariesEstimate, Summarise
from embedlab.numbers import count, counted, duration
from embedlab.plain_text import shortened
from embedlab.private import secret_file
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import State, read_state
from embedlab.summaries import SUMMARISERS
from embedlab.ui.components.form import config_form
from embedlab.ui.frame.layout import errors_shown, escaped, show_text
from embedlab.ui.frame.page import form_button
from embedlab.ui.frame.progress import begin, follow_job, start_once
from embedlab.ui.frame.state import one_of

SHOWN_TEXTS, SHOWN_SUMMARIES = 5, 5


def show_summaries(corpus: Corpus) -> None:
    """The section of a stored corpus."""
    st.subheader("Summaries", anchor=False)
    facts = corpus.made_summaries
    if corpus.has_summaries and facts is None:
        columns = corpus.info.roles.get("summaries") or "a column of the file"
        named = columns if isinstance(columns, str) else ", ".join(columns)
        st.write(f"They came with the texts ({escaped(named, 200)}), and training uses those.")
        return
    job = newest_job(Summarise.task, corpus=corpus.fingerprint)
    working = job if job is not None and not follow_job(job).is_over else None
    if facts is not None:
        _made(corpus, facts)
    if working is not None:
        for act in ("estimate", "make"):
            st.session_state.pop(f"summaries.{act}.pressed", None)  # another tab was first
        request = read_request(working, Summarise)
        if request.summariser == "endpoint":
            st.caption(escaped(f"The texts are sent to {request.settings.get('url', 'the endpoint')}.", 300))
        return
    early = unfinished(corpus.folder)
    if early is not None:
        box = st.container(border=True, horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
        with errors_shown(), box:
            request = validated(Summarise, early.request, where="summaries")
            who = _who(request.summariser, request.settings.get("model", ""))
            st.write(escaped(f"{count(early.done)} of {count(early.texts)} texts are done, written by {who}.", 300))
            st.button("Continue", key="summaries.go-on", type="primary", on_click=begin, args=(request,))
    elif facts is None:
        st.write(
            "SemCSE trains on several summaries of each text, and this corpus has none. A language model can write "
            "them: it continues each text after five prompts, three times each, as in the paper."
        )
    is_first = facts is None and early is None
    with st.expander("Make summaries" if is_first else "Make other ones", expanded=st.session_state.get(OPEN, False)):
        summaries_form(corpus, primary=is_first)


def _who(summariser: str, model: str) -> str:
    """``the language model gpt2``."""
    named = {"local": "the language model", "endpoint": "the endpoint's model"}.get(summariser)
    return "the extractive stand-in, not the paper's method" if named is None else f"{named} {model}"


def _made(corpus: Corpus, facts: MadeSummaries) -> None:
    each = facts.summaries / facts.texts if facts.texts else 0.0
    of = count(facts.texts)
    if facts.texts < corpus.info.texts:
        of += f" of {count(corpus.info.texts)}"
    made, who = counted(facts.summaries, "summary", "summaries"), _who(facts.summariser, facts.model)
    st.write(escaped(f"{made} of {of} texts ({each:.1f} each), written by {who}.", 400))
    if missing := facts.asked_texts - facts.texts:
        have = "texts have" if missing > 1 else "text has"
        st.caption(f"{count(missing)} {have} none: the model wrote only whitespace.")
    with st.expander("Five of its texts with their summaries"):
        _examples(corpus)


def _examples(corpus: Corpus) -> None:
    """Texts on the left, their summaries on the right."""
    spread = corpus.kept[:: max(1, len(corpus.kept) // 200)].tolist()
    try:
        pairs = zip(spread, some_made(corpus.folder, spread), strict=True)
    except (EmbedlabError, OSError, ValueError):
        st.warning("The summaries cannot be read. Make them again.")
        return
    summarised = [(row, lines) for row, lines in pairs if lines]
    for row, lines in summarised[:: max(1, len(summarised) // SHOWN_TEXTS)][:SHOWN_TEXTS]:
        with st.container(border=True):
            left, right = st.columns([1, 1.4])
            with left:
                if title := corpus.title(row):
                    st.markdown(f"**{escaped(title, 90)}**")
                show_text(corpus.texts[row], characters=300)
            with right:
                step = max(1, len(lines) // SHOWN_SUMMARIES)  # one for each prompt
                show_text("\n".join(f"– {shortened(line, 160)}" for line in lines[::step][:SHOWN_SUMMARIES]))


BY, OPEN = "summaries.by", "summaries.open"
PROMPTS, CONTINUATIONS = 5, 3
_FIRST = ("model", "url", "api")  # drawn above; everything else is under Advanced
_INTERFACES = {"completions": "Completions (the paper's way)", "chat": "Chat"}


def summaries_form(corpus: Corpus, *, primary: bool) -> None:
    """The choice, its fields, the estimate and the start."""
    titles = {part.key: part.title for part in SUMMARISERS}
    chosen = one_of("Written by", titles, key=BY, first=next(iter(titles)), is_labelled=False)
    part = SUMMARISERS[chosen]
    schema = part.config_class.model_json_schema()
    prompts = "  \n".join(f"“… {escaped(prompt, 200)} …”" for prompt in part.prompts)
    st.caption(escaped(f"{part.sentence} ({part.paper})", 400), help=prompts or None)
    row = st.container(horizontal=True, vertical_alignment="bottom")
    settings = _first_fields(row, schema["properties"], key=f"summaries.{chosen}")
    continuations = row.container(width=130).number_input(
        "Continuations", 1, 20, CONTINUATIONS, key="summaries.continuations", persist_state="session",
        help="For each of the five prompts. The paper uses three, so a text has fifteen summaries.")  # fmt: skip
    limit = row.container(width=150).number_input(
        "Texts at most", 1, None, None, key="summaries.limit", placeholder=f"all {count(corpus.info.texts)}",
        help="Only this many texts, drawn at random but always the same ones; more can be added later.",
        persist_state="session")  # fmt: skip
    rest = [name for name in schema["properties"] if name not in _FIRST]
    foot = st.container(horizontal=True, vertical_alignment="center")
    with foot.popover("Advanced"):
        form = config_form(schema, key=f"summaries.{chosen}", only=rest, columns=2)
    settings |= form.changed
    request = Summarise(
        corpus=corpus.fingerprint, summariser=chosen, settings=settings, continuations=continuations, limit=limit
    )
    if chosen == "endpoint":
        st.info(escaped(f"The texts, with their titles, are sent to {settings['url'] or 'the address above'}.", 300))
        st.caption(
            "A key, if the server requires one, is read from the environment variable EMBEDLAB_ENDPOINT_KEY of the "
            f"process that runs embedlab, or from the file {secret_file('EMBEDLAB_ENDPOINT_KEY')} that only you may "
            "read, and is stored nowhere else."
        )
    is_blocked = bool(form.wrong) or not all(settings.get(name) for name in schema.get("required", []))
    with foot:
        explained = "Summarizes a few texts, which are kept, and estimates the time for all."
        estimates = form_button(
            "Estimate", key="summaries.estimate", primary=False, disabled=is_blocked, help=explained
        )
        makes = form_button("Make the summaries", key="summaries.make", primary=primary, disabled=is_blocked)
    if (estimates or makes) and not is_blocked:
        st.session_state[OPEN] = estimates  # after an estimate the form stands open again
        start_once(request.model_copy(update={"estimate": estimates}))
        st.rerun()
    texts, up_to = min(limit or corpus.info.texts, corpus.info.texts), "up to " if part.is_extractive else ""
    foot.caption(f"{counted(texts, 'text')}, {up_to}{counted(PROMPTS * continuations, 'summary', 'summaries')} each")
    _estimate(request)


def _first_fields(row: DeltaGenerator, fields: dict, *, key: str) -> dict[str, str]:
    """Draws the fields that a summariser cannot do without: address, model, interface."""
    settings = {}
    if "url" in fields:
        settings["url"] = row.container(width=290).text_input(
            "Address", fields["url"]["default"], key=f"{key}.url", help=fields["url"]["description"],
            persist_state="session").strip()  # fmt: skip
    if "model" in fields:
        wide, example = (230, "its name there") if "url" in fields else (420, "hf:owner/name or a folder")
        settings["model"] = row.container(width=wide).text_input(
            "Model", key=f"{key}.model", placeholder=example, help=fields["model"]["description"],
            persist_state="session").strip()  # fmt: skip
    if "api" in fields:
        settings["api"] = row.container(width=250).selectbox(
            "Interface", fields["api"]["enum"], key=f"{key}.api", help=fields["api"]["description"],
            format_func=lambda name: _INTERFACES.get(name, name), persist_state="session")  # fmt: skip
    return settings


def _estimate(request: Summarise) -> None:
    """Shows the estimate for exactly this request, as long as nothing was done since."""
    job = newest_job(Summarise.task, corpus=request.corpus)
    if job is None or job != find_job(request.model_copy(update={"estimate": True})):
        return
    if read_state(job).state is not State.FINISHED:
        return
    if (estimate := read_model_if_whole(job.result, SummariesEstimate)) is None:
        return
    if not estimate.texts:
        st.caption("All of these texts are done: making the summaries only stores them.")
        return
    tokens = f"{count(estimate.tokens_read)} tokens read and {count(estimate.tokens_written)} written"
    parts = [f"about {duration(estimate.seconds)}"]
    parts += [f"{counted(estimate.requests, 'request')}, {tokens}"] if estimate.requests else []
    with st.container(border=True):
        st.write(escaped(f"{count(estimate.texts)} texts are left: {', '.join(parts)}. {estimate.basis}", 500))
