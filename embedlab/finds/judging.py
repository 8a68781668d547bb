"""What chooses and judges in a Find: the corpus's labels by the usual split, few of them by halves, or a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pyarrow as pa

from embedlab.copies import numbered_copies
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import EvaluationSet, SetInfo, list_sets, store_set, strings
from embedlab.errors import CorpusError
from embedlab.finds.model import FindSettings
from embedlab.metrics.reranking import Reranking
from embedlab.numbers import counted
from embedlab.runs.hand_labels import HandLabels, hand_labels_of
from embedlab.statistics.intervals import LEVEL, normal

BY_FILE = "One half of the evaluation set chooses the encoder; the other half is used once, for the verdict."
BY_SPLIT = (
    "The encoder is chosen by development texts, a tenth of those that are not test texts. The other labeled texts are "
    "tested once, at the end, for the verdict on the winner."
)
WAYS_OUT = (
    "Specify a label column (--label COLUMN), give pairs or queries that people judged (--judge FILE), or label some "
    "texts by hand (python -m embedlab find label)."
)


@dataclass(frozen=True)
class JudgeChoice:
    """The available judge. ``message``: how it judges or, unless ``is_possible``, what is missing.

    ``few``: labels by corpus row, which judge by halves; None where there are enough for the usual split.
    """

    message: str
    few: dict[int, str] | None = None
    is_possible: bool = True


def judging_of(corpus: Corpus, given: HandLabels | None) -> JudgeChoice:
    """The judge from the labels of this corpus and those given by hand."""
    info = corpus.info
    can_be_split = sum(each.texts > 1 for each in info.classes) > 1
    if can_be_split and not are_few(info.labelled):
        return JudgeChoice(BY_SPLIT)
    few = labels_of(corpus, given)
    if not few:
        reason = f"has only one class, {info.classes[0].label!r}" if info.classes else "has no labels"
        sentence = f"Find needs something to select by, but the corpus {info.name!r} {reason}."
        return JudgeChoice(sentence, few, is_possible=False)
    if missing := why_not(list(few.values())):
        return JudgeChoice(f"{corpus.name!r} has too few labels. {missing}", few, is_possible=False)
    each = min(map(len, halves(list(few.values()))))
    line = f"{each:,} labeled texts choose the encoder; {each:,} others are used once, for the verdict. "
    if info.has_two_classes:
        usual = counted(development_texts(info.labelled), "development text")
        line += f"With the usual split, only {usual} would select, too few to rank candidates. "
    return JudgeChoice(line + width(each), few)


def judged(settings: FindSettings, corpus: Corpus, judging: JudgeChoice | None = None) -> FindSettings:
    """The settings with their judge recorded, so that later labels change nothing; refused if nothing can judge.

    ``judging``: as ``judging_of`` gave it, where that was asked already.
    """
    if settings.judge is not None:
        return settings
    judging = judging or judging_of(corpus, hand_labels_of(corpus))
    if not judging.is_possible:
        raise CorpusError("E-FIND-UNJUDGED", f"{judging.message} {WAYS_OUT}")
    if judging.few is None:
        return settings
    return settings.model_copy(update={"judge": judge_by(corpus, judging.few).fingerprint, "width_known": True})


def width(texts: int) -> str:
    """Says how wide the interval of the verdict is with this many texts."""
    return (
        f"With {counted(texts, 'text')} for the verdict the 95 % interval of its {Reranking.title} (0 to 1) is at most "
        f"±{widest_half(texts):.2f}; that of a difference is usually narrower, because both encoders are measured on "
        "the same texts."
    )


WIDEST = 0.15  # of an interval at 95 %: wider, and candidates are not ranked
DEVELOPMENT_SHARE = 0.09  # of the labelled texts
FEWEST = 8  # texts in each half
MOST = 300  # labels of a corpus: a text is compared with all others of its half
SEED = 46


def halves(labels: Sequence[str]) -> tuple[list[int], list[int]]:
    """Positions of the labels in two parts of similar size; each text has another of its class in its part.

    Classes of two and three stay together, larger ones are dealt out evenly, so that both parts have the same classes
    as far as possible. What is alone in its class is in neither; a part of one class alone is empty.
    """
    members: dict[str, list[int]] = {}
    for position, label in enumerate(labels):
        members.setdefault(label, []).append(position)
    one: list[int] = []
    other: list[int] = []
    for places in sorted(members.values(), key=lambda places: (len(places), places)):
        if len(places) == 1:
            continue
        smaller, larger = (one, other) if len(one) <= len(other) else (other, one)
        cut = len(places) if len(places) < 4 else -(-len(places) // 2)
        smaller += places[:cut]
        larger += places[cut:]
    if len({labels[position] for position in one}) < 2:
        one = []
    if len({labels[position] for position in other}) < 2:
        other = []
    return sorted(one), sorted(other)


def why_not(labels: Sequence[str]) -> str:
    """What is missing before these labels can choose and judge; empty if nothing is."""
    if len(set(labels)) == 1:
        return f"Every label so far is {labels[0]!r} (a repeated text counts once): Find needs texts of a second class."
    each = min(map(len, halves(labels)))
    if each < FEWEST:
        return (
            f"Half of the labels choose, the other half judge, and each half needs {FEWEST} texts that share their "
            f"label with another one; so far it has {each}."
        )
    return ""


def labels_of(corpus: Corpus, given: HandLabels | None) -> dict[int, str]:
    """Known labels of single texts by row: at most MOST of the corpus, each text once, and those given by hand."""
    labels: dict[int, str] = {}
    if corpus.labels is not None and corpus.info.has_two_classes:
        rows = corpus.labelled
        copies = numbered_copies(corpus.texts.at(rows))  # of these few alone
        rows = rows[np.sort(np.unique(copies, return_index=True)[1])]
        rows = np.sort(np.random.default_rng(SEED).permutation(rows)[:MOST])
        labels = dict(zip(rows.tolist(), corpus.labels[rows].tolist(), strict=True))
    return labels if given is None else {**labels, **given.labels}


def judge_by(corpus: Corpus, given: dict[int, str]) -> EvaluationSet:
    """The stored set made from these labels: each text with its half's texts of its class and of others.

    Its rows are of either half in turns, as a judging file is split.
    """
    rows, labels = list(given), list(given.values())
    if missing := why_not(labels):
        raise CorpusError("E-FIND-UNJUDGED", f"{missing} Label more texts.")
    texts = [corpus.texts[row] for row in rows]
    queries, positive, negative = [], [], []
    parts = halves(labels)
    for places in zip(*parts, strict=False):  # the last texts of the longer half only answer
        for position, half in zip(places, parts, strict=True):
            others = [each for each in half if each != position]
            queries.append(texts[position])
            positive.append([texts[each] for each in others if labels[each] == labels[position]])
            negative.append([texts[each] for each in others if labels[each] != labels[position]])
    lists = [pa.array(each, pa.list_(pa.large_string())) for each in (positive, negative)]
    return store_set(
        {KIND: pa.table([strings(queries), *lists], names=["query", "positive", "negative"])},
        name=f"{counted(len(rows), 'label')} of {corpus.name}",
        source=f"{_SOURCE}{corpus.fingerprint}",
        kind=KIND,
        serves=(Reranking.key,),
    )


def widest_half(texts: int) -> float:
    """An upper bound on half the 95 % interval of a mean over this many texts: values from 0 to 1 have a standard
    deviation of at most ½, hence 1.96 · ½ / √n.
    """
    return normal(LEVEL) * 0.5 / sqrt(texts)


def development_texts(labelled: int) -> int:
    """How many texts choose by the usual split: a tenth of nine tenths of the labelled ones."""
    return max(round(DEVELOPMENT_SHARE * labelled), 1)


def are_few(labelled: int) -> bool:
    """Whether the interval of an accuracy of 50 % on that many development texts is too wide to rank by."""
    return 2 * widest_half(development_texts(labelled)) > WIDEST


KIND = "candidates"
_SOURCE = "labels of "  # and the fingerprint of the corpus: the origin that such a set states


def is_of_labels(info: SetInfo) -> bool:
    """Whether a Find made it."""
    return info.kind == KIND and info.source.startswith(_SOURCE)


def is_by_labels(judge: str | None) -> bool:
    """Whether the set with this fingerprint is one."""
    return any(info.fingerprint == judge and is_of_labels(info) for info in list_sets())
