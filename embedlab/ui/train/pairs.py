"""See the pairs first: five real pairs of the corpus under an augmentation, and how many texts give any."""

import random
from functools import partial

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.base import IGNORED, Augmentation, Vocabulary
from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.errors import EmbedlabError
from embedlab.ui.frame.background import awaited
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.text import count, escaped, percent, show_text

PAIRS = 5
LOOKED_AT = 2_000  # texts tried before it is said that none gives a pair
WORDS_READ = 256  # where the run's own length is automatic; words stand in for the encoder's tokens
_MASK = -1


def show_pairs(corpus: Corpus, augmentation_key: str, settings: dict, *, longest: int | None = None) -> int | None:
    """Draw five pairs below the number of usable texts; that number, None while counting."""
    part = AUGMENTATIONS[augmentation_key]
    try:
        config = validated(part.config_class, settings, where="augmentation")
    except EmbedlabError as error:
        show_error(error)
        return 0
    augmentation = part(corpus, corpus.kept.tolist(), config)
    draw = st.session_state.setdefault("train.draw", 0)
    made = (corpus.made_summaries or {}).get("sha256") if "summaries" in part.needs else None
    key = ("usable", corpus.fingerprint, made, augmentation_key, tuple(sorted(settings.items())))
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        usable = awaited(key, partial(count_usable, augmentation), "Counting the texts that give pairs")
        if usable is not None:
            st.markdown(_usable_line(usable, corpus), width="content")
        st.button("Show five other pairs", key="train.other", on_click=_draw_again)
    pairs = pairs_of(corpus, augmentation, seed=draw, longest=longest or WORDS_READ)
    if pairs:
        heads = st.columns(2)
        for head, name in zip(heads, part.view_names, strict=True):
            head.caption(name)
    for row, anchor, positive in pairs:
        _pair(anchor, positive, corpus.labels[row] if corpus.labels is not None else None)
    if not pairs:
        st.warning(_no_pairs(part, corpus))
    return usable


def count_usable(augmentation: Augmentation) -> int:
    """How many texts give views."""
    return sum(augmentation.usable(row) for row in augmentation.rows)


def pairs_of(
    corpus: Corpus, augmentation: Augmentation, *, seed: int, longest: int = WORDS_READ, pairs: int = PAIRS
) -> list[tuple[int, str, str]]:
    """(row, anchor, positive) of texts drawn at random, the same for the same seed."""
    rng = random.Random(seed)
    rows = corpus.kept.tolist()
    found = []
    for row in rng.sample(rows, min(len(rows), LOOKED_AT)):
        views = augmentation.views(row, rng, len(found))
        if views is not None:
            found.append((row, *as_read(views, augmentation, rng, longest=longest)))
        if len(found) == pairs:
            break
    return found


def as_read(
    views: tuple[str, str], augmentation: Augmentation, rng: random.Random, *, longest: int = WORDS_READ
) -> tuple[str, ...]:
    """The views as the encoder reads them: hidden, damaged, repeated; words stand in for its tokens."""
    words = [word for view in views for word in view.split()]
    place = {word: number for number, word in enumerate(words)}
    tokens = tuple([place[word] for word in view.split()] for view in views)
    vocabulary = Vocabulary(special=frozenset(), mask=_MASK, size=max(1, len(words)), longest=longest)
    found = augmentation.on_tokens(tokens, vocabulary, rng)
    if found == tokens:
        return views
    said = {_MASK: "[MASK]", IGNORED: "·"}
    return tuple(" ".join(said[t] if t in said else words[t] for t in view) for view in found)


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


def _no_pairs(part: type[Augmentation], corpus: Corpus) -> str:
    if "summaries" in part.needs and not corpus.has_summaries:
        return "This corpus has no summaries yet. The Corpus page can make them, with a language model or without."
    if "labels" in part.needs and corpus.labels is None:
        return "This corpus has no labels, so there is no supervised reference."
    return (
        "None of the texts looked at gives a pair. Ask for fewer or shorter sentences above, or choose another recipe."
    )


def _draw_again() -> None:
    st.session_state["train.draw"] += 1
