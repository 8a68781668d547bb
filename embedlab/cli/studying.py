"""``study …``: one setting swept over values and seeds, followed, shown, gone on with, taken away, deleted."""

from dataclasses import asdict

from embedlab.cli.reading import load, output_file, reading_of
from embedlab.cli.running import EXIT_CODES
from embedlab.cli.say import human_seconds
from embedlab.corpora.base import list_corpora
from embedlab.encoder_names import is_token_layer
from embedlab.errors import EmbedlabError, RunError, SettingsError
from embedlab.jobs.executors import executor_of
from embedlab.jobs.runner import request_stop, submit, wait
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.studies import STUDIES
from embedlab.studies.base import StudySettings
from embedlab.studies.by_distance import seen_by
from embedlab.studies.expected import expected_study, to_time
from embedlab.studies.measures import offered
from embedlab.studies.over_corpora import averaged, is_over_corpora, mean_sentence
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study, create_once, delete_study, job_of, list_studies, open_study
from embedlab.studies.summary import summary
from embedlab.studies.table import column, csv_of, rows_of
from embedlab.studies.written import read_seeds, read_series, read_settings_lines, read_values

ENDINGS = (".csv", ".svg", ".png", ".html")


def kinds(asked, terminal) -> tuple[dict, int]:
    """The kinds of study there are, and the studies of the store."""
    parts = [
        {
            "key": kind.key,
            "title": kind.title,
            "sentence": kind.sentence,
            "paper": kind.paper,
            "setting": kind.setting,
            "values": list(kind.values),
        }
        for kind in STUDIES
    ]
    return {"kinds": parts, "studies": [_line(study) for study in list_studies()]}, 0


def run(asked, terminal) -> tuple[dict, int]:
    """Start a study and follow it; with ``--detach`` its id, and it goes on by itself."""
    from embedlab.tasks.study import check

    kind = STUDIES[asked.kind]
    _check_fanning_out(asked)
    seeds, settings = read_seeds(asked.seeds), read_settings_lines(asked.sets)
    series, series_values = read_series(asked.series)
    corpus = load(asked.corpus, reading_of(asked), terminal)
    values = read_values(asked.values or "")
    if kind.first_phase == "corpus":
        values = tuple(_fingerprint(str(value)) for value in values)
    study_settings = asked_study(
        kind.key,
        corpus.info,
        encoder=asked.encoder,
        layers=layers_of(asked.encoder),
        recipe=asked.recipe,
        values=values,
        seeds=seeds,
        setting=asked.setting or "",
        settings=settings,
        series=series,
        series_values=series_values,
    )
    check(study_settings)
    for note in study_settings.notes:
        terminal.note(note)
    if asked.estimate:
        return _estimate(study_settings, terminal)
    if (found := expected_study(study_settings)) is not None:
        terminal.note(time_line(asdict(found)))
    study = create_once(study_settings)
    return _followed(study, _start(study, asked), terminal, asked)


def show(asked, terminal) -> tuple[dict, int]:
    """One study: where it stands, its points, its sentence."""
    return _shown(open_study(asked.study), asked), 0


def resume(asked, terminal) -> tuple[dict, int]:
    """Go on: runs that are missing, failed, stopped or interrupted are done; finished ones stay."""
    study = open_study(asked.study)
    _check_fanning_out(asked)
    return _followed(study, _start(study, asked), terminal, asked)


def stop(asked, terminal) -> tuple[dict, int]:
    """End the present run and the study; what finished stays."""
    study = open_study(asked.study)
    job = job_of(study)
    if job is None or read_state(job).is_over:
        raise RunError("E-RUN-OVER", f"Study {study.id} is not at work: there is nothing to stop.")
    request_stop(job)
    facts = wait(job)
    return {"study": study.id, "state": str(facts.state)}, 0


def delete(asked, terminal) -> tuple[dict, int]:
    """Remove a study; its runs stay, or go too."""
    study = open_study(asked.study)
    return {"study": study.id, "deleted": True, "runs": delete_study(study, with_runs=asked.with_runs)}, 0


def export(asked, terminal) -> tuple[dict, int]:
    """The table as CSV, or the figure as SVG, PNG or HTML."""
    from embedlab.figures.studies.files import study_html, study_png, study_svg

    found = summary(open_study(asked.study))
    seen = _drawn(found, asked)
    ending = next((each for each in ENDINGS if asked.out.endswith(each)), None)
    if ending is None:
        raise SettingsError("E-OUT", f"--out needs a file ending in {', '.join(ENDINGS)}, but found {asked.out!r}.")
    out = output_file(asked.out, ending)
    writers = {".svg": study_svg, ".png": study_png, ".html": study_html}
    content = csv_of(found, seen["distance"]) if ending == ".csv" else writers[ending](seen)
    out.write_bytes(content)
    return {"study": found["study"], "out": str(out), "bytes": len(content), "distance": seen["distance"]}, 0


def _drawn(found: dict, asked) -> dict:
    """The study over the asked measure, as lines or as a heat map."""
    from embedlab.figures.studies.heat import is_grid

    seen = seen_by(found, asked.distance)
    there, lacking = offered(seen)
    if asked.measure not in [measure.key for measure in there]:
        can = ", ".join(measure.key for measure in there)
        raise SettingsError(
            "E-MEASURE", f"This study cannot draw {asked.measure!r}. Choose from: {can}. {' '.join(lacking)}"
        )
    if asked.view == "heat" and not is_grid(seen):
        raise SettingsError(
            "E-VIEW", "A heat map needs a study of two settings with two values each. Leave --view heat out."
        )
    if asked.view == "mean" and not is_over_corpora(seen):
        raise SettingsError(
            "E-VIEW", "A mean over corpora needs a study with --series corpus=A,B. Leave --view mean out."
        )
    drawn = seen_by(found, asked.distance, asked.measure)
    return {**(averaged(drawn) if asked.view == "mean" else drawn), "view": asked.view}


def layers_of(encoder: str) -> int | None:
    """Layers of an encoder of the catalog, or of none (``token:``); None where it is not known."""
    from embedlab.encoders.catalog import ENCODERS

    if is_token_layer(encoder):
        return 0
    return ENCODERS[encoder].layers if encoder in ENCODERS else None


def show_kinds(result: dict) -> list[str]:
    """A line each."""
    lines = [f"{kind['key']:<16} {kind['title']} ({kind['paper']})" for kind in result["kinds"]]
    lines += [f"{each['study']}  {each['state']:<11}  {each['kind']}" for each in result["studies"]]
    return lines


def show_study(result: dict) -> list[str]:
    """The table, what the errors are, the sentence."""
    from embedlab.figures.studies.marks import told as in_words

    if "settings" in result and "seconds" in result:
        return [time_line(result)]
    if "points" not in result:
        return [f"Study {result['study']} is {result['state']}. See: python -m embedlab study show {result['study']}"]
    seen = seen_by(result, result["shown_by"])
    runs, distance = result["runs"], result["shown_by"]
    swept = result["series"]["setting"] if result["series"] is not None else ""
    with_encoder = "" if swept == "encoder" else f" with {result['encoder']}"
    by_recipe = "" if swept == "recipe" else f", recipe {result['recipe']}"
    head = f"{result['title']} on {result['corpus']['name']}{with_encoder}{by_recipe}"
    lines = [f"{head}: {result['state']}, {runs['finished']} of {runs['planned']} runs", *result["notes"]]
    lines.append(f"kNN accuracy {seen['by']}:")
    rows = rows_of(result, distance)
    wide = max(len(row.get("series", "")) for row in rows)
    for row in rows:
        accuracy, error = (row[column(number, distance)] for number in ("accuracy", "error"))
        place = f"  {row['value']:>12}" + (f"  {row['series']:<{wide}}" if wide else "")
        if accuracy is None:
            lines.append(f"{place}  –  {row['gaps']}")
            continue
        told = f"{accuracy:.1f} % ± {error:.1f}, {row['steps']:,} steps"
        lines.append(f"{place}  {told} on {row['usable texts']:,} usable texts  {row['gaps']}".rstrip())
    if is_over_corpora(seen):
        lines.append(mean_sentence(seen, in_words))
    references = ", ".join(f"{name} {100 * value:.1f} %" for name, value in seen["references"].items())
    return [*lines, *([references] if references else []), *filter(None, (seen["errors"], seen["answer"]))]


def show_one(result: dict) -> list[str]:
    """Name and value, a line each."""
    return [f"{name}: {value}" for name, value in result.items()]


def _check_fanning_out(asked) -> None:
    executor_of(asked.on)
    if asked.at_once is not None and asked.at_once < 1:
        raise SettingsError("E-COMMAND", f"--at-once is a number of runs, 1 or more, but found {asked.at_once}.")


def _start(study: Study, asked) -> RunFolder:
    """The job that is at work on it, else a new one."""
    job = job_of(study)
    if job is not None and not read_state(job).is_over:
        return job
    told = {name: value for name in ("on", "at_once") if (value := getattr(asked, name)) is not None}
    return submit("study", {"study": study.id, **told})


def _estimate(asked: StudySettings, terminal) -> tuple[dict, int]:
    """What is not known of it yet is timed, then all of it said; what nobody could time says why."""
    ended = [wait(submit("estimate", told), terminal.worker) for told in to_time(asked)]
    found = expected_study(asked)
    if found is None:
        failed = next((facts for facts in ended if facts.state is State.FAILED), None)
        if failed is not None:
            return {"kind": asked.kind, "error": failed.failure.model_dump()}, failed.exit_code
        raise RunError("E-NOT-TIMED", "No run of this study could be timed. Try again once nothing else is at work.")
    return {"kind": asked.kind, **asdict(found)}, 0


def time_line(found: dict) -> str:
    """``27 runs, about 12 min, up to 1.2 GB of memory, …``"""
    memory = f", up to {found['peak_bytes'] / 1e9:.1f} GB of memory" if found["peak_bytes"] else ""
    there = f" ({found['there']} of them are there)" if found["there"] else ""
    others = "" if found["known"] == found["settings"] else ", the others taken as the nearest"
    known = f"{found['known']} of {found['settings']} settings known of this computer{others}"
    took = f"about {human_seconds(found['seconds'])}{memory}, {found['disk_bytes'] / 1e6:,.0f} MB on the disk"
    return f"{found['runs']} runs{there}, {took}: {known}."


def _followed(study: Study, job: RunFolder, terminal, asked) -> tuple[dict, int]:
    if not asked.wait:
        return {"study": study.id, "state": str(State.QUEUED)}, 0
    facts = wait(job, terminal.worker)
    if facts.state is State.FAILED:
        return {"study": study.id, "error": facts.failure.model_dump()}, facts.exit_code
    return _shown(study, asked), EXIT_CODES[facts.state]


def _shown(study: Study, asked) -> dict:
    """Both distances, and by which of them it is printed."""
    return {**summary(study), "shown_by": asked.distance}


def _fingerprint(name: str) -> str:
    """A stored corpus by its name or fingerprint; ``none`` is no first phase."""
    stored = list_corpora()
    found = [info.fingerprint for info in stored if name in (info.fingerprint, info.name)]
    if name in ("none", "None"):
        return "none"
    if not found:
        known = ", ".join(info.name for info in stored)
        raise SettingsError(
            "E-VALUES", f"A first phase is a stored corpus, but there is none called {name!r}. There are: {known}."
        )
    return found[0]


def _line(study: Study) -> dict:
    try:
        found = summary(study)
    except EmbedlabError as error:
        return {"study": study.id, "state": str(State.INTERRUPTED), "kind": "", "error": error.message}
    return {name: found[name] for name in ("study", "state", "kind", "corpus", "encoder", "runs", "created")}
