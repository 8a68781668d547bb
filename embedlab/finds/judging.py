"""What chooses and judges a Find of a corpus: its labels by the usual split, few of them by halves, or a file."""

from dataclasses import dataclass

from embedlab.corpora.base import Corpus
from embedlab.corpora.hand_labels import HandLabels, hand_labels_of
from embedlab.errors import CorpusError
from embedlab.finds.label_judge import (
    are_few,
    development_texts,
    halves,
    judge_by,
    labels_of,
    why_not,
    widest_half,
)
from embedlab.finds.lines import nothing_to_choose_by
from embedlab.finds.model import FindSettings
from embedlab.metrics.reranking import Reranking
from embedlab.numbers import counted

BY_FILE = "One half of the evaluation set chooses the encoder; the other half is used once, for the verdict."
BY_SPLIT = (
    "The encoder is chosen by development texts, a tenth of those that are not test texts. The test texts are used "
    "once, at the end, for the verdict on the winner."
)
WAYS_OUT = (
    "Specify a label column (--label COLUMN), give pairs or queries that people judged (--judge FILE), or label some "
    "texts by hand (python -m embedlab find label)."
)


@dataclass(frozen=True)
class Judging:
    """What is there to judge by. ``message``: how it judges; of what cannot (``is_possible``), what is missing.

    ``few``: labels by corpus row, which judge by halves; None where there are enough for the usual split.
    """

    message: str
    few: dict[int, str] | None = None
    is_possible: bool = True


def judging_of(corpus: Corpus, given: HandLabels | None) -> Judging:
    """By the labels of this corpus and those given by hand."""
    info = corpus.info
    can_be_split = sum(each.texts > 1 for each in info.classes) > 1
    if can_be_split and not are_few(info.labelled):
        return Judging(BY_SPLIT)
    few = labels_of(corpus, given)
    if not few:
        return Judging(nothing_to_choose_by(info), few, is_possible=False)
    if missing := why_not(list(few.values())):
        return Judging(f"{corpus.name!r} has too few labels. {missing}", few, is_possible=False)
    each = min(map(len, halves(list(few.values()))))
    line = f"{each:,} labelled texts choose the encoder; {each:,} others are used once, for the verdict. "
    if info.has_two_classes:
        usual = counted(development_texts(info.labelled), "development text")
        line += f"With the usual split, only {usual} would select, too few to rank candidates. "
    return Judging(line + width(each), few)


def judged(settings: FindSettings, corpus: Corpus, judging: Judging | None = None) -> FindSettings:
    """The same with what judges it written down, so that labels given later change nothing; refused where nothing can.

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
    """How wide the interval of the verdict is with so many texts."""
    return (
        f"With {counted(texts, 'text')} for the verdict the 95 % interval of its {Reranking.title} (0 to 1) is at most "
        f"±{widest_half(texts):.2f}; that of a difference is usually narrower, because both encoders are measured on "
        "the same texts."
    )
