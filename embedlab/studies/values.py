"""Which values a study takes: the paper's, as far as encoder and corpus allow."""

from math import ceil

from embedlab.corpora.base import CorpusInfo
from embedlab.errors import CorpusError, SettingsError, UnfitError
from embedlab.studies.base import Scale, StudyKind

WIDE = 20  # numbers that span more than this are drawn on a logarithmic axis


def default_values(kind: StudyKind, info: CorpusInfo, *, layers: int | None) -> tuple:
    """The paper's values; for an encoder of ``layers`` layers (None: not known) and what the corpus holds."""
    values = kind.token_values if layers == 0 and kind.token_values else kind.values
    if kind.setting == "frozen_layers" and layers:
        values = tuple(value for value in values if value < layers)
    return capped(kind, values, info)[0]


def capped(kind: StudyKind, values: tuple, info: CorpusInfo) -> tuple[tuple, tuple[str, ...]]:
    """The values with those above what the corpus holds brought down to it, and the sentence that says so."""
    if not kind.limit:
        return values, ()
    held = _held(kind, info)
    over = [value for value in values if isinstance(value, int) and value > held]
    if not over:
        return values, ()
    what = "labelled texts in the train split" if kind.limit == "labelled" else "texts"
    said = f"The corpus holds {held:,} {what}: {', '.join(f'{value:,}' for value in over)} became {held:,}."
    return tuple(dict.fromkeys(held if value in over else value for value in values)), (said,)


def require_fit(kind: StudyKind, info: CorpusInfo, *, layers: int | None, values: tuple) -> None:
    """Refuse a study that could not give a point."""
    if not info.has_two_classes:
        there = f"all labels are {info.classes[0].label!r}" if info.classes else "there are no labels"
        raise CorpusError(
            "E-NO-LABELS",
            f"A study is drawn over kNN accuracy, which needs two classes, but in {info.name!r} {there}. "
            "Choose a label column on the page Data.",
        )
    if kind.needs_layers and layers == 0:
        raise UnfitError(
            "E-UNFIT",
            f"{kind.title} needs an encoder with layers, but a token layer has none. Choose another encoder, such as "
            f"scratch:bert-mini.",
        )
    if not values:
        hint = "Give other corpora by their fingerprints" if kind.first_phase == "corpus" else "Give them as 0.1,0.2"
        raise SettingsError("E-NO-VALUES", f"{kind.title} needs values, but there are none. {hint}.")


def scale_of(kind: StudyKind, values: tuple) -> Scale:
    """The kind's own axis, else by the values: words as categories, numbers linear or, spread wide, logarithmic."""
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    if not numbers:
        return "category"
    if kind.scale is None:
        return "log" if min(values) > 0 and max(values) / min(values) >= WIDE else "linear"
    return "linear" if kind.scale == "log" and min(values) <= 0 else kind.scale


def _held(kind: StudyKind, info: CorpusInfo) -> int:
    if kind.limit == "texts":
        return info.texts
    tested = ceil(info.labelled / 10)  # scikit-learn rounds the tested tenth up
    return max(info.labelled - tested, 2)
