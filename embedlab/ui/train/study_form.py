"""A new study: which figure of the papers, on what, over which values and seeds; the number of runs and their time."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from embedlab.config import with_settings
from embedlab.corpora.stored.shelf import CorpusInfo, list_corpora
from embedlab.encoder_catalog.catalog import offered_encoders
from embedlab.encoder_catalog.names import is_reference
from embedlab.errors import EmbedlabError, SettingsError
from embedlab.jobs.executors import chosen_line
from embedlab.jobs.requests.working import RunStudy
from embedlab.numbers import counted
from embedlab.studies import STUDIES
from embedlab.studies.expected import expected_line, expected_study, to_time
from embedlab.studies.kinds import DIRECTLY, MATCH_MEANS, StudyKind
from embedlab.studies.plan import CORPUS, StudySettings, cells
from embedlab.studies.request import (
    SEEDS,
    asked_study,
    default_values,
    layers_of,
    read_seeds,
    read_series,
    read_values,
    recipe_titles,
)
from embedlab.studies.store import Study
from embedlab.training.recipes import RECIPES
from embedlab.ui.components.form import written
from embedlab.ui.components.train_fields import encoder_choice, is_here, say_unknown_encoder, time_by_itself
from embedlab.ui.frame.layout import escaped, show_error
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import form_button
from embedlab.ui.frame.pickers import corpus_picker
from embedlab.ui.frame.progress import start_once
from embedlab.ui.frame.state import named
from embedlab.ui.frame.typed_choice import say_unmatched, several_or_typed
from embedlab.ui.train.studies_view import SHOWN

KIND = "studies.kind"
_INCOMPLETE = ("E-NO-VALUES", "E-NO-SETTING", "E-NO-SERIES")  # something is still to be filled in


EXPLAINED = (
    "Each value of the setting is trained with each seed, all else equal; the curve shows the mean kNN accuracy "
    "of the runs of a value. With one seed the bar is the binomial standard error; with several it also counts how "
    "the seeds differ. Amber lines need no training: TF-IDF dashed, its 100-dimensional SVD dotted; gray is the "
    f"untouched encoder. The best value is selected by development texts, never by the test texts. Labels match "
    f"the recipe without labels: {MATCH_MEANS}.",
    "Crops paper, Figures S2, 4 and 5a; TSDAE, Figures 3 and 6, Tables 5 to 7 and 10.",
)


def sweep_form() -> None:
    """Draws the form of a new study; once started, the study is shown among the runs."""
    with st.container(horizontal=True):
        titles = {kind.key: kind.title for kind in STUDIES}
        key = st.selectbox("Study", key=KIND, persist_state="session", width=230, **named(titles))
        kind = STUDIES[key]
        fingerprint = corpus_picker("studies.corpus", width=250)
        info = next(each for each in list_corpora() if each.fingerprint == fingerprint)
        encoder = encoder_choice(info.fingerprint, width=230)
        layers = layers_of(encoder)
        read_setting = _values(kind, info, layers)
    say_unknown_encoder()
    st.caption(escaped(f"{kind.sentence} ({kind.paper})", 500))
    with st.expander("Advanced"):
        with st.container(horizontal=True):
            seeds = st.text_input("Seeds", ",".join(map(str, SEEDS)), key="studies.seeds", persist_state="session",
                                  width=110, help="Each value is trained with each of these seeds.")  # fmt: skip
            read_lines = series_fields(kind)
        recipe, lines = _advanced(kind)
    settings = None
    try:
        setting, values = read_setting()
        series, series_values = read_lines()
        settings = asked_study(
            key, info, encoder=encoder, layers=layers, recipe=recipe, values=values, seeds=read_seeds(seeds),
            setting=setting, settings=with_settings({}, lines), series=series, series_values=series_values,
        )  # fmt: skip
    except EmbedlabError as error:
        if error.code in _INCOMPLETE:
            st.info(escaped(error.message, 400))
        else:
            show_error(error)
    _start(settings)


Read = Callable[[], tuple[str, tuple]]  # a setting's path and its values, refused once all fields are drawn


def _values(kind: StudyKind, info: CorpusInfo, layers: int | None) -> Read:
    """The requested values; which setting they are of, the kind says, or in a study of one's own its path."""
    if kind.is_own:
        typed = st.text_input("Setting and values", key="studies.own", persist_state="session", width=250,
                              placeholder="batch_size=32,64,128",
                              help="Its path, such as learning_rate or augmentation.sentences.")  # fmt: skip
        missing = "Give the setting with its values, such as batch_size=32,64,128."
        return lambda: _some(*read_series(typed), SettingsError("E-NO-SETTING", missing))
    if kind.first_phase == "corpus":
        others = {each.fingerprint: each.name for each in list_corpora() if each.fingerprint != info.fingerprint}
        chosen = st.multiselect(
            "First phases on", key="studies.first", persist_state="session", placeholder="other corpora", width=250,
            help="Each of these corpora is used once as the first phase; direct training is always included.",
            **named(others),
        )  # fmt: skip
        missing = "Two phases need another corpus for the first one. Choose one, or add one on the page Data."
        return partial(_some, "", tuple(chosen), SettingsError("E-NO-VALUES", missing))
    key, proposed = f"studies.values-{kind.key}", ", ".join(map(written, default_values(kind, info, layers=layers)))
    earlier = st.session_state.get(f"{key}.proposed")
    if st.session_state.get(key, earlier) == earlier:  # else it is the user's own text
        st.session_state[key] = proposed
    st.session_state[f"{key}.proposed"] = proposed
    typed = st.text_input("Values", key=key, persist_state="session", placeholder="0.1, 0.2, 0.5", width=250,
                          help="Numbers or words, separated by commas.")  # fmt: skip
    return lambda: ("", read_values(typed))


def _some(path: str, values: tuple, missing: SettingsError) -> tuple[str, tuple]:
    """Path and values, unless there are none."""
    if not values:
        raise missing
    return path, values


def _advanced(kind: StudyKind) -> tuple[str, list[str]]:
    left, right = st.columns(2)
    with left:
        titles = {recipe.key: recipe.title for recipe in RECIPES if recipe.objective}
        keys = list(titles)
        start = keys.index(kind.recipe) if kind.recipe in keys else 0
        recipe = st.selectbox("Recipe", keys, index=start, format_func=titles.__getitem__,
                              key=f"studies.recipe-{kind.key}", persist_state="session")  # fmt: skip
    with right:
        lines = st.text_area("Settings of all runs", key="studies.settings", height=110, persist_state="session",
                             placeholder="epochs=10\naugmentation.sentences=1",
                             help="One SETTING=VALUE per line; everything else as in the recipe.")  # fmt: skip
    return recipe, [line for line in lines.splitlines() if line.strip()]


def _start(settings: StudySettings | None) -> None:
    """The button, and the estimate from this computer's runs and timings.  None: what is typed is no study yet."""
    row = st.container(horizontal=True, vertical_alignment="center")
    runs = len(cells(settings)) if settings is not None else 0
    label = f"Start {counted(runs, 'run')}" if settings is not None else "Start"
    with row:
        is_pressed = form_button(label, key="studies.start", disabled=settings is None)
    if settings is None:
        time_by_itself(None)
        return
    order = "One after another" if chosen_line() is None else "As many at once as there is room for"
    explained = f"{order}, as ordinary runs. If stopped, restarting resumes it. {' '.join(settings.notes)}"
    row.caption(escaped(explained.strip(), 500))
    if is_pressed:
        study = Study.create_once(settings)
        start_once(RunStudy(study=study.id))
        st.session_state[SHOWN] = study.id
        go_to("studies")
    expected = expected_study(settings)
    if expected is not None:
        st.caption(expected_line(expected))
        if expected.out_of_reach:
            st.warning(f"{expected.out_of_reach}.")
    # without an estimate, a few settings are timed automatically where nothing must be downloaded first
    waiting = [request for request in to_time(settings) if is_here(request.encoder)]
    time_by_itself(waiting[0] if waiting else None)


SERIES = "studies.series"
_PLURAL = {"recipe": "recipes", "encoder": "encoders", "corpus": "corpora"}
_NONE, _OTHER = "none", "another setting"
_CHOICES = (_NONE, "recipe", "encoder", "pooling", "corpus", _OTHER)


def series_fields(kind: StudyKind) -> Read:
    """The picker of what makes the lines, and its fields; none of no series."""
    start = kind.series if kind.series in _CHOICES else _OTHER if kind.series else _NONE
    is_fixed = bool(kind.swept_recipe) or kind.needs_series
    series = st.selectbox(
        "Series", _CHOICES, index=_CHOICES.index(start), key=f"{SERIES}-{kind.key}", disabled=is_fixed,
        persist_state="session", width=150,
        help="A second setting that varies: each of its values is a line in the chart, run with each value and seed.",
    )  # fmt: skip
    if series == _NONE or kind.swept_recipe:
        return lambda: ("", ())
    if series == "recipe":
        titles = {DIRECTLY: "none: the untrained encoder"} if kind.first_phase == "series" else {}
        titles |= recipe_titles()
        chosen = _names(
            "Recipes", titles, kind, "recipes, and own combinations as OBJECTIVE+AUGMENTATION",
            is_new=lambda typed: "+" in typed, other="OBJECTIVE+AUGMENTATION",
        )  # fmt: skip
        return partial(_asked, "recipe", chosen)
    if series == "encoder":
        titles = {card.key: card.title for card in offered_encoders()}
        chosen = _names(
            "Encoders", titles, kind, "encoders from the list, owner/name of the hub, run:ID",
            is_new=is_reference, other="owner/name of the hub, a folder or run:ID",
        )  # fmt: skip
        return partial(_asked, "encoder", chosen)
    if series == CORPUS:
        stored = {each.fingerprint: each.name for each in list_corpora() if each.has_knn}
        corpora = st.multiselect(
            "Corpora", key=f"{SERIES}-corpora-{kind.key}", persist_state="session",
            placeholder="other than the one above",
            help="One line each, and their mean; the corpus above is the first.", **named(stored),
        )  # fmt: skip
        return partial(_asked, CORPUS, tuple(corpora))
    if series == "pooling":
        label = "Read with" if kind.needs_series else "Poolings"
        typed = st.text_input(label, "mean, cls, last", key=f"{SERIES}-poolings-{kind.key}", persist_state="session",
                              help="Separated by commas: mean, cls, last, max or token-N.")  # fmt: skip
        return lambda: _asked("pooling", read_values(typed))
    start = f"{kind.series}={','.join(map(str, kind.series_values))}" if kind.series else ""
    typed = st.text_input("Setting and values of the series", start, key=f"{SERIES}-path-{kind.key}",
                          persist_state="session", placeholder="objective.blocks=1,2,3")  # fmt: skip
    missing = "Under Advanced, give the setting of the series with its values, such as batch_size=32,64."
    return lambda: _some(*read_series(typed), SettingsError("E-NO-SERIES", missing))


def _names(
    label: str, titles: dict[str, str], kind: StudyKind, help: str, *, is_new: Callable[[str], bool], other: str
) -> tuple[str, ...]:
    """Draw the choice of several recipes or encoders. ``other``: what else can be typed, which ``is_new`` accepts"""
    begun = [each for each in kind.series_values if each in titles] if kind.series == label.lower()[:-1] else []
    key = f"{SERIES}-{label}-{kind.key}"
    chosen = several_or_typed(
        label, {each: titles[each] for each in (*begun, *titles)}, begun, key=key, is_new=is_new,
        persist_state="session", placeholder="two or more", help=f"One line each: {help}.",
    )  # fmt: skip
    say_unmatched(key, f"Choose from the {label.lower()} of the list, or type {other}.")
    return tuple(chosen)


def _asked(path: str, values: tuple) -> tuple[str, tuple]:
    missing = f"The series needs values. Choose under Advanced which {_PLURAL.get(path, path)} make the lines."
    return _some(path, values, SettingsError("E-NO-SERIES", missing))
