"""``recipes``, ``encoders``, ``corpora``, ``metrics`` and so on: the available parts, listed without loading torch."""

from math import isfinite
from typing import Annotated, Any

from embedlab.cli.arguments import Json, Option, Outcome
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


def _facts(part: Any, names: str) -> dict[str, str | bool]:
    return {name: getattr(part, name) for name in names.split()}


def _listed(kind: str, rows: list[Json]) -> Outcome:
    """Key and title, one per line."""
    lines = [f"{row['key']:<24} {row.get('title') or row['name']}" for row in rows]
    return Outcome({kind: rows}, lines or [f"There are no {kind} yet."])


def recipes(terminal: Terminal) -> Outcome:
    """Every published combination."""
    from embedlab.training.recipes import RECIPES

    names = "key title sentence paper augmentation objective"
    return _listed("recipes", [_facts(each, names) | {"needs": sorted(each.needs)} for each in RECIPES])


def encoders(
    terminal: Terminal,
    *,
    update: Annotated[
        str | None, Option("fetch the newest version of a hub's encoder; runs keep theirs", "NAME")
    ] = None,
) -> Outcome:
    """Every encoder known by name and every other that was fetched; for how many days each has been in the store."""
    from embedlab.encoder_catalog.catalog import ENCODERS, stored_hub_ids, update_line

    if update is not None:
        from embedlab.jobs.requests.corpora import FetchedEncoder, FetchEncoder
        from embedlab.jobs.runner import done_by_worker

        got = done_by_worker(FetchEncoder(encoder=update, update=True), FetchedEncoder, terminal)
        updated = {"encoder": update, "commit": got.commit, "before": got.before, "path": str(got.path)}
        return Outcome(updated, [update_line(update, before=got.before, commit=got.commit)])
    listed = [
        entry.model_dump(mode="json")
        | {"missing_package": entry.missing_package}
        | _stored(None if entry.package else entry.hub_id)
        for entry in ENCODERS
    ]
    others = sorted(stored_hub_ids() - {entry.hub_id for entry in ENCODERS})
    fetched = [{"key": f"hf:{name}", "title": name} | _stored(name) for name in others]
    return Outcome({"encoders": listed, "fetched": fetched}, [_encoder_line(each) for each in listed + fetched])


def _encoder_line(row: Json) -> str:
    """Its key and title, how long it has been in the store, and the package that it needs first."""
    remarks = [row["title"]]
    if "stored" in row:
        remarks.append(row["stored"]["age"])
    if row.get("missing_package"):
        remarks.append(f"needs the package {row['missing_package']}, which is not installed")
    return f"{row['key']:<24}  {', '.join(remarks)}"


def _stored(hub_id: str | None) -> dict[str, dict[str, str | int]]:
    from embedlab.encoder_catalog.catalog import stored_copy

    copy = None if hub_id is None else stored_copy(hub_id)
    return {} if copy is None else {"stored": {"commit": copy.commit, "days": copy.days, "age": copy.age}}


def corpora(terminal: Terminal) -> Outcome:
    """The built-in corpora, the catalog, and what the store holds."""
    from embedlab.corpora.catalog import CATALOG
    from embedlab.corpora.docs import BUILT_IN
    from embedlab.corpora.stored.shelf import list_corpora

    built_in = [{"key": source.key, "title": source.title, "where": "built in"} for source in BUILT_IN]
    named = [{**entry.model_dump(mode="json"), "where": "catalog"} for entry in CATALOG]
    stored = [
        {"key": info.fingerprint, "title": info.name, "where": "store", "classes": len(info.classes)}
        | info.model_dump(include={"source", "licence", "texts"})
        for info in list_corpora()
    ]
    return _listed("corpora", [*built_in, *named, *stored])


def metrics(terminal: Terminal) -> Outcome:
    """Every metric, its range (null where unbounded), and its paper."""
    from embedlab.metrics import METRICS

    rows = [
        _facts(metric, "key title sentence higher_is_better paper")
        | {"range": [bound if isfinite(bound) else None for bound in metric.range]}
        for metric in METRICS
    ]
    return _listed("metrics", rows)


def diagnostics(terminal: Terminal) -> Outcome:
    """Every diagnostic and its paper."""
    from embedlab.diagnostics import DIAGNOSTICS

    return _listed("diagnostics", [_facts(each, "key title sentence paper unit") for each in DIAGNOSTICS])


def baselines(terminal: Terminal) -> Outcome:
    """Every baseline, and its needs."""
    from embedlab.baseline_methods import BASELINE_METHODS

    names = "key title sentence needs_words gives_vectors"
    return _listed("baselines", [_facts(each, names) for each in BASELINE_METHODS])


def sets(terminal: Terminal) -> Outcome:
    """Every stored evaluation set."""
    from embedlab.corpora.sets.stored import list_sets

    return _listed("sets", [{"key": info.fingerprint, **info.model_dump(mode="json")} for info in list_sets()])


def executors(terminal: Terminal) -> Outcome:
    """Every executor, its needs, whether it is reachable now and why not, and the default for new runs."""
    from embedlab.jobs.executors import EXECUTORS, executor_of

    chosen, lines = executor_of(), []
    rows: list[dict[str, str | bool | None]] = []
    for each in EXECUTORS.values():
        why, is_chosen = each.unreachable(), each is chosen
        rows.append({**_facts(each, "key title needs"), "reachable": why is None, "why": why, "chosen": is_chosen})
        stands = "reachable" if why is None else "not reachable"
        lines.append(f"{each.key:<8} {each.title}: {stands}{', new runs go here' if is_chosen else ''}")
        lines += [f"         {sentence}" for sentence in (why, f"Needs: {each.needs}") if sentence]
    return Outcome({"executors": rows}, lines)


def parts(terminal: Terminal) -> Outcome:
    """Every part of every kind: kind, key and title, one per line."""
    listed = [(registry.kind, part) for registry in registries() for part in registry]
    rows = [
        {"kind": kind, "key": part.key, "title": part.title, "paper": getattr(part, "paper", "")}
        for kind, part in listed
    ]
    return Outcome({"parts": rows}, [f"{kind:<16} {part.key:<28} {part.title}" for kind, part in listed])
