"""How summaries are to be made: by whom, of how many texts, what that takes, and the button that starts it."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.jobs.requests.base import find_job
from embedlab.jobs.requests.corpora import Summarise
from embedlab.private import secret_file
from embedlab.runs.index.find import newest_job
from embedlab.runs.state import State, read_state
from embedlab.runs.store import read_job_result
from embedlab.summaries import SUMMARISERS
from embedlab.summaries.base import Summariser
from embedlab.ui.components.form import changed, config_form
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import count, duration, escaped

BY, OPEN, PRESSED = "summaries.by", "summaries.open", "summaries.pressed"
PROMPTS, CONTINUATIONS = 5, 3
_FIRST = ("model", "url", "api")  # drawn above; everything else is under Advanced
_INTERFACES = {"completions": "Completions (the paper's way)", "chat": "Chat"}
_KEY_SENTENCE = (
    "A key, where the server asks for one, is read from the environment variable EMBEDLAB_ENDPOINT_KEY of the process "
    f"that runs embedlab, or from the file {secret_file('EMBEDLAB_ENDPOINT_KEY')} that only you may read, and kept "
    "nowhere else."
)


def summaries_form(corpus: Corpus, *, primary: bool) -> None:
    """The choice, its fields, the estimate and the start."""
    titles = {part.key: part.title for part in SUMMARISERS}
    chosen = st.segmented_control(
        "Written by", list(titles), default=next(iter(titles)), required=True, key=BY, format_func=titles.get,
        label_visibility="collapsed", persist_state="session")  # fmt: skip
    part = SUMMARISERS[chosen]
    schema = part.config_class.model_json_schema()
    st.caption(escaped(f"{part.sentence} ({part.paper})", 400), help=_prompts(part))
    row = st.container(horizontal=True, vertical_alignment="bottom")
    settings = _first_fields(row, schema["properties"], key=f"summaries.{chosen}")
    continuations = row.container(width=130).number_input(
        "Continuations", 1, 20, CONTINUATIONS, key="summaries.continuations", persist_state="session",
        help="For each of the five prompts. The paper takes three, so that a text has fifteen summaries.")  # fmt: skip
    limit = row.container(width=150).number_input(
        "Texts at most", 1, None, None, key="summaries.limit", placeholder=f"all {count(corpus.info.texts)}",
        help="So many texts, drawn at random, always the same ones; more can be added later.",
        persist_state="session")  # fmt: skip
    start = {name: each.get("default") for name, each in schema["properties"].items()}
    rest = [name for name in start if name not in _FIRST]
    foot = st.container(horizontal=True, vertical_alignment="center")
    with foot.popover("Advanced"):
        form = config_form(schema, key=f"summaries.{chosen}", values=start, only=rest, columns=2)
    settings |= changed(form.values, start)
    request = Summarise(
        corpus=corpus.fingerprint, summariser=chosen, settings=settings, continuations=continuations, limit=limit
    )
    if chosen == "endpoint":
        sent = f"The texts, with their titles, are sent to {settings['url'] or 'the address above'}."
        st.info(escaped(sent, 300))
        st.caption(_KEY_SENTENCE)
    is_blocked = bool(form.wrong) or not all(settings.get(name) for name in schema.get("required", []))
    _buttons(foot, is_blocked=is_blocked, primary=primary)
    if not is_blocked:
        _begin(request)
    texts, up_to = min(limit or corpus.info.texts, corpus.info.texts), "up to " if part.is_extractive else ""
    line = f"{count(texts)} texts, {up_to}{count(PROMPTS * continuations)} summaries each"
    foot.caption(line)
    _estimate(request)


def _first_fields(row, fields: dict, *, key: str) -> dict:
    """Whom to ask: the fields without which nothing can start."""
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


def _buttons(row, *, is_blocked: bool, primary: bool) -> None:
    row.button("Estimate", key="summaries.estimate", disabled=is_blocked, on_click=_press, args=("estimate",),
               help="Summarises a few texts, which are kept, and says what all would take.")  # fmt: skip
    kind = "primary" if primary else "secondary"
    row.button("Make the summaries", key="summaries.make", type=kind, disabled=is_blocked, on_click=_press,
               args=("make",))  # fmt: skip


def _press(what: str) -> None:
    st.session_state[PRESSED] = what


def _begin(request: Summarise) -> None:
    """Start what was pressed, with what the fields hold now: a callback would hold what they held when drawn."""
    pressed = st.session_state.pop(PRESSED, None)
    if pressed is not None:
        st.session_state[OPEN] = pressed == "estimate"  # after an estimate the form stands open again
        start_once(request.model_copy(update={"estimate": pressed == "estimate"}))
        st.rerun()


def _estimate(request: Summarise) -> None:
    """What an estimate for exactly this found, while nothing was done since."""
    job = newest_job(Summarise.task, corpus=request.corpus)
    if job is None or job != find_job(request.model_copy(update={"estimate": True})):
        return
    found = read_job_result(job) if read_state(job).state is State.FINISHED else None
    if found is None:
        return
    if not found["texts"]:
        st.caption("All of these texts are done: making the summaries only writes them down.")
        return
    tokens = f"{count(found['tokens_read'])} tokens read and {count(found['tokens_written'])} written"
    parts = [f"about {duration(found['seconds'])}"]
    parts += [f"{count(found['requests'])} requests, {tokens}"] if found["requests"] else []
    with st.container(border=True):
        st.write(escaped(f"{count(found['texts'])} texts are left: {', '.join(parts)}. {found['basis']}", 500))


def _prompts(part: type[Summariser]) -> str | None:
    """The prompts, on the question mark."""
    return "  \n".join(f"“… {escaped(prompt, 200)} …”" for prompt in part.prompts) or None
