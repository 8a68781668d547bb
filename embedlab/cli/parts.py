"""``recipes``, ``encoders``, ``corpora``, ``metrics`` and so on: what there is."""

from collections.abc import Iterable
from math import isfinite

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.cli.arguments import Command
from embedlab.jobs.executors import EXECUTORS, executor_of


def _listed(kind: str, parts: Iterable, names: str) -> tuple[dict, int]:
    """These facts of each part."""
    return {kind: [{name: getattr(part, name) for name in names.split()} for part in parts]}, 0


def recipes(terminal) -> tuple[dict, int]:
    """Every published combination."""
    from embedlab.training.recipes import RECIPES

    found, code = _listed("recipes", RECIPES, "key title sentence paper augmentation objective needs")
    return {"recipes": [each | {"needs": sorted(each["needs"])} for each in found["recipes"]]}, code


def encoders(terminal) -> tuple[dict, int]:
    """Every encoder known by name."""
    from embedlab.encoders.catalog import ENCODERS

    return {"encoders": [entry.model_dump(mode="json") for entry in ENCODERS]}, 0


def corpora(terminal) -> tuple[dict, int]:
    """The built-in corpus, the catalog, and what the store holds."""
    from embedlab.corpora.base import list_corpora
    from embedlab.corpora.catalog import CATALOG

    builtin = {"key": "docs", "title": "Documentation of the installed libraries", "where": "built in"}
    named = [{**entry.model_dump(mode="json"), "where": "catalog"} for entry in CATALOG]
    stored = [
        {"key": info.fingerprint, "title": info.name, "where": "store", "classes": len(info.classes)}
        | info.model_dump(include={"source", "licence", "texts"})
        for info in list_corpora()
    ]
    return {"corpora": [builtin, *named, *stored]}, 0


def metrics(terminal) -> tuple[dict, int]:
    """Every metric, its range, null where it has no end, and its paper."""
    from embedlab.metrics import METRICS

    found, code = _listed("metrics", METRICS, "key title sentence range higher_is_better paper")
    ranges = {metric.key: [bound if isfinite(bound) else None for bound in metric.range] for metric in METRICS}
    return {"metrics": [each | {"range": ranges[each["key"]]} for each in found["metrics"]]}, code


def diagnostics(terminal) -> tuple[dict, int]:
    """Every diagnostic and its paper."""
    from embedlab.diagnostics import DIAGNOSTICS

    return _listed("diagnostics", DIAGNOSTICS, "key title sentence paper unit")


def baselines(terminal) -> tuple[dict, int]:
    """Every baseline, and what it needs."""
    return _listed("baselines", BASELINE_METHODS, "key title sentence needs_words gives_vectors")


def sets(terminal) -> tuple[dict, int]:
    """Every stored evaluation set."""
    from embedlab.corpora.sets.stored import list_sets

    return {"sets": [{"key": info.fingerprint, **info.model_dump(mode="json")} for info in list_sets()]}, 0


def executors(terminal) -> tuple[dict, int]:
    """Every executor, what it needs, whether it is reachable now and why not, and which one new runs go to."""
    found, code = _listed("executors", EXECUTORS.values(), "key title needs")
    chosen = executor_of().key
    for each in found["executors"]:
        why = EXECUTORS[each["key"]].unreachable()
        each |= {"reachable": why is None, "why": why, "chosen": each["key"] == chosen}
    return found, code


def parts(terminal) -> tuple[dict, int]:
    """Every part of every kind."""
    from embedlab.cli.registries import REGISTRIES

    return {
        "parts": [
            {"kind": registry.kind, "key": part.key, "title": part.title, "paper": getattr(part, "paper", "")}
            for registry in REGISTRIES
            for part in registry
        ]
    }, 0


def show_parts(result: dict) -> list[str]:
    """Key and title, a line each."""
    ((name, parts),) = result.items()
    if not parts:
        return [f"There are no {name} yet."]
    return [f"{part['key']:<24} {part.get('title') or part.get('name', '')}" for part in parts]


def show_executors(result: dict) -> list[str]:
    """Key, title and whether it is reachable; below, why not, and what it needs."""
    lines = []
    for each in result["executors"]:
        stands = "reachable" if each["reachable"] else "not reachable"
        lines.append(f"{each['key']:<8} {each['title']}: {stands}{', new runs go here' if each['chosen'] else ''}")
        lines += [f"         {sentence}" for sentence in (each["why"], f"Needs: {each['needs']}") if sentence]
    return lines


def show_all_parts(result: dict) -> list[str]:
    """Kind, key and title, a line each."""
    return [f"{part['kind']:<16} {part['key']:<28} {part['title']}" for part in result["parts"]]


LISTS = (recipes, encoders, corpora, metrics, diagnostics, baselines, sets)
COMMANDS = {each.__name__: Command(each, show_parts) for each in LISTS} | {
    "executors": Command(executors, show_executors),
    "parts": Command(parts, show_all_parts),
}
