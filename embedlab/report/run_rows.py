"""Runs as rows of one table, and the settings in which they differ."""

from collections.abc import Callable, Sequence
from functools import cache

import pyarrow as pa

from embedlab.comparison.columns import ROBUSTNESS
from embedlab.comparison.curves import Overlay, overlay
from embedlab.comparison.sheet import MARK, TRAINED_ON
from embedlab.config import Config, flattened, label_of
from embedlab.corpora.sets.stored import list_pairs, list_sets
from embedlab.corpora.stored.shelf import list_corpora, name_of_missing
from embedlab.distance import DISTANCES, SHOWN_FIRST, Distance, other_distance
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.measurement import protocol_in_words
from embedlab.numbers import ago, fixed, in_percent, minus
from embedlab.prompts import PromptSettings, prompts_in_words
from embedlab.report.verdict_words import outcome_words
from embedlab.runs.evaluations import Evaluations, read_diagnosed, robustness_of
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import is_supervised, lineage, saw_labels
from embedlab.runs.list_rows import RunSummary, summary
from embedlab.runs.result import RunResult, accuracy_of, read_result
from embedlab.runs.state import NO_ERROR, State, read_state
from embedlab.runs.store import corpus_key, request_if_readable, settings_of
from embedlab.runs.tags import has_tags, tags_of, tidy_tags
from embedlab.training.recipes import recipe_title
from embedlab.training.settings import RunSettings
from embedlab.training.titles import phases, run_title

_STORED: dict[str, tuple[str, Callable[[], list]]] = {  # settings with a fingerprint: their titles, and what is stored
    "pairs": ("Pairs to train on", list_pairs),
    "judge": ("Evaluation set besides kNN accuracy", list_sets),
    "target": ("Corpus of a later phase", list_corpora),
}
_BECAME = " (automatic)"


def run_row(run: RunFolder, name: str, corpus: str, distance: Distance = SHOWN_FIRST) -> dict[str, str | float | None]:
    """One row of the table of runs; None in empty cells."""
    about = summary(run)
    settings, result = settings_of(run), about.result
    measured = None if about.awaits_folds else result
    accuracy = accuracy_of(measured, distance)
    linear = {state: each.value for state, each in Evaluations(run.path).values().get("linear", {}).items()}
    return {
        "run": name,
        **_accuracies(measured, distance),
        "outcome": outcome(about, distance),
        "state": about.state,
        "linear before (%)": in_percent(linear.get("before")),
        "linear after (%)": in_percent(linear.get("after")),
        **_accuracies(measured, other_distance(distance)),
        "tested": None if accuracy is None else protocol_in_words(accuracy.protocol),
        "corpus": corpus,
        "encoder": encoder_title(about.encoder or ""),
        "recipe": recipe_title(about.recipe or ""),
        "prompts": None if result is None else prompts_in_words(result.prompts),
        "started from": phases(lineage(settings.get("encoder", ""))) or None,
        "steps": None if result is None else result.steps,
        "usable texts": None if result is None else result.usable_texts,
        "texts read": None if result is None else result.texts_read,
        "trained on": trained_on(run),
        "seconds": None if result is None else result.seconds,
        "made": ago(about.created),
    }


def trained_on(run: RunFolder) -> str | None:
    """Labels, if the run or an earlier phase was trained with them; otherwise which texts."""
    if is_supervised(run):
        return "labels (supervised)"
    return "labels (an earlier phase)" if saw_labels(run) else TRAINED_ON.get(settings_of(run).get("train_on", ""))


def _accuracies(result: RunResult | None, distance: Distance) -> dict[str, float | None]:
    """Before, and for the selected encoder, by this distance; None if not measured."""
    knn, by = accuracy_of(result, distance), DISTANCES[distance].partition(" ")[0]  # cosine, Euclidean
    values = (knn.before, knn.after, knn.standard_error) if knn else (None,) * 3
    heads = (f"kNN before, {by} (%)", f"kNN after, {by} (%)", f"± after, {by} (points)")
    return {head: in_percent(value) for head, value in zip(heads, values, strict=True)}


def outcome(about: RunSummary, distance: Distance = SHOWN_FIRST) -> str | None:
    """``Helped``, ``No clear change`` by this distance, or the reason of a failed run."""
    result = about.result
    if about.state == State.FAILED or (result is None and about.error is not None):
        return failure(about)
    if result is None or about.awaits_folds:
        return None
    if words := outcome_words(result, distance):
        return words
    return result.without_knn if result.knn is None and not result.files else "nothing trained"


def failure(about: RunSummary) -> str:
    """The sentence for a run that failed or cannot be read."""
    return (about.error or NO_ERROR).message


def why_no_result(run: RunFolder) -> str:
    """Of a run without a result: why it failed, or its state."""
    state = read_state(run).state
    return failure(summary(run)) if state is State.FAILED else f"It is {state}."


def failures(runs: list[RunFolder]) -> dict[str, str]:
    """The sentence for each of these runs that failed: id -> sentence."""
    return {run.id: failure(summary(run)) for run in runs if read_state(run).state is State.FAILED}


def mixes_training_texts(runs: list[RunFolder]) -> bool:
    """Whether some were trained on all texts and some on the train split only."""
    return len({settings_of(run).get("train_on", "all") for run in runs}) > 1


def differences(runs: list[RunFolder], names: dict[str, str]) -> pa.Table | None:
    """The settings that differ between the runs, one column per run; None if all are equal."""
    columns = {run.id: _settings_by_path(run) for run in runs}
    paths = list(dict.fromkeys(path for column in columns.values() for path in column))
    differing = [path for path in paths if _differ([column.get(path) for column in columns.values()])]
    if not differing:
        return None
    values = [[columns[run.id].get(path, ("", "–"))[1] for path in differing] for run in runs]
    titles = [_setting_title(path) for path in differing]
    return pa.Table.from_arrays([pa.array(column) for column in (titles, *values)], ["setting", *heads(runs, names)])


def heads(runs: list[RunFolder], names: dict[str, str]) -> list[str]:
    """The names as column headings, distinct from the first column's."""
    return [names[run.id] if names[run.id] != "setting" else f"setting · {run.id[-4:]}" for run in runs]


def _differ(values: list[tuple[str, str] | None]) -> bool:
    """Whether values as stored differ, or what automatic ones became, as far as a run got there."""
    became = {value[1] for value in values if value is not None and value[1].endswith(_BECAME)}
    return len({value and value[0] for value in values}) > 1 or len(became) > 1


def _settings_by_path(run: RunFolder) -> dict[str, tuple[str, str]]:
    """Path of a setting -> its value as stored and in the words of the form, with the values of automatic ones."""
    result = read_result(run)
    settings = {}
    for path, value in flattened(settings_of(run)).items():
        if path in ("maps", "inside", "live_map", "live_map_texts", "device"):  # they change no number
            continue
        became = getattr(result, path, None) if value is None else None
        if path == "corpus":
            words = " ".join(f"{title} ({fingerprint})" for fingerprint, title in corpora_of([run]).items())
        elif became is not None:
            words = f"{became}{_BECAME}"
        else:
            words = _value_in_words(path, value)
        settings[path] = str(value), words
    return settings


def _value_in_words(path: str, value: object) -> str:
    if value is None:
        return "none" if path in _STORED else _fields().get(path, {}).get("empty", "automatic")
    if isinstance(value, bool):
        return "on" if value else "off"
    if path in _STORED:
        return next((info.name for info in _STORED[path][1]() if info.fingerprint == value), str(value))
    in_words = {"encoder": encoder_title, "recipe": recipe_title}.get(path)
    if in_words is not None:
        return in_words(str(value))
    return str(value).replace("_", " ") if str(value).isidentifier() else str(value)


def _setting_title(path: str) -> str:
    """As on the form: ``Batch size``, ``Tokens read``; of a part also its name: ``Temperature (objective)``"""
    if path in _STORED:
        return _STORED[path][0]
    part, _, name = path.rpartition(".")
    field = _fields().get(path, {})
    return label_of(name, field) + (f" ({part})" if part and "label" not in field else "")


@cache
def _fields() -> dict[str, dict[str, str]]:
    """The words in the JSON schemas of the settings, by path; of objective and augmentation none."""
    parts: dict[str, type[Config]] = {"": RunSettings, "adapter.": AdapterConfig, "prompts.": PromptSettings}
    schemas = {path: part.model_json_schema()["properties"] for path, part in parts.items()}
    return {
        f"{path}{name}": {key: words for key, words in field.items() if isinstance(words, str)}
        for path, fields in schemas.items()
        for name, field in fields.items()
    }


def corpora_of(runs: list[RunFolder]) -> dict[str, str]:
    """The distinct corpora: fingerprint -> name."""
    stored = {info.fingerprint: info.name for info in list_corpora()}
    corpora = {}
    for run in runs:
        corpus, result = corpus_key(run), read_result(run)
        corpora[corpus] = stored.get(corpus, name_of_missing(corpus)) if result is None else result.corpus.name
    return corpora


def curves_of(runs: list[RunFolder], names: dict[str, str], distance: Distance = SHOWN_FIRST) -> Overlay:
    """The curves of these runs; runs trained without the test texts are marked if others used them."""
    mixed = mixes_training_texts(runs)
    marks = {run.id: f"{MARK} " if mixed and settings_of(run).get("train_on") == "train_split" else "" for run in runs}
    return overlay(runs, {run.id: marks[run.id] + names[run.id] for run in runs}, distance)


ALWAYS = "run"


def rows_of(runs: list[RunFolder], distance: Distance) -> list[dict[str, str | float | None]]:
    """One row per run with its tags and note, this distance first."""
    corpora, rows = corpora_of(runs), []
    for run in runs:
        row, stored = run_row(run, run_title(run), corpora[corpus_key(run)], distance), request_if_readable(run)
        note = None if stored is None else stored.note or None
        rows.append({ALWAYS: row[ALWAYS], "tags": ", ".join(tags_of(run)) or None, **row, "note": note})
    return rows


def is_wanted(row: dict, words: str, filters: dict[str, list[str]]) -> bool:
    """Whether a row matches every search word, the filter of each column, and all tags."""
    text = " ".join(
        str(row[name]) for name in (ALWAYS, "tags", "note", "corpus", "encoder", "recipe") if row[name]
    ).lower()
    return all(word in text for word in words.lower().split()) and all(
        has_tags(tidy_tags([row["tags"] or ""]), values) if name == "tags" else str(row[name]) in values
        for name, values in filters.items()
        if values
    )


def grouped(
    rows: Sequence[tuple[RunFolder, dict[str, str | float | None]]], group: str
) -> list[tuple[str, list[tuple[RunFolder, dict[str, str | float | None]]]]]:
    """The rows by their value in the column, in order of appearance; a single group without a column."""
    groups: dict[str, list[tuple[RunFolder, dict[str, str | float | None]]]] = {}
    for run, row in rows:
        groups.setdefault(str(row[group] or "") if group else "", []).append((run, row))
    return list(groups.items())


def numbers_table(
    chosen: list[RunFolder], names: dict[str, str], offered: dict[str, tuple[str, str]]
) -> pa.Table | None:
    """One row per run, one column per number of a diagnostic; None if unmeasured. offered: key -> number and title"""
    diagnosed = {(run.id, key): read_diagnosed(run, key) for run in chosen for key in offered}
    measured = [key for key in offered if any(diagnosed[run.id, key] for run in chosen)]
    robust = [_both(robustness_of(run)) for run in chosen]
    if not measured and not any(robust):
        return None
    columns = {"run": [names[run.id] for run in chosen]} | ({ROBUSTNESS: robust} if any(robust) else {})
    for key in measured:
        name, title = offered[key]
        each = [diagnosed[run.id, key] for run in chosen]
        columns[title] = [None if numbers is None else _both(numbers.number(name)) for numbers in each]
    return pa.table({title: pa.array(values, pa.string()) for title, values in columns.items()})


def _both(numbers: tuple[float | None, float | None]) -> str | None:
    if numbers == (None, None):
        return None
    return " → ".join("–" if number is None else _few_digits(number) for number in numbers)


def _few_digits(number: float) -> str:
    """Three significant digits, never with an exponent: ``0.129``, ``0.000``, ``12,345``"""
    size = abs(number)
    return fixed(number, 3 if size < 0.001 else 0) if size < 0.001 or size >= 1000 else minus(f"{number:.3g}")
