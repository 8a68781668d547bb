"""The second swept setting of a new study: recipes, encoders, poolings, corpora or any path, each value a line."""

import streamlit as st

from embedlab.corpora.base import list_corpora
from embedlab.encoders.catalog import ENCODERS
from embedlab.errors import SettingsError
from embedlab.studies.base import StudyKind
from embedlab.studies.over_corpora import CORPUS
from embedlab.studies.transfer import DIRECTLY
from embedlab.studies.written import read_series, read_values
from embedlab.training.recipes import RECIPES, own_combinations

SERIES = "studies.series"
_PLURAL = {"recipe": "recipes", "encoder": "encoders", "corpus": "corpora"}
_NONE, _OTHER = "none", "another setting"
_POOLINGS = "mean, cls, last"
_CHOICES = (_NONE, "recipe", "encoder", "pooling", "corpus", _OTHER)


def series_kind(kind: StudyKind) -> str:
    """The picker: what makes the lines."""
    start = kind.series if kind.series in _CHOICES else _OTHER if kind.series else _NONE
    return st.selectbox(
        "Series", _CHOICES, index=_CHOICES.index(start), key=f"{SERIES}-{kind.key}", disabled=not takes_series(kind),
        persist_state="session",
        help="A second thing that changes: each of its values is a line of the chart, run with each value and seed.",
    )  # fmt: skip


def takes_series(kind: StudyKind) -> bool:
    """Whether a second setting can be chosen, to be swept beside the first."""
    return not kind.swept_recipe and not kind.needs_series


def series_asked(series: str, kind: StudyKind) -> tuple[str, tuple, SettingsError | None]:
    """The path of the series, its values, and what is wrong with them; the control stands under the row."""
    if series == _NONE or kind.swept_recipe:
        return "", (), None
    if series == "recipe":
        titles = {DIRECTLY: "none: the encoder as it is"} if kind.first_phase == "series" else {}
        titles |= recipe_titles()
        chosen = _names("Recipes", titles, kind, "recipes, and own combinations as OBJECTIVE+AUGMENTATION")
        return _asked("recipe", chosen)
    if series == "encoder":
        titles = {card.key: card.title for card in ENCODERS}
        return _asked("encoder", _names("Encoders", titles, kind, "encoders of the list, hf:owner/name, run:ID"))
    if series == CORPUS:
        stored = {each.fingerprint: each.name for each in list_corpora() if each.has_two_classes}
        chosen = st.multiselect("Corpora", list(stored), key=f"{SERIES}-corpora-{kind.key}", format_func=stored.get,
                                persist_state="session", placeholder="others than the one above",
                                help="A line each, and their mean; the corpus above is the first.")  # fmt: skip
        return _asked(CORPUS, tuple(chosen))
    if series == "pooling":
        label = "Read by" if kind.needs_series else "Poolings"
        typed = st.text_input(label, _POOLINGS, key=f"{SERIES}-poolings-{kind.key}", persist_state="session",
                              help="With commas between them: mean, cls, last, max or token-N.")  # fmt: skip
        return _asked("pooling", read_values(typed))
    start = f"{kind.series}={','.join(map(str, kind.series_values))}" if kind.series else ""
    typed = st.text_input("Setting and values of the series", start, key=f"{SERIES}-path-{kind.key}",
                          persist_state="session", placeholder="objective.blocks=1,2,3")  # fmt: skip
    if not typed.strip():
        said = "Name the setting of the series with its values, as batch_size=32,64."
        return "", (), SettingsError("E-NO-SERIES", said)
    try:
        return (*read_series(typed), None)
    except SettingsError as error:
        return "", (), error


def recipe_titles() -> dict[str, str]:
    """Recipes that train on a corpus alone, then every own combination that does."""
    offered = (*RECIPES, *own_combinations())
    return {recipe.key: recipe.title for recipe in offered if recipe.objective and not recipe.trains_on_pairs}


def _names(label: str, titles: dict[str, str], kind: StudyKind, help: str) -> tuple[str, ...]:
    begun = [each for each in kind.series_values if each in titles] if kind.series == label.lower()[:-1] else []
    chosen = st.multiselect(
        label, [*begun, *(each for each in titles if each not in begun)], begun, key=f"{SERIES}-{label}-{kind.key}",
        persist_state="session",
        format_func=lambda key: titles.get(key, key), accept_new_options=True, placeholder="two or more",
        help=f"A line each: {help}.",
    )  # fmt: skip
    return tuple(each.strip() for each in chosen if each.strip())


def _asked(path: str, values: tuple) -> tuple[str, tuple, SettingsError | None]:
    if values:
        return path, values, None
    return (
        path,
        (),
        SettingsError(
            "E-NO-SERIES", f"The series needs values. Choose which {_PLURAL.get(path, path)} make the lines."
        ),
    )
