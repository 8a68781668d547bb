"""``benchmark``: an encoder on public tasks, next to what the papers print."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from embedlab.cli.arguments import Json, Option, Outcome
from embedlab.cli.reading import RunOrEncoder, words_of
from embedlab.cli.running import followed
from embedlab.cli.terminal import Terminal
from embedlab.errors import SettingsError
from embedlab.jobs.requests.measuring import MeasureBenchmark
from embedlab.numbers import percent
from embedlab.runs.store import open_run

if TYPE_CHECKING:
    from embedlab.benchmarks.base import BenchmarkSet, BenchmarkTask


def benchmark(
    terminal: Terminal,
    *,
    of: RunOrEncoder,
    benchmark: Annotated[str, Option("a benchmark, as listed by parts", "SET", flag="--set")],
    tasks: Annotated[str, Option("only these of its tasks (default: all)", "A,B")] = "",
    needs: Annotated[bool, Option("only list what would be downloaded, with numbers of texts")] = False,
    folder: Annotated[str | None, Option("data-eval, the folder of USEB's files", "FOLDER")] = None,
) -> Outcome:
    """Scores on a set or on some of its tasks; with ``--needs`` only what would be downloaded."""
    from embedlab.benchmarks import BENCHMARKS
    from embedlab.benchmarks.run import chosen_tasks

    chosen, keys = BENCHMARKS[benchmark], words_of(tasks)
    needed = chosen_tasks(chosen, keys)
    if folder is not None:
        path = Path(folder).expanduser().resolve()
        if not path.is_dir():
            raise SettingsError(
                "E-PATH", f"--folder needs the folder with USEB's files, but {folder!r} is not a folder."
            )
        folder = str(path)
    if needs:
        return list_needs(chosen, needed, folder)
    run = None if of.run is None else open_run(of.run).id
    request = MeasureBenchmark(set=chosen.key, run=run, encoder=of.encoder, tasks=tuple(keys), folder=folder)
    return followed(request, terminal, show_benchmark)


def list_needs(benchmark: "BenchmarkSet", tasks: "tuple[BenchmarkTask, ...]", folder: str | None = None) -> Outcome:
    """The data sets, or for USEB the files, that tasks need, and which of them are here."""
    from embedlab.benchmarks.base import needs_of, needs_sentence

    if benchmark.reader == "useb":
        from embedlab.benchmarks.useb import WHERE, missing_files

        lacking = [(task, missing_files(task.key, folder)) for task in tasks]
        lines = [f"{task.key:<28} {'lacks ' + ', '.join(files) if files else 'here'}" for task, files in lacking]
        rows = [{"task": task.key, "type": task.type, "files_missing": files} for task, files in lacking]
        return Outcome({"set": benchmark.key, "needs": rows, "sentence": WHERE}, [*lines, WHERE])
    needs = needs_of(tasks)
    absent = [need for need in needs if not need.is_local]
    facts = {
        "set": benchmark.key,
        "needs": [vars(need) for need in needs],
        "texts": sum(need.texts or 0 for need in needs),
        "texts_to_fetch": sum(need.texts or 0 for need in absent),
        "sentence": needs_sentence(absent) if absent else f"All {len(needs)} data sets are on this computer.",
    }
    counts = ["?" if need.texts is None else f"{need.texts:,}" for need in needs]
    lines = [
        f"{need.task:<34} {count:>10} texts  {'here' if need.is_local else 'to fetch':<8}  {need.dataset}"
        for need, count in zip(needs, counts, strict=True)
    ]
    return Outcome(facts, [*lines, str(facts["sentence"])])


def show_benchmark(result: Json) -> list[str]:
    """One line per task with the papers' values for the same encoder."""
    width = max((len(task) for task in result["scores"]), default=0)
    lines = [
        f"{task:<{width}}  {100 * score:5.1f} %{_printed_beside(result, task)}"
        for task, score in result["scores"].items()
    ]
    lines += [
        f"mean of {name}: {percent(mean)}{_printed_beside(result, name)}" for name, mean in result["groups"].items()
    ]
    if result["average"] is None:
        have = "has" if len(result["scores"]) == 1 else "have"
        done = f"{len(result['scores'])} of {result['tasks']} tasks {have} a score"
        lines.append(f"{done}; the paper's average needs all of them.")
    else:
        lines.append(
            f"average: {percent(result['average'], 2)} ({result['averaging']}){_printed_beside(result, 'average')}"
        )
    return lines + ([result["missing_sentence"]] if "missing_sentence" in result else [])


def _printed_beside(result: Json, task: str) -> str:
    """``  (50.6 % MPNet, crops: Crops, Table 2)`` for each row of a paper about the same encoder and recipe."""
    rows = [row for row in result.get("published", ()) if row["task"] == task]
    return "".join(f"  ({percent(row['value'])} {row['model']}: {row['paper']}, {row['table']})" for row in rows)
