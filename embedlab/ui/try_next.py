"""Where counting words beats a run: what that means, and two settings that were measured to come nearer to it."""

import streamlit as st

from embedlab.runs.folder import RunFolder
from embedlab.runs.store import fingerprint_of
from embedlab.ui.encoder_choice import ENCODER
from embedlab.ui.navigation import go_to
from embedlab.ui.recipe_cards import choose_recipe
from embedlab.ui.state import CORPUS, asked_of, parts
from embedlab.ui.text import escaped
from embedlab.ui.train_form import NEW_VIEW, VIEW

_MEANS = (
    "TF-IDF, which counts words and learns nothing, still tells these topics better: they are told by their words, and "
    "this encoder has not learned them yet. What came nearer to it, or above, on the corpora measured here:"
)
_OFFERED = 2
_GO = "try.next"


def try_next(run: RunFolder) -> None:
    """Two buttons that open Train with another recipe or encoder; nothing until the parts are known."""
    found, asked = parts(), asked_of(run)
    if found is None or not {"recipes", "encoders"} <= found.keys():
        return
    offers = better(found, str(asked.get("encoder", "")), str(asked.get("recipe", "")))[:_OFFERED]
    if not offers:
        return
    if st.session_state.pop(_GO, False):
        go_to("train")
    st.caption(_MEANS)
    with st.container(horizontal=True):
        for encoder, recipe in offers:
            label = escaped(f"Try {_title(found, 'recipes', recipe)} with {_title(found, 'encoders', encoder)}", 120)
            told = (found, fingerprint_of(run), encoder, recipe)
            st.button(label, key=f"try-{run.id}-{encoder}-{recipe}", on_click=_prepare, args=told)


def better(found: dict, encoder: str, recipe: str) -> list[tuple[str, str]]:
    """(encoder, recipe), the best first: tests/benchmarks/README.md, recipes against counting words."""
    here = {card["key"] for card in found["encoders"] if card.get("is_here")}
    order = [("token", "sentences"), ("minilm", "crops"), ("token", "coco-dr"), ("scratch:bert-mini", "coco-dr")]
    known = {card["key"] for card in found["recipes"]}
    return [each for each in order if each[0] in here and each[1] in known and each != (encoder, recipe)]


def _prepare(found: dict, corpus: str, encoder: str, recipe: str) -> None:
    st.session_state[CORPUS], st.session_state[ENCODER] = corpus, encoder
    st.session_state[VIEW], st.session_state[_GO] = NEW_VIEW, True
    choose_recipe(next(card for card in found["recipes"] if card["key"] == recipe))


def _title(found: dict, kind: str, key: str) -> str:
    return next(card["title"] for card in found[kind] if card["key"] == key)
