"""From what a person chose to a study that can be run: values, settings underneath, and what was changed of them."""

from embedlab.corpora.base import CorpusInfo
from embedlab.errors import SettingsError
from embedlab.studies import STUDIES
from embedlab.studies.base import StudySettings
from embedlab.studies.transfer import DIRECTLY
from embedlab.studies.values import capped, default_values, require_fit
from embedlab.studies.written import laid

SEEDS = (0, 1, 2)
BUILT_IN = "docs"
_CUT_ALIKE = ("crops", "crops-masking")
_SHORT_CROPS = {  # the built-in texts are terser than abstracts: the paper's crops would use one in seven, these nine
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
) -> StudySettings:
    """``layers`` of the encoder, None where it is not known."""
    kind = STUDIES[key]
    if kind.is_own and not setting:
        raise SettingsError(
            "E-NO-SETTING",
            "A study of your own needs the path of its setting (--setting), as batch_size or augmentation.sentences.",
        )
    own_values = kind.values if kind.limit else default_values(kind, info, layers=layers)
    values, notes = capped(kind, values or own_values, info)
    if kind.phases == 2 and values and DIRECTLY not in values:
        values = (DIRECTLY, *values)
    require_fit(kind, info, layers=layers, values=values)
    recipe = recipe or kind.recipe
    under = _under(info, recipe)
    own = laid({} if kind.swept_recipe else kind.settings, settings or {})
    said = _notes_of_settings(under, own)
    return StudySettings(
        kind=kind.key,
        corpus=info.fingerprint,
        encoder=encoder,
        recipe=recipe,
        setting=setting if kind.is_own else kind.setting,
        values=values,
        seeds=seeds,
        settings=laid(under, own),
        texts=info.texts,
        notes=(*notes, *said),
    )


def _under(info: CorpusInfo, recipe: str) -> dict:
    """Shorter crops on the built-in corpus, where a recipe cuts any."""
    return _SHORT_CROPS if info.source == BUILT_IN and recipe in _CUT_ALIKE else {}


def _notes_of_settings(under: dict, over: dict) -> tuple[str, ...]:
    """Which settings are not the recipe's own."""
    own = _flat(over)
    words = ", ".join(f"{path} {value}" for path, value in _flat(under).items() if path not in own)
    return (f"On the built-in texts, which are short, with: {words}.",) if words else ()


def _flat(values: dict, path: str = "") -> dict:
    found = {}
    for name, value in values.items():
        found |= _flat(value, f"{path}{name}.") if isinstance(value, dict) else {f"{path}{name}": value}
    return found
