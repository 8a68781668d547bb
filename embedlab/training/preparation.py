"""What is settled before the first step: how many steps, who judges them, whether there are texts to train on."""

from typing import get_args

import numpy as np

from embedlab.copies import normalised
from embedlab.corpora.pairs.stored import GivenPairs
from embedlab.errors import CorpusError, UnfitError
from embedlab.metrics.split import Split, development_split
from embedlab.training.batches import Batches
from embedlab.training.held_out_loss import ENOUGH_TO_HOLD_OUT
from embedlab.training.length import fitted_length
from embedlab.training.ranks import RankJudge, held_out_rows
from embedlab.training.settings import RunSettings


def planned_steps(settings: RunSettings, per_epoch: int, device: str = "cpu") -> int:
    """Steps in all: the epochs or what fits these texts, at most ``max_steps``."""
    if settings.schedule == "fitted":
        fitting = fitted_length(settings.encoder).steps(per_epoch, device)
        return min(fitting, settings.max_steps or fitting)
    if settings.epochs is None:
        return settings.max_steps
    return min(settings.epochs * per_epoch, settings.max_steps or settings.epochs * per_epoch)


def judge_of(settings: RunSettings, *, has_development: bool, usable_texts: int) -> str:
    """By what live points are judged: as asked; a fitted length without labels is judged by the held-out loss."""
    is_unjudged = settings.schedule == "fitted" and settings.judged_by == "knn" and not has_development
    if settings.judged_by == "loss" and usable_texts < ENOUGH_TO_HOLD_OUT:
        raise CorpusError(
            "E-NO-USABLE-TEXTS",
            f"Setting 'judged_by' is loss, which sets a tenth of at least {ENOUGH_TO_HOLD_OUT} usable texts aside, but "
            f"there are {usable_texts}. Set it to knn.",
        )
    return "loss" if is_unjudged and settings.live_texts and usable_texts >= ENOUGH_TO_HOLD_OUT else settings.judged_by


def rank_judge_of(settings: RunSettings, corpus, rows: np.ndarray, device: str) -> tuple[RankJudge | None, np.ndarray]:
    """What judges live points by ranks of summaries, where that is asked, and the rows that it leaves to train on."""
    if settings.judged_by != "ranks":
        return None, rows
    if corpus.summaries is None:
        raise UnfitError(
            "E-UNFIT",
            f"Setting 'judged_by' is ranks, which needs summaries, but {corpus.info.name!r} has none. Make them on the "
            "Corpus page, or set it to knn.",
        )
    held_out = held_out_rows(corpus.summaries, rows, seed=settings.seed)
    if len(held_out) == 0:
        raise CorpusError(
            "E-NO-SUMMARIES",
            "Setting 'judged_by' is ranks, which holds out a tenth of the texts with two summaries, but "
            f"{corpus.info.name!r} has fewer than ten of them. Set it to knn.",
        )
    judge = RankJudge(corpus, held_out, device=device)
    return judge, rows[~np.isin(rows, held_out)]


def require_judge(settings: RunSettings, *, is_judged: bool) -> None:
    """Refuse to end early where nothing tells better from worse."""
    if settings.early_stopping is not None and not is_judged:
        raise UnfitError(
            "E-UNFIT",
            "Setting 'early_stopping' needs live points on labelled texts, judged_by=ranks with summaries or an "
            "evaluation set that judges, but there are none here. Leave it empty.",
        )


def require_usable_texts(batches: Batches, corpus) -> None:
    """Refuse a corpus of which the augmentation can use fewer than two texts."""
    if batches.per_epoch > 0:
        return
    augmentation = batches.augmentation
    fields, ways = augmentation.config_class.model_fields, []
    if augmentation.needs & {"pairs"}:
        raise CorpusError(
            "E-NO-USABLE-TEXTS",
            f"Training needs at least two pairs, but {len(batches.rows)} of {augmentation.corpus.info.pairs:,} of "
            f"{augmentation.corpus.info.name!r} are left without test texts, judged pairs and scores below "
            "'augmentation.least_score'. Choose other pairs.",
        )
    if "unit" in fields and "text" in get_args(fields["unit"].annotation) and augmentation.config.unit != "text":
        ways.append("take whole texts (augmentation.unit=text)")
    if "min_characters" in fields and getattr(augmentation.config, "unit", "crop") != "text":
        ways.append("shorten the sentences asked for (augmentation.sentences, augmentation.min_characters)")
    advice = " or ".join([*ways, "choose another recipe"])
    advice = f"{advice[0].upper()}{advice[1:]}."
    raise CorpusError(
        "E-NO-USABLE-TEXTS",
        f"{augmentation.title} needs at least two texts that give two views, but {len(batches.rows)} of the "
        f"{len(corpus.kept):,} texts of {corpus.info.name!r} do. {advice}",
    )


def pair_rows(pairs: GivenPairs, corpus, split: Split | None, judged: set[frozenset[str]]) -> np.ndarray:
    """The pairs that may be trained on: none with a test text of the corpus, none that the judge asks.  -> (n,)

    ``judged``: both texts of a pair, or a query, as ``normalised``.
    """
    tested = set() if split is None else {normalised(corpus.texts[row]) for row in split.test}
    rows = pairs.rows_without(tested)
    asked = [{normalised(text) for text in pairs.pairs[row][:2]} for row in rows]
    is_judged = [frozenset(each) in judged or any(frozenset([text]) in judged for text in each) for each in asked]
    return rows[~np.array(is_judged, bool)] if len(rows) else rows


_DRAWN = 65_536  # keeps this drawing apart from the order of any epoch, which begins with the same seed


def training_rows(corpus, split: Split | None, train_on: str, *, labels_train: bool = False) -> np.ndarray:
    """``labels_train``: labels are what is learned from, so neither test nor development texts take part."""
    if split is None or (train_on == "all" and not labels_train):
        return corpus.kept
    left_out = split.test
    if labels_train:
        left_out = np.concatenate([left_out, development_split(split, corpus.copies).test])
    unseen = {normalised(corpus.texts[row]) for row in left_out}
    rows = split.train if labels_train else corpus.kept
    return np.array([row for row in rows if normalised(corpus.texts[row]) not in unseen], dtype=np.int64)


def drawn_rows(rows: np.ndarray, count: int | None, *, seed: int) -> np.ndarray:
    """``count`` of the rows by chance, in their order; all, where there are no more. A smaller count lies in a larger.

    rows: (n,) -> (min(n, count),)
    """
    if count is None or count >= len(rows):
        return rows
    return np.sort(np.random.default_rng([seed, _DRAWN]).permutation(rows)[:count])
