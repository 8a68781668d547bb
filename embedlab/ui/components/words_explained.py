"""The terms that a newcomer meets first: a sentence each, and a picture made of the corpus's own texts."""

import numpy as np
import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.counting import pieces_of
from embedlab.figures.words_drawn import Drawing, Voter, alike, embedding_drawn, shared_words_drawn, vote_drawn
from embedlab.palette import ACCENT, UNLABELED, Shades
from embedlab.report.nearest_texts import TextWithVoters, chosen_text, name_of, same_label, sample_of, winner
from embedlab.runs.drawn_map import DrawnMap
from embedlab.runs.folder import RunFolder
from embedlab.ui.components.loaded_maps import load_map
from embedlab.ui.frame.layout import fragment
from embedlab.ui.frame.state import colours_of, corpus_of, is_dark, shown_distance

ASKS = "What do these words mean?"
SHOWN = 300  # points of the map, and texts looked through for two that share words
WORDS = 9  # of a text, for its picture of words
_EMBEDDING = (
    "**Embedding**: the position an encoder gives a text, as a list of numbers. Similar texts should be close together."
)
_KNN = "**kNN accuracy**: of 100 texts, how many get their own topic when their ten nearest texts vote."
_TFIDF = (
    "**TF-IDF**: two texts are similar when they share words (characters, in scripts without spaces), especially "
    "rare ones. It learns nothing: the line to beat."
)


def words_explained(run: RunFolder) -> None:
    """Collapsed; nothing is read or drawn until it is opened."""
    fragment(_folded, key=f"words-{run.id}")(run)


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


def _embedding(corpus: Corpus, drawn: DrawnMap | None, chosen: TextWithVoters | None, *, dark: bool) -> Drawing | None:
    if drawn is None or len(drawn.rows) < 2:
        return None
    row = chosen.row if chosen is not None and chosen.row in drawn.rows else int(drawn.rows[0])
    position = int(np.flatnonzero(drawn.rows == row)[0])
    label = corpus.label(row)
    in_class = same_label(corpus, drawn.rows, label)
    rng = np.random.default_rng(0)
    samples = [rng.permutation(np.flatnonzero(part))[: SHOWN // 2] for part in (in_class, ~in_class)]
    positions = np.unique(np.concatenate([*samples, [position]]))
    return embedding_drawn(
        name_of(corpus, row), points=drawn.coordinates[positions], in_topic=in_class[positions],
        at=int(np.searchsorted(positions, position)), colour=_colour(corpus, label), topic=label or "", dark=dark,
    )  # fmt: skip


def _vote(corpus: Corpus, chosen: TextWithVoters | None, *, dark: bool) -> Drawing | None:
    if chosen is None or corpus.labels is None:
        return None
    voters = [
        Voter(name_of(corpus, row), corpus.labels[row], _colour(corpus, corpus.labels[row])) for row in chosen.near
    ]
    won = winner([voter.label for voter in voters])
    return vote_drawn(name_of(corpus, chosen.row), corpus.labels[chosen.row], voters, won, dark=dark)


def _shared(corpus: Corpus, *, dark: bool) -> Drawing | None:
    beginnings: dict[str, None] = {}  # the first words of each text, or of its name if the text is not available
    for row in sample_of(corpus.kept, SHOWN):
        text = corpus.texts[row] or name_of(corpus, row).replace(".", " ").replace("_", " ")
        words, blank = pieces_of(text[:400])
        beginnings[blank.join(words[:WORDS])] = None
    texts = [text for text in beginnings if len(pieces_of(text)[0]) > 1]
    if len(texts) < 2:
        return None
    one, other, rare = alike(texts)
    return shared_words_drawn(pieces_of(one)[0], pieces_of(other)[0], rare, dark=dark)


def _colour(corpus: Corpus, label: str | None) -> Shades:
    return ACCENT if label is None else colours_of(corpus).get(label, UNLABELED)
