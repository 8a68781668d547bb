"""``demo`` and ``train``: start a worker and follow it."""

from contextlib import suppress
from pathlib import Path
from threading import Thread

from embedlab.augmentations.proposal import ENCODER, SENTENCES, proposed_recipe
from embedlab.baseline_methods import baseline_title
from embedlab.cli.contract import printed
from embedlab.cli.pair_files import read_pair_files
from embedlab.cli.reading import corpus_of, load, output_file, reading_of
from embedlab.cli.say import human_seconds
from embedlab.config import read_value, with_path
from embedlab.corpora.docs import load_docs
from embedlab.corpora.reading_report import ReadingReport
from embedlab.distance import SHOWN_FIRST, other_distance
from embedlab.errors import EmbedlabError, SettingsError, UserError
from embedlab.figures.text import percent
from embedlab.jobs.executors import executor_of
from embedlab.jobs.parts_file import read_parts
from embedlab.jobs.runner import submit, wait
from embedlab.report.methods import methods_of
from embedlab.report.settings_file import FLAGS, in_settings_file, read_settings_file
from embedlab.report.verdict_words import judge_line
from embedlab.runs.brought import ROLES
from embedlab.runs.folder import RunFolder
from embedlab.runs.index.find import find_job
from embedlab.runs.result import RunResult, accuracy_of, counted_in, read_result, references_of
from embedlab.runs.state import State, read_state
from embedlab.runs.store import find_run, open_run, read_job_result, read_settings
from embedlab.training.completing import completed
from embedlab.training.demo import DEMO

EXIT_CODES = {State.FINISHED: 0, State.STOPPED: 3, State.INTERRUPTED: 75}


def demo(asked, terminal) -> tuple[dict, int]:
    """The main job on the built-in corpus, with its maps."""
    executor_of(asked.on)
    Thread(target=_gather_ahead, name="docs", daemon=True).start()
    folder = submit("train", {**DEMO, "corpus": "docs", "seed": asked.seed}, name="demo", on=asked.on)
    result, code = followed(folder, terminal)
    maps = find_job("map", run=folder.id)
    if code == 0 and maps is not None:
        wait(maps, terminal.worker)
        paths = {f"map_{name}": folder.map(name, "tsne") for name in ("before", "after")}
        result["paths"] |= {name: str(path) for name, path in paths.items() if path.exists()}
    return result, code


def _gather_ahead() -> None:
    """The texts, while the worker imports torch; that waits for them, and says what is wrong with them."""
    with suppress(EmbedlabError, OSError):
        load_docs()


def train(asked, terminal) -> tuple[dict, int]:
    """One run; with ``--detach`` the id of a run that goes on by itself."""
    executor_of(asked.on)
    filed = {} if asked.settings is None else read_settings_file(asked.settings)
    values = asked_values(asked, filed)
    if "corpus" not in values and asked.pairs is None:
        raise SettingsError("E-COMMAND", "A corpus is needed: name one with --corpus (docs is built in).")
    if asked.pairs is not None and "recipe" not in values:
        values["recipe"] = "ranking"
    is_proposed = "corpus" in values and not {"encoder", "recipe"} & values.keys()
    if is_proposed:
        values |= {"encoder": ENCODER, "recipe": SENTENCES}
    asked_for = {name: "?" for name in ("pairs", "judge") if getattr(asked, name) is not None}
    # a wrong setting is said before a corpus is read
    settings = _completed({"corpus": "?", **values, **asked_for}, filed, asked.settings)
    of_files = read_pair_files(asked, terminal)
    if "corpus" in values:
        corpus = load(values["corpus"], reading_of(asked), terminal, in_worker=True)
        of_files["corpus"] = corpus.fingerprint
        if is_proposed and (proposed := proposed_recipe(corpus)).recipe != SENTENCES:
            terminal(proposed.reason)
            settings = _completed({**values, **asked_for, "recipe": proposed.recipe}, filed, asked.settings)
    settings |= of_files
    if asked.estimate:
        return followed(submit("estimate", settings), terminal)
    folder = submit("train", settings, name=asked.name, on=asked.on)
    if not asked.wait and read_state(folder).state is not State.FAILED:  # its executor may not have taken it
        return {"run": folder.id, "state": str(State.QUEUED)}, 0
    return _with_reading(*followed(folder, terminal))


def _with_reading(result: dict, code: int) -> tuple[dict, int]:
    """How what was trained on was read: the pairs, or the corpus."""
    facts = (result.get("pairs") or result.get("corpus") or {}).get("reading")
    if facts is None:
        return result, code
    report = ReadingReport.model_validate(facts)
    return {**result, "reading": {**facts, "sentence": report.sentence}}, code


def asked_values(asked, filed: dict) -> dict:
    """The settings that a command line of ``train`` asks for, laid over those of its settings file."""
    values = dict(filed)
    for name in FLAGS:
        if getattr(asked, name) is not None:
            values[name] = getattr(asked, name)
    for setting in asked.sets:
        values = with_setting(values, setting)
    return values


def _completed(values: dict, filed: dict, file: str | None) -> dict:
    """All settings; a wrong one that stands in the file is said with the file's name."""
    try:
        return completed(values)
    except UserError:
        if file is not None:
            try:
                completed({"corpus": "?", **filed})
            except UserError as error:
                raise in_settings_file(file, error) from None
        raise


def replay(asked, terminal) -> tuple[dict, int]:
    """One run as one HTML file; what of the corpus is in it is said."""
    from embedlab.tasks.take_along import write_replay

    out = output_file(asked.out, ".html")
    terminal("Writing the replay")
    return write_replay(open_run(asked.run), out, with_texts=not asked.without_texts), 0


def followed(folder: RunFolder, terminal) -> tuple[dict, int]:
    """Wait for a run; its result, or what stopped it, and the exit code."""
    facts = wait(folder, terminal.worker)
    state, result = facts.state, _result_of(folder)
    if state is State.FAILED:
        return {"run": folder.id, "error": facts.failure.model_dump()}, facts.exit_code
    if result is None:
        verb = "was stopped before anything was measured" if state is State.STOPPED else "was interrupted"
        message = f"Run {folder.id} {verb}. Go on with: python -m embedlab runs resume {folder.id}"
        return {"run": folder.id, "error": {"code": f"E-{state.upper()}", "message": message}}, EXIT_CODES[state]
    return result, EXIT_CODES[state]


def _result_of(folder: RunFolder) -> dict | None:
    """What a run found, or another job left, as it is printed; of brought vectors what the run found that they are."""
    task = read_settings(folder)["task"]
    if task != "train":
        left = read_job_result(folder)
        if task != "bring" or left is None:
            return left
        folder = open_run(left["run"])
    result = read_result(folder)
    return None if result is None else printed(result)


def with_setting(values: dict, setting: str) -> dict:
    """``augmentation.sentences=3`` laid into nested values; numbers, true, false and none are read as such."""
    path, equals, written = setting.partition("=")
    if not equals or not path:
        raise SettingsError(
            "E-SETTING", f"--set needs SETTING=VALUE, but found {setting!r}. Example: --set batch_size=32"
        )
    return with_path(values, path.strip(), read_value(written.strip()))


def knn_lines(result: RunResult) -> list[str]:
    """``kNN accuracy 42.0 % → 69.7 % ± 1.4 by cosine (1,079 test texts)``, a line for each distance."""
    lines = []
    for each in (SHOWN_FIRST, other_distance(SHOWN_FIRST)):
        if (knn := accuracy_of(result, each)) is not None:
            before = f"{percent(knn.before)} → " if result.judged else ""
            lines.append(f"kNN accuracy {before}{knn.in_words()} ({knn.test_texts:,} test texts)")
    return lines


def pair_lines(result: RunResult) -> list[str]:
    """What was trained on, and what the file that judges says."""
    lines = []
    if (pairs := result.pairs) is not None:
        lines.append(f"Trained on {pairs.used:,} of {pairs.rows:,} given pairs of {pairs.name}")
    return [*lines, *filter(None, [judge_line(result)])]


def verdict_of(result: RunResult) -> str:
    """The sentence that is decided by the distance pages open on; empty without one."""
    return "" if result.judged is None else result.judged.by(SHOWN_FIRST).sentence


def folds_sentence(result: RunResult) -> str:
    """What ten folds over all labelled texts say, by that distance first."""
    return "" if result.folds is None else result.folds.judged.by(SHOWN_FIRST).sentence


def show_run(result: dict) -> list[str]:
    """A few lines for a person."""
    if "seconds_per_step" in result:
        steps = f"{result['steps']:,} steps of {result['seconds_per_step']:.3g} s, live points included"
        texts = f"{result['usable_texts']:,} usable texts"
        return [f"About {human_seconds(result['seconds'])}: {steps}, on {texts}."]
    if "knn" not in result:
        return [
            f"Run {result['run']} is {result['state']}. Follow it with: python -m embedlab runs show {result['run']}"
        ]
    found = read_result(find_run(result["run"]))
    lines = [each.message for each in found.warnings] + knn_lines(found) + pair_lines(found)
    for name, line in references_of(found, SHOWN_FIRST).items():
        lines.append(f"  {baseline_title(name, counted_in(found))}: {percent(line.value)} by either distance")
    lines += [sentence for sentence in (verdict_of(found), folds_sentence(found)) if sentence]
    lines.append(f"{found.steps:,} steps on {found.usable_texts:,} usable texts, {found.seconds:.0f} s in all")
    lines.append(f"Run {found.run}; encoder in {found.paths.get('encoder', 'none')}")
    return lines


def methods(asked, terminal) -> tuple[dict, int]:
    """Text and BibTeX of a finished run."""
    run = open_run(asked.run)
    found = methods_of(run, read_parts() or listed_here())
    return {"run": asked.run, "text": found.text, "bibtex": found.bibtex, "citations": list(found.keys)}, 0


def listed_here() -> dict:
    """The parts, where no worker has written them yet; this loads torch."""
    from embedlab.tasks.parts import parts

    return parts()


def show_methods(result: dict) -> list[str]:
    """The paragraph, then the entries."""
    return [result["text"], "", result["bibtex"]]


def bring(asked, terminal) -> tuple[dict, int]:
    """A worker reads the files, measures what can be measured, and has the maps drawn."""
    from embedlab.jobs.runner import submit

    corpus = corpus_of(asked, terminal)
    given = {role: getattr(asked, role) for role in ROLES if getattr(asked, role) is not None}
    files = {
        role: {"path": str(Path(path).expanduser().absolute()), "column": None, "ids": asked.vector_ids}
        for role, path in given.items()
    }
    for role in ("before", "after"):
        if role in files:
            files[role]["column"] = asked.column
    return followed(submit("bring", {"corpus": corpus.fingerprint, "name": asked.name, **files}), terminal)


def show_bring(result: dict) -> list[str]:
    """What was measured, and where it can be seen."""
    found = read_result(find_run(result["run"]))
    lines = list(dict.fromkeys(each.sentence for each in found.joined.values()))
    lines += [each.message for each in found.warnings] + knn_lines(found)
    lines += [sentence] if (sentence := verdict_of(found)) else []
    return [*lines, f"Run {result['run']} ({result['name']}). Its maps stand on the page Maps."]
