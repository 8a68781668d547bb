"""From what a person chose to a study that can be run: values, settings underneath, and what was changed of them."""

from embedlab.corpora.base import CorpusInfo
from embedlab.encoder_names import is_token_layer
from embedlab.errors import SettingsError, UnfitError
from embedlab.studies import STUDIES
from embedlab.studies.base import StudyKind, StudySettings
from embedlab.studies.kinds import DIRECTLY
from embedlab.studies.over_corpora import CORPUS, corpora_of
from embedlab.studies.values import capped, default_values, require_fit
from embedlab.studies.written import laid

SEEDS = (0, 1, 2)
BUILT_IN = "docs"
_CUT_ALIKE = ("crops", "crops-masking")
_CUTTING = ("crop", "crop-masking")  # augmentations of own combinations that take the same settings
_SHORT_CROPS = {  # the built-in texts are terser than abstracts: the paper's crops would use one in seven, these nine
    "vocabulary_size": 12_000,
    "epochs": 3,
    "augmentation": {"sentences": 1, "min_characters": 50},
}
_NO_SERIES = ("seed", "maps", "live_map", "device")  # asked for elsewhere, or no number depends on them


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
    """``layers`` of the encoder, None where it is not known; ``series`` is a second swept path with its values."""
    kind = STUDIES[key]
    if kind.is_own and not setting:
        raise SettingsError(
            "E-NO-SETTING",
            "A study of your own needs the path of its setting (--setting), such as batch_size or "
            "augmentation.sentences.",
        )
    own_values = kind.values if kind.limit else default_values(kind, info, layers=layers)
    values, notes = capped(kind, values or own_values, info)
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
    own = laid({} if kind.swept_recipe or kind.second_recipe else kind.settings, settings or {})
    said = _notes_of_settings(under, own)
    if of_series:  # all of them cut crops, alike
        names = [corpora[each].name if each in corpora else each for each in of_series]
        said += _notes_of_settings(next(iter(of_series.values())), own, of=", ".join(names))
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
        of_series={name: laid(each, own) for name, each in of_series.items()},
        settings=laid(under, own),
        texts=info.texts,
        notes=(*notes, *said),
    )


def _require_series(kind: StudyKind, swept: str, series: str, values: tuple) -> None:
    """Refuse a second setting that the study cannot have."""
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
    if series and ((series == swept and not kind.needs_series) or series in _NO_SERIES):
        raise SettingsError(
            "E-SERIES",
            f"The series is {series!r}, which {why}. Choose recipe, encoder, corpus or the path of another setting, "
            f"such as pooling or objective.blocks.",
        )
    if series and not values:
        raise SettingsError("E-NO-SERIES", f"The series {series!r} needs values. Give them as {series}=VALUE,VALUE.")


def _under(info: CorpusInfo, recipes: tuple[str, ...]) -> tuple[dict, dict[str, dict]]:
    """Settings of all runs and, by recipe, of some: shorter crops on the built-in corpus, where a recipe cuts any.

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
    """Which settings are not the recipe's own."""
    own = _flat(over)
    words = ", ".join(f"{path} {value}" for path, value in _flat(under).items() if path not in own)
    whose = f"{of} " if of else ""
    return (f"On the built-in texts, which are short, {whose}with: {words}.",) if words else ()


def _flat(values: dict, path: str = "") -> dict:
    found = {}
    for name, value in values.items():
        found |= _flat(value, f"{path}{name}.") if isinstance(value, dict) else {f"{path}{name}": value}
    return found
