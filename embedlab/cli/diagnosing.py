"""``layers``, ``length`` and ``diagnose``: an encoder examined on a corpus, before and after."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from embedlab.cli.arguments import Json, Option, Outcome
from embedlab.cli.embedding import encoder_of
from embedlab.cli.reading import CorpusOrItsRun, CorpusReading, RunOrEncoder, corpus_of, read_test_set, words_of
from embedlab.cli.terminal import Terminal
from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.damage import read_model
from embedlab.disk_trouble import kept_if_possible
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN
from embedlab.encoder_catalog.names import is_made_here
from embedlab.errors import UserError
from embedlab.jobs.requests.measuring import MeasuredInside, MeasureInside
from embedlab.jobs.runner import submit_once, wait
from embedlab.jobs.why_ended import error_of
from embedlab.metrics.length_results import ScoredLength
from embedlab.numbers import counted, percent
from embedlab.offline import go_offline
from embedlab.report.contract import printed_curve, printed_layers
from embedlab.report.verdict_words import scored_pairs_sentence
from embedlab.runs.evaluations import read_layers, read_length
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import newest_job
from embedlab.runs.label_lineage import LabelExposure, labels_read_by, labels_read_of_both
from embedlab.runs.state import State, read_state
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.vectors.faults import fault_notes

if TYPE_CHECKING:  # torch takes seconds to import
    from embedlab.encoders.encoder import Encoder

LAYERS = "layers"  # the diagnostic whose rows are by both distances
Loaders = dict[str, tuple[Callable, Callable | None]]  # of each encoder, and of its vectors where there are some


def layers(
    terminal: Terminal,
    *,
    of: RunOrEncoder,
    corpus: CorpusOrItsRun = None,
    token: Annotated[int | None, Option("also read the N-th token, counted from 0", "N")] = None,
    linear: Annotated[bool, Option("also train a linear probe after every layer")] = False,
    at_most: Annotated[
        int | None, Option("sample this many labeled texts if there are more (default: 5000)", "TEXTS")
    ] = None,
    maps: Annotated[bool, Option("only with --run: also draw a map of every layer and keep it in the run")] = False,
    reading: CorpusReading,
) -> Outcome:
    """Accuracy after every layer; ``after`` is null for an encoder without a run."""
    from embedlab.diagnostics.layerwise import LayerwiseConfig
    from embedlab.tasks.measure.layers import layer_curves, layers_of_run

    settings = {"token": token, "linear": linear, "at_most": at_most}
    config = validated(LayerwiseConfig, {k: v for k, v in settings.items() if v is not None}, where="layers")
    run_folder = open_run(of.run) if of.run is not None and corpus is None else None
    if maps and run_folder is None:
        raise UserError("E-MAPS", "Maps of the layers are kept in a run: specify it with --run, without --corpus.")
    if run_folder is not None:
        go_offline()
        curves = layers_of_run(run_folder, terminal, config=config, maps=maps)
    else:
        texts = corpus_of(corpus, of.run, reading, terminal)
        loaders = loaders_of(of, texts, terminal)
        curves = layer_curves(loaders, texts, terminal, labels_read(of), config=config)
    result = printed_layers(curves)
    return Outcome(result, show_layers(result))


def length(
    terminal: Terminal,
    *,
    of: RunOrEncoder,
    corpus: CorpusOrItsRun = None,
    copies: Annotated[
        int | None, Option("repeat each text at most N times (default: 100; fewer for a long context)", "N")
    ] = None,
    pairs: Annotated[
        str | None, Option("sentence pairs (columns sentence1, sentence2) instead of the corpus's", "FILE")
    ] = None,
    on: Annotated[
        str | None, Option("scored pairs: does their Spearman correlation survive? (README: files)", "FILE")
    ] = None,
    reading: CorpusReading,
) -> Outcome:
    """Similarities of pairs of short texts before and after elongation."""
    from embedlab.diagnostics.length import LengthConfig
    from embedlab.tasks.measure import length as measuring

    config = validated(LengthConfig, {} if copies is None else {"copies": copies}, where="length")
    run = None if of.run is None else open_run(of.run)
    needs_corpus = pairs is None or (run is None and is_made_here(of.reference))
    texts = corpus_of(corpus, of.run, reading, terminal) if needs_corpus else None
    encoders = encoders_of(of, texts, terminal, names=("untouched", "tuned"))
    of_file = None if pairs is None else measuring.read_pairs(Path(pairs).expanduser(), pairs)
    chosen, attacked_pairs, fit = measuring.attack_to_run(encoders, texts, config, labels_read(of), given=of_file)
    results = measuring.attacked(encoders, attacked_pairs, chosen, terminal)
    similarities = measuring.length_result(results, chosen.copies, fit)
    if run is not None and corpus is None and pairs is None:
        with kept_if_possible(terminal):
            measuring.write_similarities(run, results)
            write_json(run.length, similarities.model_dump(mode="json"))
    printed = similarities.model_dump(mode="json")
    if on is not None:
        of_set = read_test_set(on, reading.parsing, terminal)
        scored = measuring.scored(encoders, of_set, config, terminal, into=run)
        printed["scored"] = scored.model_dump(mode="json")
    return Outcome(printed, show_length(printed))


def wait_for_inside(run: RunFolder, terminal: Terminal) -> dict[str, Json | None]:
    """Return ``layers`` and ``length`` of a run, each as the command of this name prints it.

    Waits for the measurement that follows a training, and starts it where the run has none. What could not be measured
    is None, with the reason on the terminal.
    """
    job = newest_job(MeasureInside.task, run=run.id)
    if job is None or read_state(job).state not in (State.QUEUED, State.RUNNING, State.FINISHED):
        job = submit_once(MeasureInside(run=run.id))
    facts = wait(job, terminal)
    if facts.state is State.FINISHED:
        missing = read_model(job.result, MeasuredInside)
        reasons = {"Layers": missing.no_layers, "Length": missing.no_length}
    else:
        is_stopped = facts.state is State.STOPPED
        reasons = {"Layers and length": facts.state.sentence if is_stopped else error_of(facts, job).message}
    for name, reason in reasons.items():
        if reason is not None:
            terminal.note(f"{name}: not measured. {reason}")
    curves, similarities = read_layers(run), read_length(run)
    return {
        "layers": None if curves is None else printed_layers(curves),
        "length": None if similarities is None else similarities.model_dump(mode="json"),
    }


def show_layers(result: Json) -> list[str]:
    """The best layer by each distance, the texts they were measured on, and a table of layers by both."""
    lines = [result["flat_because"]] if result["flat_because"] else []
    lines += [best["sentence"] for best in result["best"].values() if best["sentence"]]
    lines.append(f"Measured on {result['measured_on']}. {result['vectors']}")
    for row in result["layers"]:
        cells = f"{_before_after(row[COSINE])} ({DISTANCES[COSINE]}), {_before_after(row)} ({DISTANCES[EUCLIDEAN]})"
        if "linear_before" in row:
            cells += f", linear {_before_after({name: row.get(f'linear_{name}') for name in ('before', 'after')})}"
        if any(empty := [row.get(f"zero_vectors_{name}") or 0 for name in ("before", "after")]):
            cells += f", {max(empty):,} with a zero or non-finite vector"
        lines.append(f"layer {row['layer']:>2}  {row['pooling']:<5} {cells}")
    return lines


def _before_after(values: Json) -> str:
    return " → ".join(f"{percent(values[name])}" for name in ("before", "after") if values[name] is not None)


def show_length(result: Json) -> list[str]:
    """Means before and after."""
    lines = [each for each in (result["flat_because"], result.get("fitted")) if each]
    for name in ("untouched", "tuned"):
        cosines = result[name]
        if cosines is not None:
            before, after = cosines["before"], cosines["after"]
            lines.append(
                f"{name}: cosine {before['mean']:.3f} (sd {before['std']:.3f}) → {after['mean']:.3f} (sd "
                f"{after['std']:.3f})"
            )
    if result.get("zero_vectors"):
        lines.append(
            f"{counted(result['zero_vectors'], 'pair is', 'pairs are')} left out, because a text has no vector"
        )
    copies = result["effective_copies"]
    read = f", {copies['mean']:.1f} of them fit on average" if copies else ""
    lines.append(f"{result['pairs']:,} random pairs of {result['texts']}, {result['copies']} copies{read}")
    if scored := result.get("scored"):
        lines += [*filter(None, [scored.get("fitted")]), scored_pairs_sentence(ScoredLength.model_validate(scored))]
    return lines


def encoders_of(
    of: RunOrEncoder, corpus: Corpus | None, terminal: Terminal, *, names: tuple[str, str]
) -> "dict[str, Encoder]":
    """The two encoders of a run; for ``--encoder`` a single one, untouched."""
    from embedlab.tasks.encoders import encoder_of_run

    go_offline()
    if of.run is None:
        return {names[0]: encoder_of(of, corpus, terminal)}
    folder = open_run(of.run)
    return {names[0]: encoder_of_run(folder, "before"), names[1]: encoder_of_run(folder, "after")}


def loaders_of(of: RunOrEncoder, corpus: Corpus, terminal: Terminal) -> Loaders:
    """Return a function for each encoder of a run, or for the one of ``--encoder``, that loads it.

    None of them has vectors: those of a run are of its own corpus.
    """
    from embedlab.tasks.measure.diagnose import encoder_loaders

    go_offline()
    if of.run is None:
        return {"before": (lambda: encoder_of(of, corpus, terminal), None)}
    return {state: (load, None) for state, (load, _) in encoder_loaders(open_run(of.run)).items()}


def labels_read(of: RunOrEncoder) -> LabelExposure:
    """The labels that trained any of them."""
    return labels_read_by(of.reference) if of.run is None else labels_read_of_both(open_run(of.run))


def diagnose(
    terminal: Terminal,
    *,
    of: RunOrEncoder,
    corpus: CorpusOrItsRun = None,
    only: Annotated[str | None, Option("by their keys in parts (default: all)", "KEY,…")] = None,
    pairs: Annotated[str | None, Option("pairs of texts with scores, instead of the corpus's own", "FILE")] = None,
    texts: Annotated[
        tuple[str, ...] | None, Option("one or two texts, for diagnostics of single texts", "TEXT", takes_several=True)
    ] = None,
    against: Annotated[
        str | None, Option("a run whose encoder is shown as before", "untouched|ID", names="run")
    ] = None,
    reading: CorpusReading,
) -> Outcome:
    """Diagnostics before and after, all or those of ``--only``; ``after`` is null for an encoder without a run.

    Of a run as it was trained they are kept in its folder, and its pages show them.
    """
    from embedlab.diagnostics import DIAGNOSTICS
    from embedlab.tasks.measure.diagnose import diagnosed_by, encoder_loaders, keep, looked_at, pairs_of_set

    keys = [DIAGNOSTICS[key].key for key in words_of(only)] if only else DIAGNOSTICS.keys()
    scored_pairs = pairs_of_set(read_test_set(pairs, reading.parsing, terminal)) if pairs else None
    examined = corpus_of(corpus, of.run, reading, terminal)
    run_folder = open_run(of.run) if of.run is not None and corpus is None else None
    loaders = loaders_of(of, examined, terminal) if run_folder is None else encoder_loaders(run_folder)
    go_offline()
    read = labels_read(of)
    other = None if against is None or against == "untouched" else open_run(against)
    if other is not None:
        is_same = corpus is None and fingerprint_of(other) == examined.fingerprint
        load, stored = encoder_loaders(other)["after"]
        loaders = {"before": (load, stored if is_same else None), "after": loaders["after" if of.run else "before"]}
        read |= labels_read_of_both(other)
    views = looked_at(loaders, examined, terminal, read, of=run_folder, typed=texts or (), pairs=scored_pairs)
    results = {key: diagnosed_by(key, views, {}) for key in keys}
    if of.run is not None and (corpus, pairs) == (None, None) and other is None:
        with kept_if_possible(terminal):
            for key, each in results.items():
                keep(open_run(of.run), key, each, texts or ())
    left_out = {"pictures", "settings"}
    diagnostics = {
        key: each.model_dump(mode="json", exclude_unset=True, exclude=left_out) for key, each in results.items()
    }
    lines = [
        f"{key}: {each.get('sentence') or each['reason']} {each.get('fitted', '')}".rstrip()
        for key, each in diagnostics.items()
    ]
    if LAYERS in diagnostics:
        diagnostics[LAYERS] |= {state: printed_curve(diagnostics[LAYERS][state]) for state in ("before", "after")}
    faults = {state: each.faults(examined.copies) for state, each in views.items() if each.is_embedded}
    notes = fault_notes({state.capitalize() if len(faults) > 1 else "vectors": each for state, each in faults.items()})
    facts = {
        "diagnostics": diagnostics,
        "vectors": {state: each.model_dump(mode="json") for state, each in faults.items()},
    }
    return Outcome(facts, lines, warnings=notes)
