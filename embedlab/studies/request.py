"""From what a person chose or typed to a study that can run: values, settings, and what was adapted."""

from collections.abc import Sequence
from math import ceil

from pydantic import JsonValue

from embedlab.config import flattened, read_value
from embedlab.corpora.stored.shelf import CorpusInfo, list_corpora
from embedlab.encoder_catalog.catalog import ENCODERS, absolute_reference
from embedlab.encoder_catalog.names import is_token_layer
from embedlab.errors import CorpusError, SettingsError, UnfitError
from embedlab.runs.label_lineage import first_encoder
from embedlab.studies import STUDIES
from embedlab.studies.kinds import DIRECTLY, Scale, StudyKind
from embedlab.studies.plan import CORPUS, StudySettings, laid
from embedlab.training.recipes import RECIPES, own_combinations

SEEDS = (0, 1, 2)
BUILT_IN = "docs"
_CUT_ALIKE = ("crops", "crops-masking")
_CUTTING = ("crop", "crop-masking")  # augmentations of own combinations that take the same settings
# the built-in texts are terser than abstracts: the paper's crops would use one in seven, these nine
_SHORT_CROPS: dict[str, JsonValue] = {
    "vocabulary_size": 12_000,
    "epochs": 3,
    "augmentation": {"sentences": 1, "min_characters": 50},
}


def asked_study(
    key: str,
    info: CorpusInfo,
    *,
    encoder: str = "token",
    layers: int | None = None,
    recipe: str = "",
    values: tuple = (),
    seeds: tuple[int, ...] = SEEDS,
    setting: str = "",
    settings: dict | None = None,
    series: str = "",
    series_values: tuple = (),
) -> StudySettings:
    """``layers`` of the encoder, None if unknown; ``series`` is a second swept path with its values."""
    kind = STUDIES[key]
    if kind.is_own and not setting:
        raise SettingsError(
            "E-NO-SETTING",
            "A study of your own needs the path of its setting (--setting), such as batch_size or "
            "augmentation.sentences.",
        )
    if (setting if kind.is_own else kind.setting) == "encoder":
        values = tuple(absolute_reference(str(each)) for each in values)
    if series == "encoder":
        series_values = tuple(absolute_reference(str(each)) for each in series_values)
    values = values or (kind.values if kind.limit else default_values(kind, info, layers=layers))
    values, notes = capped(kind, values, info)
    if kind.first_phase == "corpus" and values and DIRECTLY not in values:
        values = (DIRECTLY, *values)
    require_fit(kind, info, layers=layers, values=values)
    if not series and (kind.needs_series or not recipe):  # who names a recipe asks for that one alone
        series, series_values = kind.series, series_values or kind.series_values
    recipe, swept = recipe or kind.recipe, setting if kind.is_own else kind.setting
    _require_series(kind, swept, series, series_values)
    corpora = {info.fingerprint: info}
    if series == CORPUS:
        corpora = corpora_of(info, series_values)
        series_values = tuple(corpora)
    if series == "recipe":
        recipe = next((each for each in series_values if each != DIRECTLY), kind.recipe)
    if series == "encoder":
        encoder = series_values[0]
        for each in series_values:
            require_fit(kind, info, layers=0 if is_token_layer(each) else None, values=values)
    recipes = tuple(each for each in series_values if each != DIRECTLY) if series == "recipe" else (recipe,)
    under, of_series = _under(info, recipes)
    if series == CORPUS:  # each as it is trained alone
        under, of_series = {}, {key: each for key, one in corpora.items() if (each := _under(one, recipes)[0])}
    chosen = laid({} if kind.swept_recipe or kind.second_recipe else kind.settings, settings or {})
    remarks = _notes_of_settings(under, chosen)
    if of_series:  # all of them cut crops, alike
        names = [corpora[each].name if each in corpora else each for each in of_series]
        remarks += _notes_of_settings(next(iter(of_series.values())), chosen, of=", ".join(names))
    return StudySettings(
        kind=kind.key,
        corpus=info.fingerprint,
        encoder=encoder,
        recipe=recipe,
        setting=swept,
        values=values,
        seeds=seeds,
        series=series,
        series_values=series_values,
        of_series={name: laid(each, chosen) for name, each in of_series.items()},
        settings=laid(under, chosen),
        texts=info.texts,
        notes=(*notes, *remarks),
    )


def corpora_of(info: CorpusInfo, values: Sequence) -> dict[str, CorpusInfo]:
    """The study's own corpus and those of its series, by fingerprint; each needs classes."""
    stored = {each.fingerprint: each for each in list_corpora()}
    corpora = {info.fingerprint: info}
    for value in values:
        each = next((each for each in stored.values() if str(value) in (each.fingerprint, each.name)), None)
        if each is None:
            names = ", ".join(each.name for each in stored.values()) or "none"
            message = f"The series needs stored corpora, but there is none called {str(value)!r}. There are: {names}."
            raise SettingsError("E-SERIES", message)
        if not each.has_knn:
            message = f"The corpus {each.name} of the series lacks two classes of two texts, so it has no kNN accuracy."
            raise CorpusError("E-NO-LABELS", f"{message} Leave it out.")
        corpora[each.fingerprint] = each
    return corpora


def _require_series(kind: StudyKind, swept: str, series: str, values: tuple) -> None:
    """Refuse a second setting that this study cannot sweep."""
    if series and kind.swept_recipe:
        raise UnfitError(
            "E-UNFIT", f"{kind.title} compares one curve with one line and takes no series. Leave the series out."
        )
    if kind.needs_series and series != kind.series:
        raise SettingsError(
            "E-SERIES",
            f"{kind.title} has the series {kind.series}, but found {series!r}. Write {kind.series}=VALUE,VALUE.",
        )
    if series == CORPUS and kind.first_phase:
        raise UnfitError("E-UNFIT", f"{kind.title} trains in two phases and takes no corpora as its series.")
    why = "is swept already" if series == swept else "a study sets by other options"
    elsewhere = ("seed", "maps", "inside", "live_map", "device")  # or no number depends on them
    if series and ((series == swept and not kind.needs_series) or series in elsewhere):
        raise SettingsError(
            "E-SERIES",
            f"The series is {series!r}, which {why}. Choose recipe, encoder, corpus or the path of another setting, "
            f"such as pooling or objective.blocks.",
        )
    if series and not values:
        raise SettingsError("E-NO-SERIES", f"The series {series!r} needs values. Give them as {series}=VALUE,VALUE.")


def _under(info: CorpusInfo, recipes: tuple[str, ...]) -> tuple[dict[str, JsonValue], dict[str, dict[str, JsonValue]]]:
    """Settings for all runs and for single recipes: shorter crops on the built-in corpus for recipes that crop.

    Recipes that stand beside one that cuts train as long as it does, with as large a vocabulary.
    """
    cutting = [recipe for recipe in recipes if recipe in _CUT_ALIKE or recipe.partition("+")[2] in _CUTTING]
    if info.source != BUILT_IN or not cutting:
        return {}, {}
    if len(recipes) == 1:
        return _SHORT_CROPS, {}
    shared = {name: value for name, value in _SHORT_CROPS.items() if name != "augmentation"}
    return shared, {recipe: {"augmentation": _SHORT_CROPS["augmentation"]} for recipe in cutting}


def _notes_of_settings(under: dict, over: dict, *, of: str = "") -> tuple[str, ...]:
    """Says which settings differ from the recipe's own."""
    chosen = flattened(over)
    words = ", ".join(f"{path} {value}" for path, value in flattened(under).items() if path not in chosen)
    whose = f"{of} " if of else ""
    return (f"On the built-in texts, which are short, {whose}with: {words}.",) if words else ()


WIDE = 20  # numbers that span more than this are drawn on a logarithmic axis


def default_values(kind: StudyKind, info: CorpusInfo, *, layers: int | None) -> tuple:
    """The paper's values, limited by the encoder's ``layers`` (None: unknown) and the size of the corpus."""
    values = kind.token_values if layers == 0 and kind.token_values else kind.values
    if kind.setting == "frozen_layers" and layers:
        values = tuple(value for value in values if value < layers)
    return capped(kind, values, info)[0]


def capped(kind: StudyKind, values: tuple, info: CorpusInfo) -> tuple[tuple, tuple[str, ...]]:
    """The values with those above the corpus size reduced to it, and a sentence saying so."""
    if not kind.limit:
        return values, ()
    tested = ceil(info.labelled / 10)  # scikit-learn rounds the tested tenth up
    held = info.texts if kind.limit == "texts" else max(info.labelled - tested, 2)
    over = [value for value in values if isinstance(value, int) and value > held]
    if not over:
        return values, ()
    what = "labeled texts in the train split" if kind.limit == "labelled" else "texts"
    message = f"The corpus holds {held:,} {what}: {', '.join(f'{value:,}' for value in over)} became {held:,}."
    return tuple(dict.fromkeys(held if value in over else value for value in values)), (message,)


def require_fit(kind: StudyKind, info: CorpusInfo, *, layers: int | None, values: tuple) -> None:
    """Refuse a study that could not yield a single point."""
    if not info.has_knn:
        there, largest = "there are no labels", next(iter(info.classes), None)
        if largest is not None:
            of_many = f"only {largest.label!r} has as many" if largest.texts > 1 else "no class has as many"
            there = of_many if info.has_two_classes else f"all labels are {largest.label!r}"
        raise CorpusError(
            "E-NO-LABELS",
            "A study is drawn over kNN accuracy, which needs two classes of at least two texts, but in "
            f"{info.name!r} {there}. Choose a label column on the page Data.",
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
    """The kind's own axis, otherwise by the values: words as categories, numbers linear or, if wide, logarithmic."""
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return "category"
    if kind.scale is None:
        return "log" if min(values) > 0 and max(values) / min(values) >= WIDE else "linear"
    return "linear" if kind.scale == "log" and min(values) <= 0 else kind.scale


NAMED = ("recipe", "encoder", "corpus")  # series whose values are names, also where one looks like a number


def read_values(written: str) -> tuple:
    """``0.005, 0.05`` as two numbers."""
    return tuple(read_value(each) for each in written.replace(";", ",").split(",") if each.strip())


def read_seeds(written: str) -> tuple[int, ...]:
    """``0,1,2``"""
    try:
        seeds = tuple(int(each) for each in written.replace(";", ",").split(",") if each.strip())
    except ValueError:
        seeds = ()
    if not seeds:
        raise SettingsError("E-SEEDS", f"Seeds must be whole numbers, such as 0,1,2, but found {written!r}.")
    return seeds


def read_series(written: str) -> tuple[str, tuple]:
    """``recipe=crops,simcse`` as a path and its values; an empty string as no series."""
    if not written.strip():
        return "", ()
    path, equals, values = written.partition("=")
    path, read = path.strip(), read_values(values)
    if not equals or not path or not read:
        raise SettingsError(
            "E-SERIES",
            f"A series must be SETTING=VALUE,VALUE, but found {written!r}. Examples: recipe=crops,simcse or "
            "encoder=token,mini, pooling=mean,cls or corpus=docs,NAME.",
        )
    return path, tuple(each.strip() for each in values.split(",") if each.strip()) if path in NAMED else read


def stored_corpus(name: str) -> str:
    """A stored corpus by name or fingerprint; ``none`` means no first phase."""
    stored = list_corpora()
    matches = [info.fingerprint for info in stored if name in (info.fingerprint, info.name)]
    if name in ("none", "None"):
        return "none"
    if not matches:
        names = ", ".join(info.name for info in stored)
        raise SettingsError(
            "E-VALUES", f"A first phase needs a stored corpus, but there is none called {name!r}. There are: {names}."
        )
    return matches[0]


def layers_of(encoder: str) -> int | None:
    """The layers of an encoder, or of a run's first phase; None if unknown."""
    first = first_encoder(encoder)
    return 0 if is_token_layer(first) else ENCODERS[first].layers if first in ENCODERS else None


def recipe_titles() -> dict[str, str]:
    """Recipes that train on a corpus alone, then every combination that does."""
    offered = (*RECIPES, *own_combinations())
    return {recipe.key: recipe.title for recipe in offered if recipe.objective and not recipe.trains_on_pairs}
