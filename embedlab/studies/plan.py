"""A study and its runs: one for each value and seed, and the runs they are compared with; the settings of each."""

import json
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field, JsonValue, field_validator

from embedlab.config import Config, validated, with_path
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.encoder_catalog.catalog import EncoderReference, encoder_title
from embedlab.studies import STUDIES
from embedlab.studies.kinds import DIRECTLY
from embedlab.training.recipes import recipe_title
from embedlab.training.settings import RunSettings

CORPUS = "corpus"  # the series whose values are fingerprints


class StudySettings(Config):
    """One study: the swept setting, its values, and all settings that stay fixed."""

    kind: str = Field(description="Key of the kind of study.")
    corpus: str = Field(description="Fingerprint of the corpus that is measured on.")
    encoder: EncoderReference = Field("token", description="The encoder each run starts from.")
    recipe: str = Field("crops", description="The recipe of each run.")
    setting: str = Field(description="Path of the swept setting, as objective.temperature.")
    values: tuple[Any, ...] = Field(min_length=1, max_length=64, description="The values, in the order of the x axis.")
    seeds: tuple[int, ...] = Field((0,), min_length=1, max_length=50, description="Each value is run with each seed.")
    series: str = Field("", description="recipe, encoder or the path of a second swept setting; empty for none.")
    series_values: tuple[Any, ...] = Field((), max_length=24, description="Its values: each value is run with each.")
    of_series: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="Further settings of one of the series alone, by its value."
    )
    settings: dict[str, Any] = Field(default_factory=dict, description="Further settings, the same for all runs.")
    texts: int = Field(0, ge=0, description="Texts of the corpus; a first phase takes no more. 0: not known.")
    notes: tuple[str, ...] = Field((), description="What was changed in the given values, as sentences.")

    @property
    def is_over_corpora(self) -> bool:
        """Whether it has one line per corpus, of several."""
        return self.series == CORPUS and len(self.series_values) > 1

    @field_validator("values", "seeds", "series_values")
    @classmethod
    def _once(cls, given: tuple) -> tuple:
        return tuple(dict.fromkeys(given))


Part = Literal["value", "line", "first"]


@dataclass(frozen=True)
class Cell:
    """One run of a study: a ``value``, the ``line`` of an unsupervised recipe, or the ``first`` of two phases."""

    part: Part
    value: Any
    seed: int
    series: Any = None  # None also where the study has no series

    @property
    def key(self) -> str:
        """A key that survives being written and read."""
        return json.dumps([self.part, self.value, self.seed, *([] if self.series is None else [self.series])])


def cells(design: StudySettings) -> list[Cell]:
    """Every run in working order: all series and seeds of a value before the next value, first phases before second
    ones.
    """
    kind, runs = STUDIES[design.kind], []
    if kind.swept_recipe:
        runs += [Cell("line", None, seed) for seed in design.seeds]
    for value in design.values:
        for series in series_of(design):
            for seed in design.seeds:
                cell = Cell("value", value, seed, series)
                first = first_phase_of(design, cell)
                runs += [cell] if first is None else [first, cell]
    return list(dict.fromkeys(runs))


def series_of(design: StudySettings) -> tuple:
    """The values of the series; a single None if the study has none."""
    return design.series_values if design.series else (None,)


def settings_of(design: StudySettings, cell: Cell, *, first_run: str | None = None) -> RunSettings:
    """The settings of one cell's run; ``first_run`` is the id of its first phase."""
    kind, is_measured = STUDIES[design.kind], cell.part == "value"
    run_settings: dict = {"corpus": design.corpus, "encoder": design.encoder, "recipe": design.recipe}
    settings = laid(design.settings, design.of_series.get(str(cell.series), {}))
    if is_measured and (of_its_own := kind.swept_recipe or kind.second_recipe):
        run_settings["recipe"] = of_its_own
        settings = {name: each for name, each in settings.items() if not isinstance(each, dict)} | kind.settings
    underneath = {"schedule": "epochs", **laid(settings, run_settings)}  # the papers' figures are of so many epochs
    run_settings = {**underneath, "seed": cell.seed, "maps": False, "live_map": False, "inside": False}
    if design.series and kind.first_phase != ("series" if is_measured else "value"):
        run_settings = with_path(run_settings, design.series, cell.series)
    if kind.first_phase and is_measured and first_run is not None:
        run_settings["encoder"] = f"run:{first_run}"
    if kind.first_phase == "corpus":
        own_texts = {"train_texts": design.texts} if design.texts >= 2 else {}
        run_settings["target"] = design.corpus  # both phases are watched where the second one is measured
        run_settings |= {"corpus": cell.value, **own_texts} if cell.part == "first" else {}
        return validated(RunSettings, run_settings)
    has_value = cell.part != "line" and kind.first_phase != ("value" if is_measured else "series")
    return validated(RunSettings, with_path(run_settings, design.setting, cell.value) if has_value else run_settings)


def first_phase_of(design: StudySettings, cell: Cell) -> Cell | None:
    """The cell whose encoder this one continues from; several cells may share it."""
    kind = STUDIES[design.kind].first_phase
    if not kind or cell.part != "value":
        return None
    if kind == "value":
        return Cell("first", cell.value, cell.seed)
    if kind == "series":
        return None if cell.series == DIRECTLY else Cell("first", None, cell.seed, cell.series)
    return None if cell.value == DIRECTLY else replace(cell, part="first")


def value_name(value: Any, names: dict[str, str] | None = None) -> str:
    """A value as displayed: ``0.05``, ``65,536``, a corpus by its name."""
    if value is None:
        return "automatic"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:g}"
    return (names or {}).get(value, str(value))


def series_name(design: StudySettings, series: Any) -> str:
    """A series as displayed: ``Text crops``, ``pooling cls``; empty if the study has none."""
    if not design.series:
        return ""
    kind = STUDIES[design.kind]
    if kind.series_word and design.series == kind.series:
        return f"{kind.series_word} {value_name(series)}"
    if design.series == CORPUS:
        return corpus_names().get(series, series)
    if design.series in ("recipe", "encoder"):
        return recipe_title(series) if design.series == "recipe" else encoder_title(series)
    return f"{design.series.rpartition('.')[2]} {value_name(series)}"


def corpus_names() -> dict[str, str]:
    """The stored corpora: fingerprint -> name."""
    return {info.fingerprint: info.name for info in list_corpora()}


def run_name(design: StudySettings, cell: Cell, names: dict[str, str] | None = None) -> str:
    """``temperature 0.05, seed 1``"""
    kind = STUDIES[design.kind]
    if cell.part == "line":
        what = f"{kind.title}, {recipe_title(design.recipe)}"
    elif cell.part == "first" and kind.first_phase == "series":
        what = f"{kind.title}, {series_name(design, cell.series)} alone"
    else:
        what = f"{kind.word or design.setting} {value_name(cell.value, names)}"
        what += f", {series_name(design, cell.series)}" if cell.series is not None else ""
        what += ", alone" if cell.part == "first" else ""
    return f"{what}, seed {cell.seed}"[:80]


def laid(under: dict, over: dict) -> dict[str, JsonValue]:
    """Nested settings merged; those of ``over`` win."""
    both = {**under, **over}
    for name in under.keys() & over.keys():
        if isinstance(under[name], dict) and isinstance(over[name], dict):
            both[name] = laid(under[name], over[name])
    return both
