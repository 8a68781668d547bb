"""The terms that a newcomer meets first: a sentence each, and a picture made of the corpus's own texts."""

import random
from collections import Counter
from dataclasses import dataclass

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.counting import pieces_of
from embedlab.distance import Distance
from embedlab.figures.palette import ACCENT, UNLABELED, Shades
from embedlab.figures.text import shortened
from embedlab.figures.words_drawn import (
    Drawing,
    Voter,
    bare_words,
    embedding_drawn,
    shared_words_drawn,
    vote_drawn,
)
from embedlab.report.nearest_texts import nearest_of_row, same_label
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.loaded_maps import load_map
from embedlab.ui.components.nearest import label_of, title_of
from embedlab.ui.frame.state import by_distance, colours_of, corpus_of, is_dark, shown_distance

ASKS = "What do these words mean?"
VOTERS, TRIED, SHOWN = 3, 60, 300  # neighbors drawn; texts looked at; points of the map
WORDS = 9  # of a text, for its picture of words
_FEW = 0.1  # of the texts: a word of more of them says little
_EMBEDDING = (
    "**Embedding**: the position an encoder gives a text, as a list of numbers. Similar texts should be close together."
)
_KNN = "**kNN accuracy**: of 100 texts, how many get their own topic when their ten nearest texts vote."
_TFIDF = (
    "**TF-IDF**: two texts are similar when they share words (characters, in scripts without spaces), especially "
    "rare ones. It learns nothing: the line to beat."
)


@dataclass(frozen=True)
class Chosen:
    """A text of the corpus and its nearest ones, all labelled, and the distance used."""

    row: int
    near: tuple[int, ...]
    by: str  # ``by cosine``, ``on the map``


def words_explained(run: RunFolder) -> None:
    """Collapsed; nothing is read or drawn until it is opened."""
    st.fragment(_folded, key=f"words-{run.id}")(run)


def _folded(run: RunFolder) -> None:
    box = st.expander(ASKS, key=f"words.open-{run.id}", on_change="rerun")
    with box:
        corpus = corpus_of(run) if box.open else None
        if corpus is not None:
            _three(run, corpus)


def _three(run: RunFolder, corpus: Corpus) -> None:
    dark, drawn = is_dark(), load_map(run, "after") or load_map(run, "before")
    chosen = chosen_text(run, corpus, drawn, shown_distance())
    pictures = [
        (_EMBEDDING, _embedding(corpus, drawn, chosen, dark=dark)),
        (_KNN, _vote(corpus, chosen, dark=dark)),
        (_TFIDF, _shared(corpus, dark=dark)),
    ]
    with st.container(horizontal=True):
        for sentence, picture in pictures:
            with st.container(width=300):
                st.markdown(sentence)
                if picture is not None:
                    st.image(picture.svg, alt=picture.alt)
    if corpus.labels is None:
        st.caption("These texts have no labels, so no vote can be drawn.")
    elif chosen is not None:
        st.caption(f"From this corpus: the {len(chosen.near)} nearest texts {chosen.by} instead of ten.")


def chosen_text(run: RunFolder, corpus: Corpus, drawn: DrawnMap | None, distance: Distance) -> Chosen | None:
    """A labelled text whose neighbors disagree but vote correctly, preferring short names; otherwise the first with
    neighbors.

    Near by the embeddings after, where they are stored; else on the map. None without labels or neighbors.
    """
    if corpus.labels is None:
        return None
    first, telling = None, []
    for row in _drawn(corpus.labelled, TRIED):
        candidate = _nearest(run, corpus, drawn, row, distance)
        if candidate is None:
            continue
        first = first or candidate
        votes = Counter(corpus.labels[near] for near in candidate.near)
        if votes[corpus.labels[row]] == VOTERS - 1:
            telling.append(candidate)
    return min(telling, key=lambda each: _longest(corpus, each), default=first)


def _drawn(rows: np.ndarray, most: int) -> list[int]:
    """A fixed random sample, without listing everything."""
    return [int(rows[position]) for position in random.Random(0).sample(range(len(rows)), min(most, len(rows)))]


def _longest(corpus: Corpus, chosen: Chosen) -> int:
    return max(len(name_of(corpus, row)) for row in (chosen.row, *chosen.near))


def winner(labels: list[str]) -> str:
    """The majority, ties to the first in sorted order, as in kNN accuracy."""
    votes = Counter(labels)
    return min(votes, key=lambda label: (-votes[label], label))


def _nearest(run: RunFolder, corpus: Corpus, drawn: DrawnMap | None, row: int, distance: Distance) -> Chosen | None:
    near = nearest_of_row(run, "after", corpus, row, k=10, distance=distance)
    by = by_distance(distance)
    rows = None if near is None else near.rows
    if rows is None and drawn is not None and row in (places := _places(drawn)):
        apart = ((drawn.coordinates - drawn.coordinates[places[row]]) ** 2).sum(axis=1)
        rows, by = drawn.rows[np.argsort(apart, kind="stable")[:11]], "on the map"  # itself among them
    labelled = [
        int(each) for each in ([] if rows is None else rows) if each != row and label_of(corpus, each) is not None
    ]
    return Chosen(row, tuple(labelled[:VOTERS]), by) if labelled else None


def _places(drawn: DrawnMap) -> dict[int, int]:
    return {int(row): position for position, row in enumerate(drawn.rows)}


def _embedding(corpus: Corpus, drawn: DrawnMap | None, chosen: Chosen | None, *, dark: bool) -> Drawing | None:
    if drawn is None or len(drawn.rows) < 2:
        return None
    places = _places(drawn)
    row = chosen.row if chosen is not None and chosen.row in places else int(drawn.rows[0])
    label = label_of(corpus, row)
    in_class = same_label(corpus, drawn.rows, label)
    rng = np.random.default_rng(0)
    samples = [rng.permutation(np.flatnonzero(part))[: SHOWN // 2] for part in (in_class, ~in_class)]
    positions = np.unique(np.concatenate([*samples, [places[row]]]))
    return embedding_drawn(
        name_of(corpus, row), points=drawn.coordinates[positions], in_topic=in_class[positions],
        at=int(np.searchsorted(positions, places[row])), colour=_colour(corpus, label), topic=label or "", dark=dark,
    )  # fmt: skip


def _vote(corpus: Corpus, chosen: Chosen | None, *, dark: bool) -> Drawing | None:
    if chosen is None or corpus.labels is None:
        return None
    voters = [
        Voter(name_of(corpus, row), corpus.labels[row], _colour(corpus, corpus.labels[row])) for row in chosen.near
    ]
    won = winner([voter.label for voter in voters])
    return vote_drawn(name_of(corpus, chosen.row), corpus.labels[chosen.row], voters, won, dark=dark)


def _shared(corpus: Corpus, *, dark: bool) -> Drawing | None:
    texts = [_beginning(corpus, row) for row in _drawn(corpus.kept, SHOWN)]
    texts = [text for text in dict.fromkeys(texts) if len(pieces_of(text)[0]) > 1]
    if len(texts) < 2:
        return None
    one, other, rare = alike(texts)
    return shared_words_drawn(pieces_of(one)[0], pieces_of(other)[0], rare, dark=dark)


def alike(texts: list[str]) -> tuple[str, str, set[str]]:
    """The two texts that share the rarest words without being near-copies, and up to three of these words."""
    words = [{word for word in bare_words(text) if len(word) > 2 and not word.isdigit()} for text in texts]
    among = Counter(word for each in words for word in each)
    rare = [{word for word in each if among[word] <= max(_FEW * len(texts), 2)} for each in words]
    if not any(among[word] > 1 for each in rare for word in each):
        rare = words  # in a corpus of few words none is rare
    best, best_pair = -1.0, (0, 1)
    for one in range(len(texts)):
        for other in range(one):
            shared = rare[one] & rare[other]
            is_copy = len(words[one] & words[other]) > 0.6 * min(len(words[one]), len(words[other]))
            rarity = -1.0 if is_copy or len(shared) > 3 else sum(1 / among[word] for word in shared)
            if rarity > best:
                best, best_pair = rarity, (other, one)
    one, other = best_pair
    return texts[one], texts[other], rare[one] & rare[other]


def name_of(corpus: Corpus, row: int) -> str:
    """Its title, otherwise its beginning."""
    return shortened(" ".join((title_of(corpus, row) or corpus.texts[row] or "").split()), 120)


def _beginning(corpus: Corpus, row: int) -> str:
    """The first words of a text; those of its name if the text is not available."""
    text = corpus.texts[row] or name_of(corpus, row).replace(".", " ").replace("_", " ")
    words, blank = pieces_of(text[:400])
    return blank.join(words[:WORDS])


def _colour(corpus: Corpus, label: str | None) -> Shades:
    return ACCENT if label is None else colours_of(corpus).get(label, UNLABELED)
