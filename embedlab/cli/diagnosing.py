"""``layers``, ``length`` and ``diagnose``: an encoder looked at on a corpus, before and after."""

from pathlib import Path

from embedlab.cli.measuring import encoder_of
from embedlab.cli.reading import corpus_of, parsing_of
from embedlab.config import validated
from embedlab.distance import COSINE, DISTANCES, EUCLIDEAN
from embedlab.encoder_names import is_made_here
from embedlab.errors import UserError
from embedlab.jobs.offline import go_offline
from embedlab.report.verdict_words import scored_told
from embedlab.runs.label_lineage import labels_read_by, labels_read_of_both
from embedlab.runs.labels_read import LabelsRead
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.store_root import write_json
from embedlab.vectors.faults import fault_notes


def layers(asked, terminal) -> tuple[dict, int]:
    """Accuracy after every layer; ``after`` is null for an encoder that is no run's."""
    from embedlab.diagnostics.layerwise import LayerwiseConfig
    from embedlab.tasks.measure.layers import best_layers, layer_curves

    given = {"token": asked.token, "linear": asked.linear, "at_most": asked.at_most}
    config = validated(LayerwiseConfig, {k: v for k, v in given.items() if v is not None}, where="layers")
    own = open_run(asked.run) if asked.run is not None and asked.corpus is None else None
    if asked.maps and own is None:
        raise UserError("E-MAPS", "Maps of the layers are drawn into a run: name it with --run, without --corpus.")
    corpus = corpus_of(asked, terminal)
    encoders = encoders_of(asked, corpus, terminal, names=("before", "after"))
    onto = own if asked.maps else None
    found = layer_curves(encoders, corpus, terminal, labels_read(asked), config=config, maps_of=onto)
    if own is not None:
        write_json(own.layers, found)
    return found | {"best": best_layers(found)}, 0


def length(asked, terminal) -> tuple[dict, int]:
    """Similarities of pairs of short texts before and after elongation."""
    from embedlab.diagnostics.length import LengthConfig
    from embedlab.tasks.measure.length import attacked, length_result, pairs_of, read_pairs, write_similarities

    config = validated(LengthConfig, {"copies": asked.copies}, where="length")
    corpus = corpus_of(asked, terminal) if asked.pairs is None or _needs_corpus(asked) else None
    encoders = encoders_of(asked, corpus, terminal, names=("untouched", "tuned"))
    if asked.pairs is not None:
        pairs = read_pairs(Path(asked.pairs).expanduser(), asked.pairs)
    else:
        pairs = pairs_of(encoders["untouched"], corpus, config, labels_read(asked))
    results = attacked(encoders, pairs, config, terminal)
    found = length_result(results, config.copies)
    if asked.run is not None and asked.corpus is None and asked.pairs is None:
        write_similarities(open_run(asked.run), results)
        write_json(open_run(asked.run).length, found)
    if asked.on is not None:
        found |= {"scored": _scored(asked, encoders, config.copies, terminal)}
    return found, 0


def _scored(asked, encoders: dict, copies: int, terminal) -> dict:
    """The same on the scored pairs of a file."""
    from embedlab.cli.pair_files import note_reading
    from embedlab.corpora.set_files import read_set
    from embedlab.tasks.measure.length import scored

    pairs = read_set(asked.on, progress=terminal, **parsing_of(asked))
    note_reading(pairs.info, terminal)
    return scored(encoders, pairs, copies, terminal, into=None if asked.run is None else open_run(asked.run))


def show_layers(result: dict) -> list[str]:
    """The best layer by each distance, and a table of layers by both."""
    lines = [result["flat_because"]] if result["flat_because"] else []
    lines += [best["sentence"] for best in result["best"].values() if best["sentence"]]
    for row in result["layers"]:
        told = f"{_before_after(row[COSINE])} by {DISTANCES[COSINE]}, {_before_after(row)} by {DISTANCES[EUCLIDEAN]}"
        if "linear_before" in row:
            told += f", linear {_before_after({name: row.get(f'linear_{name}') for name in ('before', 'after')})}"
        if any(empty := [row.get(f"zero_vectors_{name}") or 0 for name in ("before", "after")]):
            told += f", {max(empty):,} with a zero or non-finite vector"
        lines.append(f"layer {row['layer']:>2}  {row['pooling']:<5} {told}")
    sample = "a sample of " if result["sampled"] else ""
    return [*lines, f"{sample}{result['texts']:,} labelled texts, {result['test_texts']:,} of them tested"]


def _before_after(values: dict) -> str:
    return " → ".join(f"{100 * values[name]:.1f} %" for name in ("before", "after") if values[name] is not None)


def show_length(result: dict) -> list[str]:
    """Means before and after."""
    lines = [result["flat_because"]] if result["flat_because"] else []
    for name in ("untouched", "tuned"):
        found = result[name]
        if found is not None:
            before, after = found["before"], found["after"]
            lines.append(
                f"{name}: cosine {before['mean']:.3f} (sd {before['std']:.3f})"
                f" → {after['mean']:.3f} (sd {after['std']:.3f})"
            )
    if result.get("zero_vectors"):
        lines.append(f"{result['zero_vectors']:,} pairs are left out, because a text has no vector")
    copies = result["effective_copies"]
    read = f", {copies['mean']:.1f} of them fit on average" if copies else ""
    lines.append(f"{result['pairs']:,} random pairs of {result['texts']}, {result['copies']} copies{read}")
    return [*lines, *([scored_told(result["scored"])] if "scored" in result else [])]


def encoders_of(asked, corpus, terminal, *, names: tuple[str, str]) -> dict:
    """Both encoders of a run; one, as untouched, for ``--encoder``."""
    from embedlab.tasks.encoders import encoder_of_run

    go_offline()
    if asked.run is None:
        return {names[0]: encoder_of(asked, corpus, terminal)}
    folder = open_run(asked.run)
    return {names[0]: encoder_of_run(folder, "before"), names[1]: encoder_of_run(folder, "after")}


def labels_read(asked) -> LabelsRead:
    """Whose labels trained any of them."""
    return labels_read_by(asked.encoder) if asked.run is None else labels_read_of_both(open_run(asked.run))


def _needs_corpus(asked) -> bool:
    return asked.run is None and is_made_here(asked.encoder)


def diagnose(asked, terminal) -> tuple[dict, int]:
    """Those of ``--only``, else all, before and after; ``after`` is null for an encoder that is no run's.

    Of a run as it was trained they are kept in its folder, and its pages show them.
    """
    from embedlab.cli.pair_files import note_reading
    from embedlab.corpora.set_files import read_set
    from embedlab.diagnostics import DIAGNOSTICS
    from embedlab.tasks.measure.diagnose import diagnosed_by, doors_of_run, keep, looked_at, pairs_of_set

    keys = [DIAGNOSTICS[key.strip()].key for key in asked.only.split(",")] if asked.only else DIAGNOSTICS.keys()
    pairs = None
    if asked.pairs:
        given = read_set(asked.pairs, progress=terminal, **parsing_of(asked))
        note_reading(given.info, terminal)
        pairs = pairs_of_set(given)
    corpus = corpus_of(asked, terminal)
    go_offline()
    if asked.run is None:
        doors = {"before": (lambda: encoder_of(asked, corpus, terminal), None)}
    else:
        doors = doors_of_run(open_run(asked.run))
        doors = doors if asked.corpus is None else {state: (load, None) for state, (load, _) in doors.items()}
    read = labels_read(asked)
    if asked.against not in (None, "untouched"):
        other = open_run(asked.against)
        is_same = asked.corpus is None and fingerprint_of(other) == corpus.fingerprint
        load, stored = doors_of_run(other)["after"]
        doors = {"before": (load, stored if is_same else None), "after": doors["after" if asked.run else "before"]}
        read |= labels_read_of_both(other)
    texts = tuple(asked.texts or ())
    looked = looked_at(doors, corpus, terminal, read, typed=texts, pairs=pairs)
    found = {key: diagnosed_by(key, looked, {}) for key in keys}
    if asked.run is not None and (asked.corpus, asked.pairs) == (None, None) and asked.against in (None, "untouched"):
        for key, each in found.items():
            keep(open_run(asked.run), key, each, texts)
    diagnostics = {key: _without(each, "pictures", "settings") for key, each in found.items()}
    faults = {state: each.faults(corpus.copies) for state, each in looked.items() if each.is_embedded}
    notes = fault_notes({state.capitalize() if len(faults) > 1 else "vectors": each for state, each in faults.items()})
    vectors = {state: each.as_json() for state, each in faults.items()}
    return {"diagnostics": diagnostics, "vectors": vectors, "warnings": notes}, 0


def _without(found: dict, *names: str) -> dict:
    return {name: value for name, value in found.items() if name not in names}


def show_diagnose(result: dict) -> list[str]:
    """A sentence each, then what is wrong with the vectors."""
    lines = [f"{key}: {found.get('sentence') or found['reason']}" for key, found in result["diagnostics"].items()]
    return lines + [each["message"] for each in result["warnings"]]
