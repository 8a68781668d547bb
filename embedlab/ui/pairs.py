"""See the pairs first: five real pairs of the corpus under an augmentation, and how many texts give any."""

import random
from functools import partial

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.base import Augmentation
from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.errors import EmbedlabError
from embedlab.ui.background import awaited
from embedlab.ui.page import show_error
from embedlab.ui.text import count, escaped, percent, show_text

PAIRS = 5
LOOKED_AT = 2_000  # texts tried before it is said that none gives a pair


def show_pairs(corpus: Corpus, augmentation_key: str, settings: dict, *, beside) -> int | None:
    """Draw five pairs, and into the row ``beside`` the number of usable texts; that number, None while counting."""
    part = AUGMENTATIONS[augmentation_key]
    try:
        augmentation = part(validated(part.config_class, settings, where="augmentation"))
    except EmbedlabError as error:
        show_error(error)
        return 0
    draw = st.session_state.setdefault("train.draw", 0)
    key = ("usable", corpus.fingerprint, augmentation_key, tuple(sorted(settings.items())))
    with beside:
        usable = awaited(key, partial(count_usable, corpus, augmentation), "Counting the texts that give pairs")
        if usable is not None:
            st.markdown(_usable_line(usable, corpus), width="content")
        st.button("Show five other pairs", key="train.other", on_click=_draw_again)
    pairs = pairs_of(corpus, augmentation, seed=draw)
    if pairs:
        heads = st.columns(2)
        heads[0].caption("Anchor")
        heads[1].caption("Positive, to be placed close to its anchor")
    for row, anchor, positive in pairs:
        _pair(anchor, positive, corpus.labels[row] if corpus.labels is not None else None)
    if not pairs:
        st.warning(
            "None of the texts looked at gives a pair. Ask for fewer or shorter sentences above, or choose "
            "another recipe."
        )
    return usable


def count_usable(corpus: Corpus, augmentation: Augmentation) -> int:
    """How many texts give views."""
    texts = corpus.texts
    return sum(augmentation.usable(texts[row]) for row in corpus.kept.tolist())


def pairs_of(
    corpus: Corpus, augmentation: Augmentation, *, seed: int, pairs: int = PAIRS
) -> list[tuple[int, str, str]]:
    """(row, anchor, positive) of texts drawn at random, the same for the same seed."""
    rng = random.Random(seed)
    rows = corpus.kept.tolist()
    found = []
    for row in rng.sample(rows, min(len(rows), LOOKED_AT)):
        views = augmentation.views(corpus.texts[row], rng)
        if views is not None:
            found.append((row, *(_as_read(view, augmentation, rng) for view in views)))
        if len(found) == pairs:
            break
    return found


def _as_read(view: str, augmentation: Augmentation, rng: random.Random) -> str:
    """A view with what is hidden of it; words stand in for the encoder's tokens."""
    words = view.split(" ")
    places = augmentation.mask(list(range(len(words))), special=set(), mask_token=-1, rng=rng)
    return view if -1 not in places else " ".join("[MASK]" if place == -1 else words[place] for place in places)


def _pair(anchor: str, positive: str, label: str | None) -> None:
    with st.container(border=True):
        left, right = st.columns(2)
        with left:
            show_text(anchor.strip(), characters=600)
        with right:
            show_text(positive.strip(), characters=600)
        if label:
            st.caption(escaped(label, 60))


def _usable_line(usable: int, corpus: Corpus) -> str:
    share = f"{count(usable)} of {count(corpus.info.texts)} texts give pairs ({percent(usable / corpus.info.texts)})."
    return f"**See the pairs first.** {share}"


def _draw_again() -> None:
    st.session_state["train.draw"] += 1
