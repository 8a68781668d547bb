"""Diagnostics: instruments that explain an encoder, untouched and fine-tuned, one at a time."""

import streamlit as st

from embedlab.diagnostics import DIAGNOSTICS
from embedlab.diagnostics.base import GEOMETRY, Diagnostic, texts_needed
from embedlab.example import LAYERS
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.measuring import Diagnose
from embedlab.runs.diagnosed import read_diagnosed
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_jobs, newest_job
from embedlab.runs.state import read_state
from embedlab.ui.components.built_in import example_needed
from embedlab.ui.components.other_runs import is_token, offer_layered
from embedlab.ui.components.run_maps import corpus_gone
from embedlab.ui.frame.navigation import go_button
from embedlab.ui.frame.page import what_am_i_looking_at
from embedlab.ui.frame.progress import follow_job, job_panel
from embedlab.ui.frame.session import start_once
from embedlab.ui.frame.state import corpus_of
from embedlab.ui.frame.switches import view_choice
from embedlab.ui.frame.text import escaped
from embedlab.ui.inside.instrument import instrument

ELSEWHERE = {"layers": ("layers", "Open Layers"), "length": ("length", "Open Length")}  # have a view of their own
FIRST, SECOND = "what is NLP?", "what is computer vision?"  # the pair of LA(SER)³, section 3
LONGEST = 300  # characters of a typed text
TOKEN = "This run's encoder is a bare token-embedding layer: its tokens have no context. Choose a run with layers."


def chosen_part(offered: list[type[Diagnostic]], group: str) -> type[Diagnostic]:
    """Which instrument of the group, by its title."""
    titles = {part.key: part.title for part in offered}
    key = st.pills(
        "Instrument", list(titles), default=next(iter(titles)), format_func=titles.get, required=True,
        key=f"diagnostics.part-{group}", label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    return DIAGNOSTICS[key or next(iter(titles))]


def typed_texts(part: type[Diagnostic]) -> list[str] | None:
    """The texts that a reader types for this instrument; None until they are there."""
    first, second = st.columns(2)
    kept = {"max_chars": LONGEST, "persist_state": "session"}
    texts = [first.text_input("Text", FIRST, key="diagnostics.a", **kept).strip()]
    if texts_needed(part) == 2:
        texts.append(second.text_input("Other text", SECOND, key="diagnostics.b", **kept).strip())
    if not all(texts):
        st.info("Type a text first.")
        return None
    return texts


def measured(run: RunFolder, part: type[Diagnostic], group: list[type[Diagnostic]]) -> None:
    """What is there, or the button that measures it; geometry begins by itself, because it needs no encoder."""
    texts = typed_texts(part) if texts_needed(part) else []
    if texts is None:
        return
    found = read_diagnosed(run, part.key)
    is_gone = corpus_of(run) is None
    if found is not None and (found.texts == texts or is_gone):
        instrument(run, part, found)
    if is_gone:
        corpus_gone("this instrument can be measured")
        return
    if found is not None and found.texts == texts:
        with st.expander("Measure again"):
            request = Diagnose(run=run.id, keys=(part.key,), texts=tuple(texts))
            job_panel(request, start="Measure again", key="diagnostics.again", primary=False)
        return
    if (job := at_work(run, part.key)) is not None:
        follow_job(job)
        return
    missing = [each.key for each in group if not texts_needed(each) and read_diagnosed(run, each.key) is None]
    request = Diagnose(run=run.id, keys=(part.key,) if texts else tuple(missing), texts=tuple(texts))
    if part.group == GEOMETRY and newest_job(Diagnose.task, run=run.id) is None:
        start_once(request)
    label = f"Measure {part.title.lower()}" if len(request.keys) == 1 else f"Measure all of {part.group.lower()}"
    job_panel(request, start=label, key="diagnostics.measure")


def at_work(run: RunFolder, key: str) -> RunFolder | None:
    """The worker that measures this of the run now, among other things perhaps."""
    jobs = (job for job in find_jobs(Diagnose.task, run=run.id) if not read_state(job).is_over)
    return next((job for job in jobs if key in read_request(job, Diagnose).keys), None)


def instruments(run: RunFolder, *, is_example: bool = False) -> None:
    """The group, the instrument, and what it shows; of the example only what came with it."""
    groups = list(dict.fromkeys(each.group for each in DIAGNOSTICS))
    group = view_choice(groups, key="diagnostics.group")
    offered = [each for each in DIAGNOSTICS if each.group == group and each.key not in ELSEWHERE]
    part = chosen_part(offered, group)
    st.caption(escaped(part.question, 200))
    if is_example:
        if (found := read_diagnosed(run, part.key)) is not None:
            instrument(run, part, found)
    elif "context" in getattr(part, "needs", ()) and is_token(run):
        with st.container(border=True):
            st.write(TOKEN)
            offer_layered(run, key="diagnostics.layered")
        shown = example_needed(LAYERS)
        if shown is not None and (found := read_diagnosed(shown, part.key)) is not None:
            instrument(shown, part, found)
    else:
        measured(run, part, offered)
    for key, (page, label) in ELSEWHERE.items():
        if DIAGNOSTICS[key].group == group:
            go_button(label, page)
    what_am_i_looking_at(part.sentence, part.paper)


def example() -> None:
    """The packaged example's, until there is a run."""
    run = example_needed(LAYERS)
    if run is not None:
        instruments(run, is_example=True)
