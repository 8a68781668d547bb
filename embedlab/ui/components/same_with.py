"""The same run with another recipe, started by one button, and both runs opened side by side."""

import streamlit as st

from embedlab.encoder_catalog.catalog import encoder_title, provided_by
from embedlab.errors import EmbedlabError
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own
from embedlab.runs.store import fingerprint_of, settings_of, stored_request
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.progress import start_once
from embedlab.ui.frame.state import COMPARED_RUNS, RUNS_VIEW, pick_run

CROPS, DROPOUT, ELONGATION = "crops", "dropout", "elongation-self"
_ADDED = {DROPOUT: ", dropout pairs", ELONGATION: ", elongation"}  # to the name of the run that is repeated
_OF_THE_RECIPE = ("recipe", "augmentation", "objective", "pooling", "schedule", "training_length")


def same_settings(run: RunFolder, recipe: str) -> RunSettings:
    """Return a run's settings with another recipe; of its augmentation's settings, those that the other one has.

    Raises an error where the recipe refuses them.
    """
    stored = stored_request(run).settings
    values = {name: value for name, value in stored.items() if name not in _OF_THE_RECIPE}
    part = RECIPES[recipe].augmentation_part
    accepted = set() if part is None else set(part.config_class.model_fields)
    augmentation = {name: value for name, value in stored.get("augmentation", {}).items() if name in accepted}
    return RunSettings.model_validate(
        values | {"recipe": recipe, "augmentation": augmentation, "corpus": fingerprint_of(run)}
    )


def offer_dropout(run: RunFolder) -> None:
    """Draw the button that repeats a run of text crops with dropout pairs, and opens both; nothing for other runs."""
    if not _is_of(run, CROPS) or "dropout" not in _offered_by(run):
        return
    explained = "Each text is read twice and only dropout makes the two views differ: the crops paper's comparison."
    if st.button("The same with dropout pairs", key=f"same.dropout-{run.id}", help=explained):
        second = _start(run, DROPOUT)
        st.session_state[COMPARED_RUNS] = [run.id, second.id]
        st.session_state[RUNS_VIEW] = "glance"
        go_to("glance")


def offer_elongation(run: RunFolder) -> None:
    """Draw the button that repeats a run with each text and its own repetition as a pair; both histograms follow."""
    if is_own(run) or _is_of(run, ELONGATION) or "context" not in _offered_by(run):
        return
    explained = "LA(SER)³ trains the shift away: each text and its own repetition are a pair."
    key = f"same.elongation-{run.id}"
    st.button("The same with elongation", key=key, help=explained, on_click=_start_elongation, args=(run,))


def _start_elongation(run: RunFolder) -> None:
    """Start the second run, show it, and compare it with the first; for a callback, because the choice is drawn."""
    pick_run(_start(run, ELONGATION))
    st.session_state["length.beside"] = [run.id]


def _start(run: RunFolder, recipe: str) -> RunFolder:
    name = stored_request(run).name or encoder_title(settings_of(run).get("encoder", ""))
    for added in _ADDED.values():  # the run may itself repeat another one
        name = name.removesuffix(added)
    return start_once(same_settings(run, recipe), name=name + _ADDED[recipe])


def _is_of(run: RunFolder, recipe: str) -> bool:
    """Whether a run trained by this recipe, with settings that the other recipe takes."""
    return not is_own(run) and settings_of(run).get("recipe") == recipe


def _offered_by(run: RunFolder) -> tuple[str, ...]:
    """What the encoder of a run offers to recipes; nothing where its settings cannot be read."""
    try:
        return provided_by(settings_of(run).get("encoder", "")) or ()
    except EmbedlabError:
        return ()
