"""The length attack on a run's encoder, before and after: on pairs of short texts, and on scored pairs."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from embedlab.config import validated
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.proposal import Reading
from embedlab.corpora.sets.stored import EvaluationSet, open_set
from embedlab.device import choose_device
from embedlab.diagnostics.length import LengthConfig, LengthResult, Similarities, attack, scored_attack
from embedlab.diagnostics.pairs import Pairs, corpus_pairs, given_pairs
from embedlab.disk_trouble import kept_if_possible
from embedlab.encoders.encoder import Encoder
from embedlab.errors import CorpusError
from embedlab.jobs.requests.measuring import AttackLength, AttackScoredPairs
from embedlab.metrics.length_results import AttackedPairs, LengthFacts, ScoredLength
from embedlab.metrics.pair_metrics import STS
from embedlab.progress import Progress
from embedlab.runs.folder import SCORED, RunFolder
from embedlab.runs.label_lineage import NO_LABELS, LabelExposure, labels_read_of_both
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.table_files import write_parquet
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.time_fit import fitted_attack


def run(folder: RunFolder, request: AttackLength, progress: Progress) -> None:
    """Writes ``length.json`` and ``similarities.parquet`` of the run."""
    measured = open_run(request.run)
    corpus = open_corpus(fingerprint_of(measured))
    config = validated(LengthConfig, request.settings, where="length")
    file = request.pairs_file
    given = read_pairs(Path(file.path), file.name) if file else None
    encoders = {"untouched": encoder_of_run(measured, "before"), "tuned": encoder_of_run(measured, "after")}
    config, pairs, fit = attack_to_run(
        encoders, corpus, config, labels_read_of_both(measured), given=given, within=request.within
    )
    results = attacked(encoders, pairs, config, progress)
    write_similarities(measured, results)
    result = length_result(results, config.copies, fit, file=file.name if file else None)
    for path in (measured.length, folder.result):
        write_json(path, result.model_dump(mode="json"))


def read_pairs(path: Path, name: str) -> Pairs:
    """The pairs of a table with the columns ``sentence1`` and ``sentence2``, as ``stsb`` has them."""
    table = read_table(path, Reading(), name=name).sound(Reading())
    columns, names = ("sentence1", "sentence2"), table.columns.column_names
    if not set(columns) <= set(names):
        message = f"A file of pairs needs the columns sentence1 and sentence2, but {name} has {', '.join(names)}."
        raise CorpusError("E-COLUMN", message)
    first, second = ([str(text or "") for text in table.columns[column].to_pylist()] for column in columns)
    return given_pairs(first, second)


def pairs_of(encoder: Encoder, corpus: Corpus, config: LengthConfig, read: LabelExposure = NO_LABELS) -> Pairs:
    """The same pairs for every encoder: short by the tokens of the first, from texts whose labels trained none."""
    return corpus_pairs(
        encoder,
        texts=corpus.texts,
        titles=corpus.titles,
        labels=corpus.labels,
        pairs=config.pairs,
        seed=config.seed,
        left_out=read.in_corpus(corpus),
    )


def attack_to_run(
    encoders: dict,
    corpus: Corpus | None,
    config: LengthConfig,
    read: LabelExposure = NO_LABELS,
    *,
    given: Pairs | None,
    within: float | None = None,
) -> tuple[LengthConfig, Pairs, str | None]:
    """Settings fitted to the time, the pairs, and a sentence on what was lowered.

    ``within``: seconds that it may take; None: a minute for an encoder with a long context.
    """
    first, device = next(iter(encoders.values())), choose_device("auto").name
    assert given is not None or corpus is not None, "without pairs a corpus is read"
    pairs = given or pairs_of(first, corpus, config, read)  # type: ignore[arg-type]
    chosen, fit = fitted_attack(config, first, pairs, encoders=len(encoders), device=device, within=within)
    if given is None and corpus is not None and chosen.pairs != config.pairs:
        pairs = pairs_of(first, corpus, chosen, read)
    return chosen, pairs, fit


def attacked(encoders: dict, pairs: Pairs, config: LengthConfig, progress: Progress) -> dict[str, LengthResult]:
    """The attack on each encoder."""
    device = choose_device("auto").name
    return {
        name: attack(
            encoder.to(device), pairs, copies=config.copies, truncate=config.truncate, device=device, progress=progress
        )
        for name, encoder in encoders.items()
    }


def length_result(
    results: dict[str, LengthResult], copies: int, fit: str | None = None, *, file: str | None = None
) -> LengthFacts:
    """Means and standard deviations over random pairs, and over pairs with one label; ``fit``: what was lowered."""
    first, same_label = next(iter(results.values())), _of_kind(results, "same_label")
    return LengthFacts(
        **dict(_of_kind(results, "random")),
        copies=copies,
        texts=first.texts,
        same_label=same_label if same_label.pairs else None,
        robustness={name: result.robustness for name, result in results.items()},
        zero_vectors=first.zero_vectors,
        flat_because=first.flat_because,
        fitted=fit,
        file=file,
    )


def _of_kind(results: dict[str, LengthResult], kind: str) -> AttackedPairs:
    summaries = {name: getattr(result, kind).summary() for name, result in results.items()}
    first = next(iter(summaries.values()))
    if first is None:
        return AttackedPairs(pairs=0)
    return AttackedPairs(pairs=first.pairs, effective_copies=first.effective_copies, **summaries)


def write_similarities(folder: RunFolder, results: dict[str, LengthResult]) -> None:
    """Every cosine: one row per pair, kind and encoder."""
    kinds = ("random", "same_label")
    cosines = {(name, kind): getattr(result, kind) for name, result in results.items() for kind in kinds}
    _write_cosines(folder.similarities, cosines)


def _write_cosines(path: Path, of: dict[tuple[str, str], Similarities]) -> None:
    """``of``: by encoder and kind of pairs."""
    parts = []
    for (name, kind), cosines in of.items():
        columns = {"before": cosines.before, "after": cosines.after, "effective_copies": cosines.effective_copies}
        words = {"kind": [kind] * len(cosines.before), "encoder": [name] * len(cosines.before)}
        named = {column: pa.array(values, pa.string()) for column, values in words.items()}  # also where none is
        parts.append(pa.table({**named, **{k: pa.array(v, pa.float64()) for k, v in columns.items()}}))
    write_parquet(path, pa.concat_tables(parts))


def run_scored(folder: RunFolder, request: AttackScoredPairs, progress: Progress) -> None:
    """Writes ``length/scores.json`` of the run."""
    measured = open_run(request.run)
    config = validated(LengthConfig, request.settings, where="length")
    encoders = {"untouched": encoder_of_run(measured, "before"), "tuned": encoder_of_run(measured, "after")}
    result = scored(encoders, open_set(request.set), config, progress, into=measured)
    write_json(folder.result, result.model_dump(mode="json"))


def scored(
    encoders: dict, pairs: EvaluationSet, config: LengthConfig, progress: Progress, *, into: RunFolder | None = None
) -> ScoredLength:
    """How repetition changes each encoder's Spearman correlation; pairs without a score are left out.

    Copies that were not given are fitted to a minute for an encoder with a long context.

    ``into``: the run whose encoders these are, in whose folder this and every cosine are kept.
    """
    if STS.key not in pairs.info.serves:
        serves = ", ".join(pairs.info.serves)
        message = f"{pairs.name!r} has no scored pairs: it supports {serves}. Give sentence1, sentence2 and score."
        raise CorpusError("E-NOT-SERVED", message)
    given = pairs.column("score")
    rows = [row for row, value in enumerate(given) if value is not None]
    first, second = ([texts[row] for row in rows] for texts in (pairs.column("sentence1"), pairs.column("sentence2")))
    scores, device = np.array([given[row] for row in rows], float), choose_device("auto").name
    chosen, fit = fitted_attack(
        config, next(iter(encoders.values())), given_pairs(first, second), encoders=len(encoders), device=device
    )
    measured, similarities = {}, {}
    for name, encoder in encoders.items():
        measured[name], similarities[name, SCORED] = scored_attack(
            encoder.to(device), first=first, second=second, scores=scores, copies=chosen.copies, device=device,
            progress=progress,
        )  # fmt: skip
    result = ScoredLength(set=pairs.name, fingerprint=pairs.fingerprint, copies=chosen.copies, fitted=fit, **measured)
    if into is not None:
        with kept_if_possible(progress):
            _write_cosines(into.scored_similarities, similarities)
            write_json(into.length_scores, result.model_dump(mode="json"))
    return result
