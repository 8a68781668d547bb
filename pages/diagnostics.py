"""Diagnostics: instruments that explain an encoder, untouched and fine-tuned, one at a time."""

import streamlit as st

from embedlab.example import LAYERS
from embedlab.runs.diagnosed import read_diagnosed
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_job, find_jobs
from embedlab.runs.state import read_state
from embedlab.runs.store import settings_of
from embedlab.ui.components.example import example_needed
from embedlab.ui.components.layered import is_token, offer_layered
from embedlab.ui.diagnostics.instrument import instrument
from embedlab.ui.frame.job_panel import job_panel
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.page import encoder_needed, page_head, run_needed, what_am_i_looking_at
from embedlab.ui.frame.progress import awaited_parts, follow_job
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.text import escaped
from embedlab.ui.frame.view_choice import view_choice

ELSEWHERE = {"layers": ("layers", "Open Layers"), "length": ("length", "Open Length")}  # have a page of their own
FIRST, SECOND = "what is NLP?", "what is computer vision?"  # the pair of LA(SER)³, section 3
LONGEST = 300  # characters of a typed text
TOKEN = "This run's encoder is a bare token-embedding layer: its tokens do not see each other. A run with layers does."


def chosen_part(offered: list[dict], group: str) -> dict:
    """Which instrument of the group, by its title."""
    titles = {part["key"]: part["title"] for part in offered}
    key = st.pills(
        "Instrument", list(titles), default=next(iter(titles)), format_func=titles.get, required=True,
        key=f"diagnostics.part-{group}", label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    return next(part for part in offered if part["key"] == (key or next(iter(titles))))


def typed_texts(part: dict) -> list[str] | None:
    """The texts that a reader types for this instrument; None until they are there."""
    first, second = st.columns(2)
    kept = {"max_chars": LONGEST, "persist_state": "session"}
    texts = [first.text_input("Text", FIRST, key="diagnostics.a", **kept).strip()]
    if part["texts"] == 2:
        texts.append(second.text_input("Other text", SECOND, key="diagnostics.b", **kept).strip())
    if not all(texts):
        st.info("Type a text to look at it.")
        return None
    return texts


def measured(run: RunFolder, part: dict, group: list[dict]) -> None:
    """What is there, or the button that measures it; geometry begins by itself, because it needs no encoder."""
    texts = typed_texts(part) if part["texts"] else []
    if texts is None:
        return
    found = read_diagnosed(run, part["key"])
    if found is not None and found.texts == texts:
        instrument(run, part, found)
        with st.expander("Measure again"):
            asked = asked_of(run, [part["key"]], texts)
            job_panel("diagnose", asked, start="Measure again", key="diagnostics.again", primary=False)
        return
    if (job := at_work(run, part["key"])) is not None:
        follow_job(job)
        return
    missing = [each["key"] for each in group if not each["texts"] and read_diagnosed(run, each["key"]) is None]
    asked = asked_of(run, [part["key"]] if texts else missing, texts)
    if part["begins"] and find_job("diagnose", run=run.id) is None:
        start_once("diagnose", asked)
    label = f"Measure {part['title'].lower()}" if len(asked["keys"]) == 1 else f"Measure all of {part['group'].lower()}"
    job_panel("diagnose", asked, start=label, key="diagnostics.measure")


def at_work(run: RunFolder, key: str) -> RunFolder | None:
    """The worker that measures this of the run now, among other things perhaps."""
    jobs = find_jobs("diagnose", run=run.id)
    return next((job for job in jobs if key in settings_of(job)["keys"] and not read_state(job).is_over), None)


def asked_of(run: RunFolder, keys: list[str], texts: list[str]) -> dict:
    """What the worker is asked."""
    return {"run": run.id, "keys": keys} | ({"texts": texts} if texts else {})


def instruments(run: RunFolder, *, is_example: bool = False) -> None:
    """The group, the instrument, and what it shows; of the example only what came with it."""
    known = awaited_parts()
    if known is None:
        return
    parts = known["diagnostics"]
    groups = list(dict.fromkeys(each["group"] for each in parts))
    group = view_choice(groups, key="diagnostics.group")
    offered = [each for each in parts if each["group"] == group and each["key"] not in ELSEWHERE]
    part = chosen_part(offered, group)
    st.caption(escaped(part["question"], 200))
    if is_example:
        if (found := read_diagnosed(run, part["key"])) is not None:
            instrument(run, part, found)
    elif "context" in part["needs"] and is_token(run):
        with st.container(border=True):
            st.write(TOKEN)
            offer_layered(run, key="diagnostics.layered")
        shown = example_needed(LAYERS)
        if shown is not None and (found := read_diagnosed(shown, part["key"])) is not None:
            instrument(shown, part, found)
    else:
        measured(run, part, offered)
    for key, (page, label) in ELSEWHERE.items():
        if any(each["key"] == key and each["group"] == group for each in parts):
            go_button(label, page)
    what_am_i_looking_at(part["sentence"], part["paper"])


def example() -> None:
    """The packaged example's, until there is a run."""
    run = example_needed(LAYERS)
    if run is not None:
        instruments(run, is_example=True)


page_head("Diagnostics", "What did fine-tuning change inside the encoder, besides accuracy?")
run = run_needed(example)
encoder_needed(run)
instruments(run)
