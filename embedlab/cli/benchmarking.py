"""``benchmark``: an encoder on public tasks, next to what the papers print."""

from pathlib import Path
from typing import Annotated

from embedlab.cli.arguments import Json, Option, Outcome
from embedlab.cli.reading import RunOrEncoder, words_of
from embedlab.cli.running import followed
from embedlab.cli.terminal import Terminal
from embedlab.errors import SettingsError
from embedlab.jobs.requests.measuring import MeasureBenchmark
from embedlab.numbers import percent
from embedlab.runs.store import open_run


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
    from embedlab.benchmarks.score_rows import needs_json

    chosen, keys = BENCHMARKS[benchmark], words_of(tasks)
    chosen_keys = chosen_tasks(chosen, keys)
    files = _folder(folder)
    if needs:
        listed = needs_json(chosen, chosen_keys, files)
        return Outcome(listed, [*(_need_line(need) for need in listed["needs"]), listed["sentence"]])
    run = None if of.run is None else open_run(of.run).id
    request = MeasureBenchmark(set=chosen.key, run=run, encoder=of.encoder, tasks=tuple(keys), folder=files)
    return followed(request, terminal, show_benchmark)


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


def _need_line(need: Json) -> str:
    if "files_missing" in need:
        return f"{need['task']:<28} {'lacks ' + ', '.join(need['files_missing']) if need['files_missing'] else 'here'}"
    where = "here" if need["is_local"] else "to fetch"
    return f"{need['task']:<34} {need['texts']:>10,} texts  {where:<8}  {need['dataset']}"


def _folder(name: str | None) -> str | None:
    if name is None:
        return None
    path = Path(name).expanduser().resolve()
    if not path.is_dir():
        raise SettingsError("E-PATH", f"--folder needs the folder with USEB's files, but {name!r} is not a folder.")
    return str(path)
