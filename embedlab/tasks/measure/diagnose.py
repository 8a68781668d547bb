"""Diagnostics of a run's encoders, before and after, or of one encoder, by key."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from embedlab.config import validated
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.sets.stored import EvaluationSet, open_set
from embedlab.device import choose_device
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.diagnostics.base import EncoderView, TextPairs, require, texts_needed
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError, EmbedlabError
from embedlab.jobs.requests.measuring import Diagnose
from embedlab.progress import Progress, in_words
from embedlab.runs.evaluations import Diagnosed
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import NO_LABELS, LabelExposure, labels_read_of_both
from embedlab.runs.state import now
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.embedded import load_embeddings, split_of
from embedlab.tasks.measure.tested import folds_to_test
from embedlab.tasks.measure.time_fit import fitted_to_views


def run(folder: RunFolder, request: Diagnose, progress: Progress) -> None:
    """Writes ``diagnostics/KEY.json`` of the run for each key."""
    measured = open_run(request.run)
    corpus, read = open_corpus(fingerprint_of(measured)), labels_read_of_both(measured)
    views = looked_at(
        encoder_loaders(measured), corpus, progress, read, of=measured, typed=request.texts,
        pairs=pairs_of_set(open_set(request.pairs)) if request.pairs else None,
    )  # fmt: skip
    for key in request.keys:
        keep(measured, key, diagnosed_by(key, views, request.settings.get(key, {})), request.texts)
    write_json(folder.result, {"run": measured.id, "keys": list(request.keys)})


def keep(run: RunFolder, key: str, result: Diagnosed, texts: Sequence[str]) -> None:
    """Write ``diagnostics/KEY.json`` of a run, with the typed ``texts`` that it used."""
    diagnosed = result.model_copy(update={"measured": now(), "texts": list(texts)[: texts_needed(DIAGNOSTICS[key])]})
    write_json(run.diagnostic(key), diagnosed.model_dump(mode="json", exclude_unset=True))


def encoder_loaders(run: RunFolder) -> dict[str, tuple[Callable, Callable | None]]:
    """``before`` and ``after``: a function that loads the encoder, and one that opens the vectors of its corpus."""
    return {
        state: (partial(encoder_of_run, run, state), partial(load_embeddings, run, state))
        for state in ("before", "after")
    }


def looked_at(
    doors: Mapping[str, tuple[Callable, Callable | None]],
    corpus: Corpus,
    progress: Progress,
    read: LabelExposure = NO_LABELS,
    *,
    of: RunFolder | None = None,
    typed: tuple[str, ...] = (),
    pairs: TextPairs | None = None,
) -> dict[str, EncoderView]:
    """A view of each encoder and its texts; the second is compared with the first.

    ``read``: labels that trained any of them are not used. ``of``: the run whose encoders and corpus these are, with
    whose result accuracies agree.
    """
    device, split = choose_device("auto").name, split_of(corpus, read)[0]
    folds = folds_to_test(corpus, split, read, of)
    views: dict[str, EncoderView] = {}
    for state, (load, stored) in doors.items():
        views[state] = EncoderView(
            load=partial(_on_device, load, device),
            texts=corpus.texts,  # of an excluded row empty
            labels=corpus.labels,
            read=read.in_corpus(corpus),
            split=split,
            folds=folds,
            titles=corpus.titles,
            stored=stored,
            typed=tuple(text.strip() for text in typed),
            pairs=pairs,
            untouched=next(iter(views.values()), None),
            device=device,
            progress=in_words(progress, f"{{}}, {state}".format),
        )
    return views


def _on_device(load: Callable[[], Encoder], device: str) -> Encoder:
    return load().to(device)


def diagnosed_by(key: str, views: dict[str, EncoderView], settings: dict) -> Diagnosed:
    """The values before and after, None without such an encoder, and pictures of each.

    What cannot be looked at has a ``reason`` in place of values; defaults lowered for a long context are ``fitted``.
    """
    part = DIAGNOSTICS[key]
    config = validated(part.config_class, settings, where=key)
    diagnosed = Diagnosed(before=None, after=None, unit=part.unit, settings=config.model_dump(mode="json"))
    try:
        for each in views.values():
            require(part, each)
        config, fit = fitted_to_views(key, config, views)
        fitted = {"settings": config.model_dump(mode="json")} | ({"fitted": fit} if fit else {})
        diagnosed = diagnosed.model_copy(update=fitted)
        results = {state: part.measure(each, config) for state, each in views.items()}
    except EmbedlabError as error:
        return diagnosed.model_copy(update={"reason": error.message})
    values = {state: result.values for state, result in results.items()}
    pictures = {state: list(result.pictures) for state, result in results.items()}
    words = {"sentence": part.in_words(results), "pictures": pictures}
    return diagnosed.model_copy(update=values | words)


def pairs_of_set(pairs: EvaluationSet) -> TextPairs:
    """The pairs of a file; if any pair lacks a score, all scores are dropped."""
    if pairs.info.kind != "pairs":
        message = f"A file of pairs is needed, but {pairs.name!r} has {pairs.info.kind}. Give sentence1 and sentence2."
        raise CorpusError("E-NOT-SERVED", message)
    scores = pairs.column("score")
    is_scored = all(score is not None for score in scores)
    return TextPairs(
        list(pairs.column("sentence1")), list(pairs.column("sentence2")), np.array(scores, float) if is_scored else None
    )
