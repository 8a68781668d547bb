"""``runs …``, ``recipes``, ``encoders``, ``corpora``, ``metrics``, ``baselines``, ``sets``: what there is."""

import time
import zipfile
from math import isfinite

from embedlab.baseline_methods import BASELINE_METHODS
from embedlab.cli.contract import printed
from embedlab.cli.reading import output_file
from embedlab.distance import DISTANCES, SHOWN_FIRST, other_distance
from embedlab.errors import RunError
from embedlab.figures.text import percent
from embedlab.jobs.executors import EXECUTORS, executor_of, executor_with
from embedlab.jobs.runner import enforce_stop, look_after, request_stop
from embedlab.runs.elsewhere.place import elsewhere
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import damaged
from embedlab.runs.label_lineage import saw_labels
from embedlab.runs.result import RunResult, accuracy_of, read_result
from embedlab.runs.state import read_state
from embedlab.runs.store import delete_run, find_run, list_runs, open_run, read_settings, rename_run, summary
from embedlab.store_root import whole_file


def runs(asked, terminal) -> tuple[dict, int]:
    """All runs, newest first; under ``damaged`` the runs and jobs that cannot be read, where there are any."""
    unreadable = damaged()
    return {"runs": [_listed(folder) for folder in list_runs()]} | ({"damaged": unreadable} if unreadable else {}), 0


def show(asked, terminal) -> tuple[dict, int]:
    """One run: what was asked, where it stands, what it found."""
    folder = open_run(asked.run)
    return {**_listed(folder), "settings": read_settings(folder)["settings"], "path": str(folder.path)}, 0


def log(asked, terminal) -> tuple[dict, int]:
    """What a run's worker and its executor said; followed, it is printed as it is said."""
    folder = open_run(asked.run)
    executor, told = executor_with(folder), 0
    while asked.follow and not asked.json and not read_state(folder).is_over:
        said = executor.log(folder)
        print(said[told:], end="", flush=True)
        told = len(said)
        look_after(folder)
        time.sleep(1)
    return {"run": folder.id, "log": executor.log(folder)[told:]}, 0


def show_log(result: dict) -> list[str]:
    """As it was said."""
    return result["log"].splitlines() or ["The run's log is empty."]


def _listed(folder: RunFolder) -> dict:
    known = {**summary(folder), "saw_labels": saw_labels(folder), **elsewhere(folder)}
    return known | ({"result": printed(known["result"])} if known.get("result") is not None else {})


def stop(asked, terminal) -> tuple[dict, int]:
    """Ask for a stop and wait until it is one."""
    folder = open_run(asked.run)
    if read_state(folder).is_over:
        raise RunError(
            "E-RUN-OVER", f"Run {folder.id} is {read_state(folder).state} already: there is nothing to stop."
        )
    request_stop(folder)
    while not read_state(folder).is_over:
        enforce_stop(folder)
        time.sleep(0.2)
    return {"run": folder.id, "state": str(read_state(folder).state)}, 0


def resume(asked, terminal) -> tuple[dict, int]:
    """Go on with an interrupted, stopped or failed run from its newest checkpoint, and follow it."""
    from embedlab.cli.running import followed
    from embedlab.jobs.runner import resume as resume_run

    return followed(resume_run(open_run(asked.run), asked.on), terminal)


def rename(asked, terminal) -> tuple[dict, int]:
    """Call a run something else, and write a note to it; without one the note stays."""
    folder = open_run(asked.run)
    note = read_settings(folder).get("note", "") if asked.note is None else asked.note
    rename_run(folder, asked.name, note)
    named = read_settings(folder)
    return {"run": folder.id, "name": named["name"], "note": named["note"] or None}, 0


def delete(asked, terminal) -> tuple[dict, int]:
    """Remove a run for good, readable or not."""
    folder = find_run(asked.run)
    delete_run(folder)
    return {"run": folder.id, "deleted": True}, 0


def export(asked, terminal) -> tuple[dict, int]:
    """One run as a zip: settings, curve, encoder, embeddings, maps; without locks and checkpoints."""
    folder = open_run(asked.run)
    out = output_file(asked.out, ".zip")
    if not read_state(folder).is_over:
        raise RunError("E-RUN-BUSY", f"Run {folder.id} is still working. Stop it or wait for its end, then export it.")
    files = [f for f in sorted(folder.path.rglob("*")) if f.is_file() and _is_exported(folder, f)]
    with whole_file(out) as beside, zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, file in enumerate(files):
            terminal("Exporting", number, len(files))
            archive.write(file, f"{folder.id}/{file.relative_to(folder.path).as_posix()}")
    return {"run": folder.id, "out": str(out), "files": len(files), "bytes": out.stat().st_size}, 0


def recipes(asked, terminal) -> tuple[dict, int]:
    """Every published combination."""
    from embedlab.training.recipes import RECIPES

    return {
        "recipes": [
            {
                "key": recipe.key,
                "title": recipe.title,
                "sentence": recipe.sentence,
                "paper": recipe.paper,
                "augmentation": recipe.augmentation,
                "objective": recipe.objective,
                "needs": sorted(recipe.needs),
            }
            for recipe in RECIPES
        ]
    }, 0


def encoders(asked, terminal) -> tuple[dict, int]:
    """Every encoder known by name."""
    from embedlab.encoders.catalog import ENCODERS

    return {"encoders": [entry.model_dump(mode="json") for entry in ENCODERS]}, 0


def corpora(asked, terminal) -> tuple[dict, int]:
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


def metrics(asked, terminal) -> tuple[dict, int]:
    """Every metric, its range and its paper."""
    from embedlab.metrics import METRICS

    return {
        "metrics": [
            {
                "key": m.key,
                "title": m.title,
                "sentence": m.sentence,
                "range": [bound if isfinite(bound) else None for bound in m.range],
                "higher_is_better": m.higher_is_better,
                "paper": m.paper,
            }
            for m in METRICS
        ]
    }, 0


def diagnostics(asked, terminal) -> tuple[dict, int]:
    """Every diagnostic and its paper."""
    from embedlab.diagnostics import DIAGNOSTICS

    names = ("key", "title", "sentence", "paper", "unit")
    return {"diagnostics": [{name: getattr(part, name) for name in names} for part in DIAGNOSTICS]}, 0


def baselines(asked, terminal) -> tuple[dict, int]:
    """Every baseline, and what it needs."""
    names = ("key", "title", "sentence", "needs_words", "gives_vectors")
    return {"baselines": [{name: getattr(part, name) for name in names} for part in BASELINE_METHODS]}, 0


def sets(asked, terminal) -> tuple[dict, int]:
    """Every stored evaluation set."""
    from embedlab.corpora.evaluation_sets import list_sets

    return {"sets": [{"key": info.fingerprint, **info.model_dump(mode="json")} for info in list_sets()]}, 0


def executors(asked, terminal) -> tuple[dict, int]:
    """Every executor, what it needs, whether it is reachable now and why not, and which one new runs go to."""
    chosen = executor_of()
    return {
        "executors": [
            {
                "key": each.key,
                "title": each.title,
                "needs": each.needs,
                "reachable": (why := each.unreachable()) is None,
                "why": why,
                "chosen": each is chosen,
            }
            for each in EXECUTORS.values()
        ]
    }, 0


def parts(asked, terminal) -> tuple[dict, int]:
    """Every part of every kind."""
    from embedlab.tasks.parts import REGISTRIES

    return {
        "parts": [
            {"kind": registry.kind, "key": part.key, "title": part.title, "paper": getattr(part, "paper", "")}
            for registry in REGISTRIES
            for part in registry
        ]
    }, 0


def show_runs(result: dict) -> list[str]:
    """One line a run."""
    lines, unreadable = [], result.get("damaged", {})
    for run in result["runs"]:
        if run["run"] in unreadable:
            continue  # named below
        accuracy = _both_distances(read_result(find_run(run["run"])))
        lines.append(
            f"{run['run']}  {run['state']:<11}  {run.get('encoder')}  {run.get('recipe')}"
            f"  {accuracy}  {run.get('name', '')}"
        )
    return [*lines, *unreadable.values()] or ["There are no runs yet. Start one with: python -m embedlab demo"]


def show_one(result: dict) -> list[str]:
    """Name and value, a line each; of a run's result what a person reads."""
    lines = [f"{name}: {value}" for name, value in result.items() if name != "result" and value is not None]
    if found := result.get("result"):
        from embedlab.cli.running import show_run

        lines += show_run(found)
    return lines


def _both_distances(result: RunResult | None) -> str:
    """``kNN 42.0 % → 69.7 % by cosine, 36.8 % → 64.2 % by Euclidean distance``, of the encoder that is opened."""
    found = [accuracy_of(result, each) for each in (SHOWN_FIRST, other_distance(SHOWN_FIRST))]
    if None in found:
        return ""
    said = [f"{percent(knn.before)} → {percent(knn.after)} by {DISTANCES[knn.distance]}" for knn in found]
    return f"kNN {', '.join(said)}"


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


def _is_exported(folder, file) -> bool:
    inner = file.relative_to(folder.path).parts
    return (
        inner[0] not in ("control", "checkpoints", "workers")
        and file.name not in ("run.lock", "progress.json", "job.json")
        and file.suffix != ".part"
    )
