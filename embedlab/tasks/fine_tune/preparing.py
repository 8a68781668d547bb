"""Decided before the first step: texts, batches and their guide, objective, judge, listeners; others' work."""

from collections.abc import Callable

import numpy as np
import torch

from embedlab.corpora import load_corpus
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoders.adapters.lora import attach
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.encoders.parts import training_parts
from embedlab.encoders.processes import Processes
from embedlab.errors import SettingsError
from embedlab.jobs.requests.base import read_request
from embedlab.progress import silent
from embedlab.prompts import Role
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import labels_read_by
from embedlab.runs.store import task_of
from embedlab.tasks.fine_tune.listeners import LISTENERS
from embedlab.tasks.fine_tune.opening import OpenedRun, open_run
from embedlab.tasks.fine_tune.trainer import Trainer
from embedlab.tasks.measure.sharing import answer
from embedlab.training import preparation
from embedlab.training.batches import Batches
from embedlab.training.settings import RunSettings
from embedlab.training.view_length import automatic_length


def prepared(opened: OpenedRun, *, is_watched: bool = True) -> Trainer:
    """Raises an error if the texts give too few views, or the settings need a judge and there is none.

    One that is not watched has no listeners: of several processes only the first looks on.
    """
    settings, encoder, device = opened.settings, opened.encoder, opened.device.name
    allowed = rows_to_train_on(opened)
    rows = preparation.drawn_rows(allowed, settings.train_texts, seed=settings.seed)
    by_ranks, rows = preparation.rank_judge_of(settings, opened.corpus, rows, device)
    length = settings.training_length
    if settings.training_length is None and settings.max_length is None:
        read = opened.corpus.texts.at(opened.corpus.kept) if opened.pairs is None else opened.pairs.texts
        length = automatic_length(encoder, read)
    batches = Batches(
        augmentation=settings.make_augmentation(opened.corpus if opened.pairs is None else opened.pairs, rows.tolist()),
        encoder=encoder,
        batch_size=settings.batch_size,
        seed=settings.seed,
        max_length=length,
        prompts=settings.prompts,
        guide=guide_of(opened, rows),
    )
    preparation.require_usable_texts(batches, opened.corpus)
    torch.manual_seed(settings.seed)
    if settings.bidirectional and not encoder.is_causal:
        encoder.see_both_ways()  # refused before anything is measured; others do from their first step on
    if settings.adapter:
        attach(encoder, AdapterConfig(**settings.adapter), frozen_layers=settings.frozen_layers)
    elif settings.frozen_layers is not None:
        encoder.freeze(settings.frozen_layers)
    encoder.parts = training_parts(device, settings.micro_batch, settings.batch_size, dim=encoder.dim)
    objective = settings.make_objective(encoder).to(device)
    has_development = bool(settings.live_texts) and opened.split is not None and opened.development is not None
    judged_by = preparation.judge_of(settings, has_development=has_development, usable_texts=len(batches.rows))
    by_loss = preparation.HeldOutLoss(batches, objective, device=device) if judged_by == "loss" else None
    training = Trainer(
        opened,
        batches=batches,
        objective=objective,
        planned=preparation.planned_steps(settings, batches.per_epoch, device),
        held_back=0 if opened.pairs is None else opened.pairs.info.pairs - len(allowed),
        judged_by=judged_by,
        judge={"ranks": by_ranks, "set": opened.judge, "loss": by_loss}.get(judged_by),
    )
    for kind in LISTENERS if is_watched else ():
        if (listener := kind.of(training, opened)) is not None:
            training.listeners.append(listener)
    if is_watched:
        preparation.require_judge(settings, is_judged=training.is_judged)
    return training


def rows_to_train_on(opened: OpenedRun) -> np.ndarray:
    """Rows of given pairs or of the corpus, without tested or judged ones if the settings leave those out."""
    settings, corpus, split = opened.settings, opened.corpus, opened.whole_split
    if opened.pairs is not None:
        judged = set() if opened.judge is None else opened.judge.asks()
        return preparation.pair_rows(opened.pairs, corpus, split, judged)
    return preparation.training_rows(corpus, split, settings.train_on, labels_train=settings.recipe_part.is_supervised)


def take_part(folder: RunFolder | None, processes: Processes) -> None:
    """Raises ``TrainingOver`` when the first process has ended the work, or the error that occurred here or elsewhere.

    ``folder``: of the run or job; None where the first process works for none.
    """
    settings = None
    if folder is not None and task_of(folder) == RunSettings.task:
        settings = read_request(folder, RunSettings)
    processes.answer = answer
    processes.agree()  # the first process has downloaded and checked what is needed
    if folder is None or settings is None or settings.recipe_part.objective is None:
        processes.wait_for_calls()
        return
    opened = open_run(folder, settings, load_corpus(settings.corpus, progress=silent), silent, processes=processes)
    prepared(opened, is_watched=False).follow()


def guide_of(opened: OpenedRun, rows: np.ndarray) -> Callable[[np.ndarray], np.ndarray] | None:
    """The guide in ``objective.guide``: it embeds the texts of these pairs once; None if there is none.

    Anchors are embedded as queries, the other texts as documents. -> of its vectors those of some of these pairs
    """
    reference = opened.settings.objective.get("guide")
    if reference is None:
        return None
    if opened.pairs is None:
        raise SettingsError("E-GUIDE", "Setting 'objective.guide' needs given pairs. Give --pairs, or leave it out.")
    if labels_read_by(reference).saw_labels:
        raise SettingsError(
            "E-GUIDE",
            f"Setting 'objective.guide' is {reference}, which was trained with labels, perhaps those of test texts. "
            "Choose an encoder that was trained without.",
        )
    guide, device = load_encoder(reference, corpus=opened.corpus, progress=opened.progress), opened.device.name
    guide.to(device)
    texts = list(zip(*(opened.pairs.pairs[row] for row in rows.tolist()), strict=True))  # per view
    views: list[np.ndarray] = []
    vectors: list[np.ndarray] = []
    roles: tuple[Role, Role] = ("query", "document")
    for role, of_role in zip(roles, (texts[:1], texts[1:]), strict=True):
        numbers = {text: number for number, text in enumerate(dict.fromkeys(text for view in of_role for text in view))}
        embedded = embed(guide, list(numbers), device=device, role=role, progress=opened.progress)
        views += [np.array([numbers[text] for text in view]) for view in of_role]
        vectors += [embedded] * len(of_role)
    positions = np.full(rows.max(initial=-1) + 1, -1)
    positions[rows] = np.arange(len(rows))

    def vectors_of(chosen: np.ndarray) -> np.ndarray:
        """chosen: (batch,) rows -> (batch, views, dim)"""
        at = positions[chosen]
        return np.stack([of_view[view[at]] for view, of_view in zip(views, vectors, strict=True)], axis=1)

    return vectors_of
