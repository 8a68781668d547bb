"""``recipes``, ``encoders``, ``corpora``, ``metrics`` and so on: the available parts, listed without loading torch."""

from collections.abc import Iterable
from math import isfinite
from typing import Annotated, Any

from embedlab.cli.arguments import Command, Json, Option, Outcome
from embedlab.cli.terminal import Terminal
from embedlab.registry import Registry


def registries() -> tuple[Registry[Any], ...]:
    """Every kind of part, in the order of the command ``parts``."""
    from embedlab.augmentations import AUGMENTATIONS
    from embedlab.baselines import BASELINES
    from embedlab.benchmarks import BENCHMARKS
    from embedlab.diagnostics import DIAGNOSTICS
    from embedlab.encoder_catalog.catalog import ENCODERS
    from embedlab.maps import MAPS
    from embedlab.metrics import METRICS
    from embedlab.objectives import OBJECTIVES
    from embedlab.postprocessing import POSTPROCESSING
    from embedlab.studies import STUDIES
    from embedlab.summaries import SUMMARISERS
    from embedlab.training.recipes import RECIPES

    training = (RECIPES, AUGMENTATIONS, OBJECTIVES, ENCODERS)
    return *training, METRICS, BASELINES, MAPS, DIAGNOSTICS, POSTPROCESSING, SUMMARISERS, STUDIES, BENCHMARKS


def _listed(kind: str, parts: Iterable, names: str) -> Outcome:
    """These facts about each part."""
    return {kind: [{name: getattr(part, name) for name in names.split()} for part in parts]}, 0


def recipes(terminal: Terminal) -> Outcome:
    """Every published combination."""
    from embedlab.training.recipes import RECIPES

    listing, code = _listed("recipes", RECIPES, "key title sentence paper augmentation objective needs")
    return {"recipes": [each | {"needs": sorted(each["needs"])} for each in listing["recipes"]]}, code


def encoders(
    terminal: Terminal,
    *,
    update: Annotated[
        str | None, Option("fetch the newest version of a hub's encoder; runs keep theirs", "NAME")
    ] = None,
) -> Outcome:
    """Every encoder known by name and every other that was fetched; for how many days each has been in the store."""
    from embedlab.encoder_catalog.catalog import ENCODERS, stored_hub_ids

    if update is not None:
        from embedlab.jobs.requests.corpora import FetchedEncoder, FetchEncoder
        from embedlab.jobs.runner import done_by_worker

        done = done_by_worker(FetchEncoder(encoder=update, update=True), terminal)
        fetched = FetchedEncoder.model_validate(done)
        return {"encoder": update, "commit": fetched.commit, "before": fetched.before, "path": str(fetched.path)}, 0
    known = [entry.model_dump(mode="json") | _stored(None if entry.package else entry.hub_id) for entry in ENCODERS]
    others = sorted(stored_hub_ids() - {entry.hub_id for entry in ENCODERS})
    return {"encoders": known, "fetched": [{"key": f"hf:{name}", "title": name} | _stored(name) for name in others]}, 0


def _stored(hub_id: str | None) -> Json:
    from embedlab.encoder_catalog.catalog import stored_copy

    copy = None if hub_id is None else stored_copy(hub_id)
    return {} if copy is None else {"stored": {"commit": copy.commit, "days": copy.days, "age": copy.age}}


def show_encoders(result: Json) -> list[str]:
    """Key and title, a line each; of an update what became of it."""
    from embedlab.encoder_catalog.catalog import update_line

    if "encoders" in result:
        return [
            f"{each['key']:<24}  {each['title']}" + (f", {each['stored']['age']}" if "stored" in each else "")
            for each in result["encoders"] + result["fetched"]
        ]
    return [update_line(result["encoder"], before=result["before"], commit=result["commit"])]


def corpora(terminal: Terminal) -> Outcome:
    """The built-in corpus, the catalog, and what the store holds."""
    from embedlab.corpora.catalog import CATALOG
    from embedlab.corpora.stored.shelf import list_corpora

    builtin = {"key": "docs", "title": "Documentation of the installed libraries", "where": "built in"}
    named = [{**entry.model_dump(mode="json"), "where": "catalog"} for entry in CATALOG]
    stored = [
        {"key": info.fingerprint, "title": info.name, "where": "store", "classes": len(info.classes)}
        | info.model_dump(include={"source", "licence", "texts"})
        for info in list_corpora()
    ]
    return {"corpora": [builtin, *named, *stored]}, 0


def metrics(terminal: Terminal) -> Outcome:
    """Every metric, its range (null where unbounded), and its paper."""
    from embedlab.metrics import METRICS

    listing, code = _listed("metrics", METRICS, "key title sentence range higher_is_better paper")
    ranges = {metric.key: [bound if isfinite(bound) else None for bound in metric.range] for metric in METRICS}
    return {"metrics": [each | {"range": ranges[each["key"]]} for each in listing["metrics"]]}, code


def diagnostics(terminal: Terminal) -> Outcome:
    """Every diagnostic and its paper."""
    from embedlab.diagnostics import DIAGNOSTICS

    return _listed("diagnostics", DIAGNOSTICS, "key title sentence paper unit")


def baselines(terminal: Terminal) -> Outcome:
    """Every baseline, and its needs."""
    from embedlab.baseline_methods import BASELINE_METHODS

    return _listed("baselines", BASELINE_METHODS, "key title sentence needs_words gives_vectors")


def sets(terminal: Terminal) -> Outcome:
    """Every stored evaluation set."""
    from embedlab.corpora.sets.stored import list_sets

    return {"sets": [{"key": info.fingerprint, **info.model_dump(mode="json")} for info in list_sets()]}, 0


def executors(terminal: Terminal) -> Outcome:
    """Every executor, its needs, whether it is reachable now and why not, and the default for new runs."""
    from embedlab.jobs.executors import EXECUTORS, executor_of

    listing, code = _listed("executors", EXECUTORS.values(), "key title needs")
    chosen = executor_of().key
    for each in listing["executors"]:
        why = EXECUTORS[each["key"]].unreachable()
        each |= {"reachable": why is None, "why": why, "chosen": each["key"] == chosen}
    return listing, code


def parts(terminal: Terminal) -> Outcome:
    """Every part of every kind."""
    return {
        "parts": [
            {"kind": registry.kind, "key": part.key, "title": part.title, "paper": getattr(part, "paper", "")}
            for registry in registries()
            for part in registry
        ]
    }, 0


def show_parts(result: Json) -> list[str]:
    """Key and title, one per line."""
    ((name, parts),) = result.items()
    if not parts:
        return [f"There are no {name} yet."]
    return [f"{part['key']:<24} {part.get('title') or part.get('name', '')}" for part in parts]


def show_executors(result: Json) -> list[str]:
    """Key, title and whether it is reachable; below, why not, and its needs."""
    lines = []
    for each in result["executors"]:
        stands = "reachable" if each["reachable"] else "not reachable"
        lines.append(f"{each['key']:<8} {each['title']}: {stands}{', new runs go here' if each['chosen'] else ''}")
        lines += [f"         {sentence}" for sentence in (each["why"], f"Needs: {each['needs']}") if sentence]
    return lines


def show_all_parts(result: Json) -> list[str]:
    """Kind, key and title, one per line."""
    return [f"{part['kind']:<16} {part['key']:<28} {part['title']}" for part in result["parts"]]


LISTS = (recipes, encoders, corpora, metrics, diagnostics, baselines, sets)
COMMANDS = {each.__name__: Command(each, show_parts) for each in LISTS} | {
    "encoders": Command(encoders, show_encoders),
    "executors": Command(executors, show_executors),
    "parts": Command(parts, show_all_parts),
}
