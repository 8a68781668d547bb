"""Preview of training pairs: five real pairs of the corpus under an augmentation, and how many texts give any."""

import random
from collections.abc import Sequence
from functools import partial

import streamlit as st

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.base import IGNORED, Augmentation, Vocabulary
from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import GivenPairs
from embedlab.counting import pieces_of
from embedlab.errors import EmbedlabError
from embedlab.numbers import count, percent
from embedlab.ui.frame.background import awaited
from embedlab.ui.frame.page import show_error
from embedlab.ui.frame.text import escaped, show_text

PAIRS = 5
LOOKED_AT = 2_000  # texts tried before it is said that none gives a pair
WORDS_READ = 256  # where the run's own length is automatic; words stand in for the encoder's tokens
_MASK = -1


def show_pairs(
    source: Corpus | GivenPairs, augmentation_key: str, settings: dict, *, longest: int | None = None
) -> int | None:
    """Draws five pairs below the number of usable texts or given pairs; returns that number, None while counting."""
    part = AUGMENTATIONS[augmentation_key]
    if "pairs" in part.needs and not isinstance(source, GivenPairs):
        st.warning("No pairs are chosen yet: add a file of pairs under Choose another recipe, Given pairs.")
        return 0
    try:
        config = validated(part.config_class, settings, where="augmentation")
    except EmbedlabError as error:
        show_error(error)
        return 0
    augmentation = part(source, source.kept.tolist(), config)
    draw = st.session_state.setdefault("train.draw", 0)
    made = None
    if isinstance(source, Corpus) and "summaries" in part.needs:
        made = (source.made_summaries or {}).get("sha256")
    key = ("usable", source.fingerprint, made, augmentation_key, tuple(sorted(settings.items())))
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        usable = awaited(key, partial(count_usable, augmentation), "Counting usable pairs")
        if usable is not None:
            st.markdown(_usable_line(usable, source), width="content")
        st.button("Show five other pairs", key="train.other", on_click=_draw_again)
    pairs = pairs_of(source, augmentation, seed=draw, longest=longest or WORDS_READ)
    if pairs:
        names = [*part.view_names, *["Negative"] * (len(pairs[0]) - 1 - len(part.view_names))]
        for head, name in zip(st.columns(len(names)), names, strict=True):
            head.caption(name)
    for row, *views in pairs:
        score = augmentation.target(row)
        score_line = f"Score {score:.2f}" if score is not None else None
        _pair(views, source.labels[row] if source.labels is not None else score_line)
    if not pairs:
        st.warning(_no_pairs(part, source))
    return usable


def count_usable(augmentation: Augmentation) -> int:
    """Counts the texts that give views."""
    return sum(augmentation.usable(row) for row in augmentation.rows)


def pairs_of(
    source: Corpus | GivenPairs, augmentation: Augmentation, *, seed: int, longest: int = WORDS_READ, pairs: int = PAIRS
) -> list[tuple]:
    """(row, anchor, positive, negatives …) of randomly drawn rows, the same for the same seed."""
    rng = random.Random(seed)
    rows = source.kept.tolist()
    drawn: list[tuple] = []
    for row in rng.sample(rows, min(len(rows), LOOKED_AT)):
        views = augmentation.views(row, rng, len(drawn))
        if views is not None:
            drawn.append((row, *as_read(views, augmentation, rng, longest=longest)))
        if len(drawn) == pairs:
            break
    return drawn


def as_read(
    views: tuple[str, ...], augmentation: Augmentation, rng: random.Random, *, longest: int = WORDS_READ
) -> tuple[str, ...]:
    """The views as the encoder reads them: masked, damaged, repeated; words stand in for its tokens."""
    parts = [pieces_of(view) for view in views]
    words, blank = [word for pieces, _ in parts for word in pieces], parts[0][1]
    numbers = {word: number for number, word in enumerate(words)}
    tokens = tuple([numbers[word] for word in pieces] for pieces, _ in parts)
    vocabulary = Vocabulary(special=frozenset(), mask=_MASK, size=max(1, len(words)), longest=longest)
    changed = augmentation.on_tokens(tokens, vocabulary, rng)
    if changed == tokens:
        return views
    signs = {_MASK: "[MASK]", IGNORED: "·"}
    return tuple(blank.join(signs[t] if t in signs else words[t] for t in view) for view in changed)


def _pair(views: Sequence[str], label: str | None) -> None:
    with st.container(border=True):
        for column, view in zip(st.columns(len(views)), views, strict=True):
            with column:
                show_text(view.strip(), characters=600)
        if label:
            st.caption(escaped(label, 60))


def _usable_line(usable: int, source: Corpus | GivenPairs) -> str:
    there = len(source.kept)
    if isinstance(source, GivenPairs):
        return f"**Preview training pairs.** {count(usable)} of {count(there)} given pairs can be trained on."
    share = f"{count(usable)} of {count(there)} texts give pairs ({percent(usable / there)})."
    return f"**Preview training pairs.** {share}"


def _no_pairs(part: type[Augmentation], corpus: Corpus | GivenPairs) -> str:
    if isinstance(corpus, GivenPairs):
        return "None of these pairs has a high enough score. Lower the least score under Advanced."
    if "summaries" in part.needs and not corpus.has_summaries:
        return "This corpus has no summaries yet. The page Data can make them, with a language model or without."
    if "labels" in part.needs and corpus.labels is None:
        return "This corpus has no labels, so there is no supervised reference."
    return (
        "None of the sampled texts yields a pair. Ask for fewer or shorter sentences above, or choose another recipe."
    )


def _draw_again() -> None:
    st.session_state["train.draw"] += 1
