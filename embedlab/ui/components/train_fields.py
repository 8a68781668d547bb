"""What Train's form is built on: recipe, encoder, an earlier run's settings, those for export, the time it takes."""

import time
from itertools import islice

import streamlit as st

from embedlab.corpora.stored.shelf import list_corpora
from embedlab.damage import read_model
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoder_catalog.catalog import (
    ENCODERS,
    CatalogEncoder,
    StoredCopy,
    encoder_title,
    offered_encoders,
    on_the_hub,
    provided_by,
    stored_copy,
    stored_hub_ids,
    update_line,
)
from embedlab.encoder_catalog.names import canonical, is_made_here, is_reference, is_token_layer, kind_of
from embedlab.errors import EmbedlabError
from embedlab.jobs.cost_estimate import fits_this_machine, seconds_by_encoder
from embedlab.jobs.requests.base import find_job
from embedlab.jobs.requests.corpora import FetchedEncoder, FetchEncoder
from embedlab.jobs.requests.working import AnswerTexts
from embedlab.jobs.runner import request_stop
from embedlab.numbers import counted, duration, in_bytes
from embedlab.report.settings_file import command_line, settings_file
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.index.find import at_work, find_jobs
from embedlab.runs.label_lineage import first_encoder, lineage
from embedlab.runs.state import State, read_state
from embedlab.runs.store import fingerprint_of, stored_request, task_of
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import recipe_of
from embedlab.training.settings import Estimate, RunSettings
from embedlab.training.titles import phases, run_title
from embedlab.ui.components.form import fill_form
from embedlab.ui.frame.files import download
from embedlab.ui.frame.layout import escaped, rerun_when
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.progress import job_panel, show_outcome, start_once
from embedlab.ui.frame.state import CORPUS, NEW_VIEW, TRAIN_VIEW
from embedlab.ui.frame.typed_choice import one_or_typed, say_unmatched

RECIPE, FAMILY, CHOSEN_BY_HAND = "train.recipe", "train.family", "train.recipe_is_chosen"
IN_PLACE = "train.in_place"  # the corpus that the form has in place of a run's deleted one
NAME, DEVICE, JUDGE, TARGET, PAIRS = "train.name", "train.device", "train.judge", "train.target", "train.pairs"


def choose_recipe(recipe: Recipe, *, is_proposal: bool = False) -> None:
    """The form has this recipe from now on; also for callbacks."""
    st.session_state[RECIPE], st.session_state[FAMILY] = recipe.key, recipe.family
    st.session_state[CHOSEN_BY_HAND] = not is_proposal


def settings_key(recipe: str, encoder: str) -> str:
    """The key of the settings' fields: one per recipe, and separate for encoders made from scratch."""
    return f"train.{recipe}" + (f".{kind_of(encoder)}" if is_made_here(encoder) else "")


def edit_and_rerun(run: RunFolder, *, name: str = "rerun") -> None:
    """The button that opens Train; nothing for imported embeddings, which no form describes. ``name``: of its key"""
    if is_own(run):
        return
    explained = "Opens the form with the settings of this run."
    if st.button("Edit and rerun", key=f"{name}-{run.id}", on_click=_open_form, args=(run,), help=explained):
        go_to("train")


def _open_form(run: RunFolder) -> None:
    """For callbacks: the form's fields have this run's settings."""
    try:
        request = stored_request(run)
        settings, recipe = request.settings, recipe_of(request.settings["recipe"])
        corpus = fingerprint_of(run)  # the request may have named it by another reference
    except EmbedlabError:
        return  # another tab deleted it: the page shows that
    choose_recipe(recipe)
    st.session_state[CORPUS], st.session_state[ENCODER] = corpus, settings["encoder"]
    st.session_state[NAME] = request.name
    for field, key in (("device", DEVICE), ("judge", JUDGE), ("target", TARGET), ("pairs", PAIRS)):
        st.session_state[key] = settings.get(field)
    key = settings_key(recipe.key, settings["encoder"])
    fill_form(RunSettings.model_json_schema(), key=key, values={**settings, "corpus": corpus})
    for name_of_part, part in (("objective", recipe.objective_part), ("augmentation", recipe.augmentation_part)):
        if part is not None:
            schema = part.config_class.model_json_schema()
            fill_form(schema, key=f"{key}.{name_of_part}", values=settings.get(name_of_part) or {})
    adapter = AdapterConfig(**(settings.get("adapter") or {})).model_dump()
    fill_form(AdapterConfig.model_json_schema(), key=f"{key}.adapter", values=adapter)
    stored = [info.fingerprint for info in list_corpora()]
    st.session_state[IN_PLACE] = None
    if corpus not in stored and stored:
        st.session_state[IN_PLACE] = st.session_state[CORPUS] = stored[0]
    st.session_state[TRAIN_VIEW] = NEW_VIEW


ENCODER = "train.encoder"


def runs_offered() -> dict[str, str]:
    """The newest runs with an encoder: reference -> title."""
    runs = islice((run for run in find_jobs("train") if run.encoder.is_dir()), 8)
    return {f"run:{run.id}": run_title(run) for run in runs}


def encoder_choice(corpus: str, *, width: int) -> str:
    """The picker; returns its choice. ``corpus``: the fingerprint of the corpus for time estimates."""
    took = seconds_by_encoder(corpus, ENCODERS.keys())
    runs = {key: f"continue from: {title}" for key, title in runs_offered().items()}
    fetched = stored_hub_ids()
    cards = {}  # ``MPNet · fits this machine · about 3 min · 532 MB download``
    for card in sorted(
        offered_encoders(), key=lambda card: (not fits_this_machine(card.parameters), not is_here(card.key))
    ):
        fits = "fits this machine" if fits_this_machine(card.parameters) else "too large for this machine's memory"
        seconds = took.get(card.key)
        time_here = "" if seconds is None else f"about {duration(seconds)}"
        size = 0 if card.is_here or card.hub_id in fetched else card.download_bytes
        parts = (card.title, fits, time_here, f"{in_bytes(size)} download" if size else "")
        cards[card.key] = " · ".join(filter(None, parts))
    others = sorted(fetched - {card.hub_id for card in ENCODERS})
    names = {**cards, **{f"hf:{hub_id}": f"{hub_id} · from the hub" for hub_id in others}, **runs}
    chosen = one_or_typed(
        "Encoder", names, key=ENCODER, is_new=is_reference, persist_state="session", width=width,
        help=f"Type a part of a name and press Enter to take it from the list. {OTHER_ENCODERS}",
    )  # fmt: skip
    return (chosen or "").strip()


OTHER_ENCODERS = "For others type owner/name of the hub, a folder, run:ID to continue from a run, or words:ENCODER."


def say_unknown_encoder() -> None:
    """Say below the picker that what was typed is in no name of its list; the encoder stays as it was."""
    say_unmatched(ENCODER, OTHER_ENCODERS)


def provided(encoder: str) -> set[str]:
    """What an encoder offers; a run's encoder that of its first phase, one outside the catalog that of a BERT."""
    first = first_encoder(encoder)
    if is_token_layer(first):
        return set()
    return set(provided_by(first) or ENCODERS["bert"].provides)


def is_here(encoder: str) -> bool:
    """Whether it loads without a download."""
    if (encoder in ENCODERS and ENCODERS[encoder].is_here) or _fetched_copy(encoder) is not None:
        return True
    return encoder not in ENCODERS and not canonical(encoder).startswith("hf:")


def _fetched_copy(encoder: str) -> StoredCopy | None:
    """What the store has of an encoder that comes from a hub, of its very revision where one is given."""
    of_hub = on_the_hub(encoder)
    return None if of_hub is None else stored_copy(of_hub)


def update_encoder(encoder: str) -> None:
    """Brings a copy from the hub up to date, asked for at most once an hour; nothing for other encoders, nor for a
    commit, which never changes.
    """
    copy = _fetched_copy(encoder)
    if copy is None or encoder.endswith(f"@{copy.commit}"):
        return
    job_panel(
        FetchEncoder(encoder=encoder, update=True), start="Check for a newer version", key="train.update",
        show=_show_update, is_outdated=lambda job: time.time() - job.result.stat().st_mtime > 3_600, primary=False,
        help="Asks the hub and downloads the encoder if it has changed there. Runs made from it keep theirs.",
    )  # fmt: skip


def _show_update(job: RunFolder) -> None:
    fetched = read_model(job.result, FetchedEncoder)
    line = update_line(encoder_title(fetched.encoder), before=fetched.before, commit=fetched.commit)
    st.caption(escaped(line, 300))


def encoder_line(encoder: str) -> str:
    """An encoder's facts in one line."""
    if encoder.startswith("run:"):
        return f"The encoder of {phases(lineage(encoder))}, with a new optimizer and a new warm-up."
    if encoder not in ENCODERS:
        copy = _fetched_copy(encoder)
        fetched = "from the hub it is downloaded first" if copy is None else copy.age
        return f"{encoder}: safetensors of a transformer or of token vectors; {fetched}."
    card = ENCODERS[encoder]
    size = f"{counted(card.layers, 'layer')}, {counted(card.dim, 'dimension')}, {card.pooling} pooling"
    licence = f"license {card.licence}" if card.licence else ""
    prompts = ", ".join(f"{role} {prompt!r}" for role, prompt in card.prompts.items())
    facts = (card.title, size, card.note, f"prompts: {prompts}" if prompts else "", _fetched(card), licence)
    return " · ".join(each for each in facts if each)


def _fetched(card: CatalogEncoder) -> str:
    if card.is_here:
        return ""
    if card.missing_package is not None:
        return f"needs the package {card.missing_package}, which is not installed"
    if (copy := _fetched_copy(card.key)) is not None:
        return copy.age
    return f"downloaded first ({in_bytes(card.download_bytes)})" if card.download_bytes else "downloaded first"


FILE = "settings.json"


def copy_settings(settings: dict, *, key: str, name: str = "") -> None:
    """One button that opens the command line and the file of these settings."""
    with st.popover("Copy these settings", key=f"{key}.copy", on_change="rerun") as opened:
        if not opened.open:
            return
        st.caption("As a command; anything it leaves out has the recipe's default.")
        st.code(command_line(settings, name=name), language="bash", wrap_lines=True)
        written = settings_file(settings)
        st.caption(f"As a settings file, for `python -m embedlab train --settings {FILE}`; other flags override it.")
        st.code(written, language="json", wrap_lines=True)
        download("Download the settings file", written, FILE, key=f"{key}.copy-file")
        st.caption("The corpus is named by its fingerprint in this store. On another computer, give its file instead.")


FOUND_OUT = "Estimating the time: a few steps are being timed. You can already start it."
LATER = "An estimate will appear when the current work finishes."
TIMED = "timing"  # of a session: the timing that it began last, on whichever form


def time_by_itself(request: Estimate | None) -> None:
    """Follow the job that times a few steps of exactly this; it starts automatically and ends this session's earlier
    one.

    None: nothing is to be timed. While anything else is at work nothing begins: it would disturb that, and measure less
    than the machine can do.
    """
    job = find_job(request) if request is not None else None
    facts = None if job is None else read_state(job)
    last = st.session_state.get(TIMED)
    if last is not None and last != job and not read_state(last).is_over and not last.stop.exists():
        request_stop(last)
    if request is None:
        return
    if facts is not None and facts.state in (State.FAILED, State.INTERRUPTED):
        show_outcome(facts)
        return
    if job is None or facts is None or facts.is_over or job.stop.exists():
        if _is_busy():
            rerun_when(lambda: not _is_busy(), every=2.0, key=f"{TIMED}-later", meanwhile=LATER)
            return
        job = st.session_state[TIMED] = start_once(request)
    rerun_when(lambda: read_state(job).is_over, every=1.0, key=f"{TIMED}-{job.id}", meanwhile=FOUND_OUT)


def _is_busy() -> bool:
    """Whether a run, a job or another timing is queued or at work."""
    return any(task_of(job) != AnswerTexts.task for job in at_work())
