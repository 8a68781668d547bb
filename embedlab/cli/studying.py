"""``study …``: one setting swept over values and seeds: run, show, resume, export, delete."""

from dataclasses import asdict, replace
from functools import partial
from typing import Annotated, Literal

from embedlab.cli.arguments import Option, Outcome, deleted, given, options
from embedlab.cli.reading import CorpusReading, FanningOut, Following, PrintedBy, load, output_file
from embedlab.cli.terminal import Terminal, failed, followed_to_end
from embedlab.config import with_settings
from embedlab.distance import SHOWN_FIRST, Distance
from embedlab.errors import EmbedlabError, RunError, SettingsError
from embedlab.jobs.campaigns import job_of
from embedlab.runs.state import State, read_state
from embedlab.studies import STUDIES
from embedlab.studies.drawing import averaged, offered, seen_by, study_lines
from embedlab.studies.plan import StudySettings
from embedlab.studies.printed import printed_study
from embedlab.studies.request import asked_study, layers_of, read_seeds, read_series, read_values, stored_corpus
from embedlab.studies.store import Study, delete_study
from embedlab.studies.summary import csv_of, summary

ENDINGS = (".csv", ".svg", ".png", ".html")


StudyId = Annotated[str, Option(metavar="ID")]


@options()
class Swept:
    """The values, seeds and settings of a study, as typed."""

    encoder: Annotated[str, Option(names="encoder")] = "token"
    recipe: Annotated[str, Option("instead of the recipe in the paper")] = ""
    values: Annotated[str, Option("instead of the paper's values", "V,V,…")] = ""
    seeds: Annotated[str, Option(metavar="0,1,2")] = "0,1,2"
    series: Annotated[
        str,
        Option(
            "a second setting, one line per value: recipe=crops,simcse, encoder=token,mini, pooling=mean,cls, "
            "corpus=A,B",
            "SETTING=V,V,…",
        ),
    ] = ""
    setting: Annotated[str, Option("for the kind own, such as batch_size", "PATH")] = ""
    sets: Annotated[tuple[str, ...], Option("for all runs", "SETTING=VALUE", flag="--set")] = ()


@options()
class StudyPlot:
    """Which of a study's numbers to draw, and how."""

    distance: PrintedBy = SHOWN_FIRST
    measure: Annotated[
        str, Option("what is drawn: accuracy (default), difference, loss, seconds, … if the runs have it", "KEY")
    ] = "accuracy"
    view: Annotated[
        Literal["lines", "heat", "mean"],
        Option("heat: of two swept settings; mean: over the corpora of --series corpus=…"),
    ] = "lines"


def kinds(terminal: Terminal) -> Outcome:
    """The kinds of study, and the studies in the store."""
    names = ("key", "title", "sentence", "paper", "setting", "values")
    parts = [{name: getattr(kind, name) for name in names} for kind in STUDIES]
    studies = []
    for study in Study.all():
        try:
            printed = printed_study(summary(study))
            stored = ("study", "state", "kind", "corpus", "encoder", "runs", "created")
            studies.append({name: printed[name] for name in stored})
        except EmbedlabError as error:
            studies.append({"study": study.id, "state": str(State.INTERRUPTED), "kind": "", "error": error.message})
    lines = [f"{kind.key:<16} {kind.title} ({kind.paper})" for kind in STUDIES]
    lines += [f"{each['study']}  {each['state']:<11}  {each['kind']}" for each in studies]
    return Outcome({"kinds": parts, "studies": studies}, lines)


def run(
    terminal: Terminal,
    kind: Annotated[str, Option("a kind that study list shows, or own with --setting")],
    *,
    corpus: str,
    swept: Swept,
    estimate: Annotated[bool, Option("time a few steps and estimate how long the study would take")] = False,
    following: Following,
    fanning_out: FanningOut,
    reading: CorpusReading,
    distance: PrintedBy = SHOWN_FIRST,
) -> Outcome:
    """Start a study and follow it; with ``--detach`` print its id and return."""
    from embedlab.studies.expected import expected_line, expected_study
    from embedlab.tasks.study import check

    part = STUDIES[kind]
    _check_fanning_out(fanning_out)
    seeds, settings = read_seeds(swept.seeds), with_settings({}, swept.sets)
    series, series_values = read_series(swept.series)
    texts = load(corpus, reading, terminal)
    values = read_values(swept.values)
    if part.first_phase == "corpus":
        values = tuple(stored_corpus(str(value)) for value in values)
    study_settings = asked_study(
        part.key,
        texts.info,
        encoder=swept.encoder,
        layers=layers_of(swept.encoder),
        recipe=swept.recipe,
        values=values,
        seeds=seeds,
        setting=swept.setting,
        settings=settings,
        series=series,
        series_values=series_values,
    )
    check(study_settings)
    for note in study_settings.notes:
        terminal.note(note)
    if estimate:
        return _estimate(study_settings, terminal)
    if (expected := expected_study(study_settings)) is not None:
        terminal.note(expected_line(expected))
    return _followed(Study.create_once(study_settings), following, fanning_out, distance, terminal)


def show(terminal: Terminal, study: StudyId, *, distance: PrintedBy = SHOWN_FIRST) -> Outcome:
    """One study: its state, its points, its sentence."""
    return _shown(Study.open(study), distance)


def resume(
    terminal: Terminal,
    study: StudyId,
    *,
    following: Following,
    fanning_out: FanningOut,
    distance: PrintedBy = SHOWN_FIRST,
) -> Outcome:
    """Resume a study: missing, failed, stopped or interrupted runs are done; finished ones stay."""
    opened = Study.open(study)
    _check_fanning_out(fanning_out)
    return _followed(opened, following, fanning_out, distance, terminal)


def stop(terminal: Terminal, study: StudyId) -> Outcome:
    """Stop the current run and the study; finished runs stay."""
    from embedlab.jobs.runner import request_stop, wait

    opened = Study.open(study)
    job = job_of(opened)
    if job is None or read_state(job).is_over:
        raise RunError("E-RUN-OVER", f"Study {opened.id} is not running: there is nothing to stop.")
    request_stop(job)
    return Outcome({"study": opened.id, "state": str(wait(job).state)})


def delete(
    terminal: Terminal,
    study: StudyId,
    *,
    with_runs: Annotated[bool, Option("also delete its runs, unless another study has them")] = False,
) -> Outcome:
    """Delete a study; its runs stay, or are deleted, too."""
    opened = Study.open(study)
    return deleted({"study": opened.id, "runs": delete_study(opened, with_runs=with_runs)})


def export(
    terminal: Terminal,
    study: StudyId,
    *,
    drawn: StudyPlot,
    out: Annotated[str, Option(metavar="FILE.csv|.svg|.png|.html")],
) -> Outcome:
    """Write the table as CSV, or the figure as SVG, PNG or HTML."""
    from embedlab.figures.studies.files import study_html, study_png, study_svg

    results = summary(Study.open(study))
    there, lacking = offered(results, drawn.distance)
    if drawn.measure not in [measure.key for measure in there]:
        can = ", ".join(measure.key for measure in there)
        raise SettingsError(
            "E-MEASURE", f"This study cannot draw {drawn.measure!r}. Choose from: {can}. {' '.join(lacking)}"
        )
    seen = seen_by(results, drawn.distance, drawn.measure)
    if drawn.view == "heat" and not seen.is_grid:
        raise SettingsError(
            "E-VIEW", "A heat map needs a study of two settings with two values each. Leave --view heat out."
        )
    if drawn.view == "mean" and not results.design.is_over_corpora:
        raise SettingsError(
            "E-VIEW", "A mean over corpora needs a study with --series corpus=A,B. Leave --view mean out."
        )
    seen = averaged(seen) if drawn.view == "mean" else replace(seen, view=drawn.view)
    ending = next((each for each in ENDINGS if out.endswith(each)), None)
    if ending is None:
        raise SettingsError("E-OUT", f"--out needs a file ending in {', '.join(ENDINGS)}, but found {out!r}.")
    file = output_file(out, ending)
    writers = {".svg": study_svg, ".png": study_png, ".html": study_html}
    content = csv_of(results, drawn.distance) if ending == ".csv" else writers[ending](seen)
    file.write_bytes(content)
    return Outcome({"study": results.study.id, "out": str(file), "bytes": len(content), "distance": drawn.distance})


def _check_fanning_out(fanning_out: FanningOut) -> None:
    from embedlab.jobs.executors import executor_of

    executor_of(fanning_out.on)
    if fanning_out.at_once is not None and fanning_out.at_once < 1:
        raise SettingsError("E-COMMAND", f"--at-once is a number of runs, 1 or more, but found {fanning_out.at_once}.")


def _estimate(settings: StudySettings, terminal: Terminal) -> Outcome:
    """What a study will take; settings without a known time are timed first."""
    from embedlab.jobs.runner import submit, wait
    from embedlab.studies.expected import expected_line, expected_study, to_time

    ended = [wait(submit(request), terminal) for request in to_time(settings)]
    expected = expected_study(settings)
    if expected is None:
        failure = next((facts for facts in ended if facts.state is State.FAILED), None)
        if failure is not None:
            return failed("kind", settings.kind, failure)
        raise RunError("E-NOT-TIMED", "No run of this study could be timed. Try again when nothing else is running.")
    return Outcome({"kind": settings.kind, **asdict(expected)}, [expected_line(expected)])


def _followed(
    study: Study, following: Following, fanning_out: FanningOut, distance: Distance, terminal: Terminal
) -> Outcome:
    """Follow the job already at work on it, otherwise a new one."""
    from embedlab.jobs.requests.working import RunStudy
    from embedlab.jobs.runner import submit

    job = job_of(study)
    if job is None or read_state(job).is_over:
        job = submit(RunStudy(study=study.id, **given(fanning_out)))
    outcome = partial(_shown, study, distance)
    return followed_to_end("study", study.id, job, terminal, detach=following.detach, outcome=outcome)


def _shown(study: Study, distance: Distance) -> Outcome:
    """The study by both distances, and its lines by the chosen one."""
    results = summary(study)
    return Outcome({**printed_study(results), "shown_by": distance}, study_lines(results, distance))
