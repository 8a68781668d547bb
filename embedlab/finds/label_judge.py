"""Few labels choose and judge a Find, half of them each: a text asks which others of its half carry its label."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pyarrow as pa

from embedlab.copies import numbered_copies
from embedlab.corpora.base import Corpus
from embedlab.corpora.hand_labels import HandLabels
from embedlab.corpora.sets.stored import EvaluationSet, store_set, strings
from embedlab.errors import CorpusError
from embedlab.finds.conclusion import WIDEST
from embedlab.finds.label_sets import KIND, source_of
from embedlab.metrics.reranking import Reranking
from embedlab.numbers import counted
from embedlab.statistics.intervals import LEVEL, normal

DEVELOPMENT_SHARE = 0.09  # of the labelled texts
FEWEST = 8  # texts in each half
MOST = 300  # labels of a corpus: a text is compared with all others of its half
SEED = 46


def halves(labels: Sequence[str]) -> tuple[list[int], list[int]]:
    """Places of the labels in two parts of about one size; each text has another one of its class in its part.

    Classes of two and three stay together, larger ones are dealt out evenly, so that both parts have the same classes
    as far as possible. What is alone in its class is in neither; a part of one class alone is empty.
    """
    members: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        members.setdefault(label, []).append(place)
    one: list[int] = []
    other: list[int] = []
    for places in sorted(members.values(), key=lambda places: (len(places), places)):
        if len(places) == 1:
            continue
        smaller, larger = (one, other) if len(one) <= len(other) else (other, one)
        cut = len(places) if len(places) < 4 else -(-len(places) // 2)
        smaller += places[:cut]
        larger += places[cut:]
    return tuple(sorted(half) if len({labels[place] for place in half}) > 1 else [] for half in (one, other))


def why_not(labels: Sequence[str]) -> str:
    """What is missing before these labels can choose and judge; nothing where they can."""
    if len(set(labels)) == 1:
        return f"Every label so far is {labels[0]!r}: Find needs texts of a second class."
    each = min(map(len, halves(labels)))
    if each < FEWEST:
        return (
            f"Half of the labels choose, the other half judge, and each half needs {FEWEST} texts that share their "
            f"label with another one; so far it has {each}."
        )
    return ""


def labels_of(corpus: Corpus, given: HandLabels | None) -> dict[int, str]:
    """What is known of single texts by row: at most MOST labels of the corpus, each text once, and those by hand."""
    found: dict[int, str] = {}
    if corpus.info.has_two_classes:
        rows = corpus.labelled
        copies = numbered_copies(corpus.texts.at(rows))  # of these few alone
        rows = rows[np.sort(np.unique(copies, return_index=True)[1])]
        rows = np.sort(np.random.default_rng(SEED).permutation(rows)[:MOST])
        found = dict(zip(rows.tolist(), corpus.labels[rows].tolist(), strict=True))
    return found if given is None else {**found, **given.labels}


def judge_by(corpus: Corpus, given: dict[int, str]) -> EvaluationSet:
    """The stored set of these labels by row: each text with its half's texts of its class and of others.

    Its rows are of either half in turns, as a judging file is split.
    """
    rows, labels = list(given), list(given.values())
    if missing := why_not(labels):
        raise CorpusError("E-FIND-UNJUDGED", f"{missing} Label more texts.")
    texts = [corpus.texts[row] for row in rows]
    queries, positive, negative = [], [], []
    parts = halves(labels)
    for places in zip(*parts, strict=False):  # the last texts of the longer half only answer
        for place, half in zip(places, parts, strict=True):
            others = [each for each in half if each != place]
            queries.append(texts[place])
            positive.append([texts[each] for each in others if labels[each] == labels[place]])
            negative.append([texts[each] for each in others if labels[each] != labels[place]])
    lists = [pa.array(each, pa.list_(pa.large_string())) for each in (positive, negative)]
    return store_set(
        {KIND: pa.table([strings(queries), *lists], names=["query", "positive", "negative"])},
        name=f"{counted(len(rows), 'label')} of {corpus.name}",
        source=source_of(corpus.fingerprint),
        kind=KIND,
        serves=(Reranking.key,),
    )


def widest_half(texts: int) -> float:
    """Half the 95 % interval of a mean over so many texts, at most: of values from 0 to 1 the standard deviation is
    at most one half, 1.96 · ½ / √n."""
    return normal(LEVEL) * 0.5 / sqrt(texts)


def development_texts(labelled: int) -> int:
    """How many texts choose by the usual split: a tenth of nine tenths of so many with a label."""
    return max(round(DEVELOPMENT_SHARE * labelled), 1)


def are_few(labelled: int) -> bool:
    """Whether the interval of an accuracy on that many development texts is too wide to rank by, at 50 %."""
    return 2 * widest_half(development_texts(labelled)) > WIDEST
