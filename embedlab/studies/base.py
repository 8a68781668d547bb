"""What a kind of study is, as data: the setting that is swept, its values, and what stays as it is."""

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field, field_validator

from embedlab.config import Config

Scale = Literal["log", "linear", "category"]
FirstPhase = Literal["", "corpus", "series", "value"]


@dataclass(frozen=True)
class StudyKind:
    """One figure or table of a paper as a menu entry.

    ``setting`` is a path as ``--set`` takes it, empty where it is asked for; ``values`` are the paper's,
    ``token_values`` those for an encoder without layers; ``word`` names a value in a run's name. ``recipe`` is what the
    paper trains and ``settings`` what it sets besides. ``limit`` caps the values at what the corpus holds.
    ``first_phase``: what is trained before the run that is measured: on the ``corpus`` that is the value, with the
    recipe that is the ``series``, or by the ``value`` alone; the second run then is of ``second_recipe``.
    ``swept_recipe``: the values sweep this recipe, with ``settings``, and the study's own recipe is a horizontal line.
    ``series`` is a second path that the kind starts with, ``series_values`` its values: a line each, called by
    ``series_word``.
    """

    key: str
    title: str
    sentence: str
    paper: str
    setting: str
    values: tuple
    axis: str
    word: str
    scale: Scale | None = None  # None: by the values
    recipe: str = "crops"
    settings: dict = field(default_factory=dict)
    token_values: tuple = ()
    limit: Literal["", "texts", "labelled"] = ""
    needs_layers: bool = False
    first_phase: FirstPhase = ""
    second_recipe: str = ""
    swept_recipe: str = ""
    series: str = ""
    series_values: tuple = ()
    series_word: str = ""
    names_best: bool = True
    untouched_is_one: bool = True  # whether all values start from the same untouched encoder, read alike

    @property
    def needs_series(self) -> bool:
        """Whether it is nothing without its series: that trains first, or reads what was trained."""
        return self.first_phase in ("series", "value")

    @property
    def is_own(self) -> bool:
        """Whether the user says which setting."""
        return not self.setting


class StudySettings(Config):
    """One study: what is swept, over what, and everything that stays the same."""

    kind: str = Field(description="Key of the kind of study.")
    corpus: str = Field(description="Fingerprint of the corpus that is measured on.")
    encoder: str = Field("token", description="The encoder each run starts from.")
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

    @field_validator("values", "seeds", "series_values")
    @classmethod
    def _once(cls, given: tuple) -> tuple:
        return tuple(dict.fromkeys(given))
