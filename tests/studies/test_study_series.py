"""Several series of one study: each value with each of them, its own line, an answer that compares them by pairs."""

import json

import pytest

from embedlab.config import validated
from embedlab.distance import COSINE, EUCLIDEAN
from embedlab.errors import SettingsError, UnfitError
from embedlab.figures.studies.curve import study_curve
from embedlab.figures.studies.files import study_svg
from embedlab.studies.answers import answer
from embedlab.studies.drawing import seen_by
from embedlab.studies.plan import Cell, cells, run_name, settings_of
from embedlab.studies.points import points_of
from embedlab.studies.request import asked_study, read_series
from embedlab.studies.store import run_of
from embedlab.studies.summary import csv_of, rows_of, summary
from embedlab.training.settings import RunSettings

RECIPES = ("crops", "vicreg+crop")
TITLES = ("Text crops", "VICReg + Text crops")  # as they are read in names, legends, tables and sentences


def test_every_value_is_run_with_every_one_of_the_series_and_seed(study_of):
    _, asked = study_of("learning-rate", values=(0.1, 0.5), seeds=(0, 1), series="recipe", series_values=RECIPES)
    planned = cells(asked)
    assert len(planned) == len({cell.key for cell in planned}) == 2 * 2 * 2
    assert [(cell.value, cell.series, cell.seed) for cell in planned[:3]] == [
        (0.1, "crops", 0), (0.1, "crops", 1), (0.1, "vicreg+crop", 0),
    ]  # fmt: skip
    told = settings_of(asked, planned[2]).stored
    assert (told["recipe"], told["learning_rate"]) == ("vicreg+crop", 0.1)
    assert validated(RunSettings, told).objective.keys() >= {"blocks"}
    assert run_name(asked, planned[2]) == "learning rate 0.1, VICReg + Text crops, seed 0"


def test_a_path_is_a_series_too(study_of):
    _, asked = study_of("temperature", values=(0.05,), seeds=(0,), series="batch_size", series_values=(16, 32))
    assert [settings_of(asked, cell).stored["batch_size"] for cell in cells(asked)] == [16, 32]
    assert run_name(asked, cells(asked)[1]) == "temperature 0.05, batch_size 32, seed 0"
    assert Cell("value", 0.05, 0).key == json.dumps(["value", 0.05, 0])


def test_on_the_built_in_texts_only_recipes_that_cut_have_shorter_crops_and_all_train_as_long(toy_corpus):
    info = toy_corpus.info.model_copy(update={"source": "docs"})
    asked = asked_study("corpus-size", info, series="recipe", series_values=("crops", "vicreg+crop", "simcse"))
    told = {cell.series: settings_of(asked, cell).stored for cell in cells(asked)}
    assert {name: each["epochs"] for name, each in told.items()} == dict.fromkeys(told, 3)
    assert told["vicreg+crop"]["augmentation"]["sentences"] == 1 and told["simcse"]["augmentation"]["sentences"] == 2
    assert asked.notes[-1].endswith(
        "crops, vicreg+crop with: augmentation.sentences 1, augmentation.min_characters 50."
    )


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [
        ({"series": "learning_rate", "series_values": (1,)}, SettingsError, "swept already"),
        ({"series": "seed", "series_values": (1,)}, SettingsError, "sets by other options"),
        ({"series": "recipe"}, SettingsError, "needs values"),
    ],
)
def test_a_series_that_cannot_be_is_refused(study_of, more, error, said):
    with pytest.raises(error, match=said):
        study_of("learning-rate", values=(0.1,), **more)


def test_one_line_of_labels_takes_no_series_and_layers_are_asked_of_every_encoder(study_of):
    with pytest.raises(UnfitError, match="takes no series"):
        study_of("labels-needed", values=(8,), series="recipe", series_values=RECIPES)
    with pytest.raises(UnfitError, match="encoder with layers"):
        study_of("frozen-layers", values=(1,), series="encoder", series_values=("scratch:bert-mini", "token"))


def test_a_series_is_read_as_it_is_written():
    assert read_series("recipe=crops, vicreg+crop") == ("recipe", RECIPES)
    assert read_series("objective.blocks=1,2") == ("objective.blocks", (1, 2)) and read_series("") == ("", ())
    for wrong in ("recipe", "recipe=", "=crops"):
        with pytest.raises(SettingsError, match="A series must be"):
            read_series(wrong)


@pytest.fixture
def two(study_of, put):
    """Two recipes at two learning rates, 1,000 test texts: 600 and 500 right at 0.1, 640 and 300 at 0.5."""
    study, asked = study_of("learning-rate", values=(0.1, 0.5), seeds=(0,), series="recipe", series_values=RECIPES)
    for value, right, other in ((0.1, 600, 500), (0.5, 640, 300)):
        for name, texts, share in (("crops", right, 0.7), ("vicreg+crop", other, 0.2 + value)):
            put(study, Cell("value", value, 0, name), [1] * texts + [0] * (1000 - texts), development=share)
    return study, asked


def test_points_stand_by_series_and_the_best_is_of_all_and_of_each(two):
    study, asked = two
    assert run_of(study, Cell("value", 0.5, 0, "crops")).id != run_of(study, Cell("value", 0.5, 0, "vicreg+crop")).id
    points = points_of(study, asked, EUCLIDEAN)
    assert [(point.series_name, point.name, point.accuracy) for point in points] == [
        (TITLES[0], "0.1", 0.6), (TITLES[0], "0.5", 0.64), (TITLES[1], "0.1", 0.5), (TITLES[1], "0.5", 0.3),
    ]  # fmt: skip
    said = answer(asked, points, None, EUCLIDEAN)
    assert said.startswith("Best by development texts: learning rate 0.1, Text crops (70.0 %")
    assert "0.5, Text crops and 0.5, VICReg + Text crops are not separable" in said
    assert "Of each by development texts: Text crops 0.1 (70.0 %); VICReg + Text crops 0.5 (70.0 %)." in said


def test_where_no_value_is_chosen_series_differ_by_pairs_of_texts(study_of, put):
    """By hand: crops 600 right, the other the first 500 of them: −10 points."""
    study, asked = study_of("corpus-size", values=(60, 120), seeds=(0,), series="recipe", series_values=RECIPES)
    for value in (60, 120):
        for name, texts in (("crops", 600), ("vicreg+crop", 500)):
            put(study, Cell("value", value, 0, name), [1] * texts + [0] * (1000 - texts))
    said = answer(asked, points_of(study, asked, COSINE), None, COSINE)
    assert said.startswith("kNN accuracy (cosine): Text crops 60.0 % ± 1.5 at 60 to 60.0 % ± 1.5 at 120; VICReg")
    assert "At 120, compared with Text crops (cosine): VICReg + Text crops −10.0 points (95 %: −1" in said


def test_table_file_chart_and_sheet_have_a_place_for_each_series(two):
    study, _ = two
    found = summary(study)
    assert (found.design.series, found.design.series_values, found.series_names) == ("recipe", RECIPES, TITLES)
    rows = rows_of(found, COSINE)
    assert [(row["value"], row["series"]) for row in rows[1:3]] == [("0.5", TITLES[0]), ("0.1", TITLES[1])]
    assert csv_of(found, COSINE).decode("utf-8-sig").startswith("value,series,")
    seen = seen_by(found, COSINE)
    figure = study_curve(seen)
    lines = {trace.name: trace for trace in figure.data if trace.name != "one seed"}
    assert list(lines) == list(TITLES) and list(lines[TITLES[0]].y) == [0.6, 0.64]
    assert lines[TITLES[0]].marker.symbol != lines[TITLES[1]].marker.symbol
    assert lines[TITLES[0]].line.color != lines[TITLES[1]].line.color
    named = [each.text for each in figure.layout.annotations]
    assert TITLES[1] in named and any(name.startswith("untouched") for name in named)
    assert "0.5, VICReg + Text crops 30.0 % ± 1.4" in figure.layout.meta["alt"]
    svg = study_svg(seen).decode()
    assert ">VICReg + Text crops<" in svg and "0.5, Text crops: 64.0 % ± 1.5" in svg


def test_words_stand_beside_each_other_with_a_legend_and_another_start_has_no_untouched_line(study_of, put):
    study, _ = study_of(
        "own", setting="pooling", values=("mean", "max"), seeds=(0,), series="recipe", series_values=RECIPES
    )
    for number, value in enumerate(("mean", "max")):
        for name in RECIPES:
            put(study, Cell("value", value, 0, name), [1, 0], before=0.25 + 0.1 * number)
    found = seen_by(summary(study), EUCLIDEAN)
    figure = study_curve(found)
    one, other = (trace for trace in figure.data if trace.name != "one seed")
    assert one.mode == "markers" and list(one.x) == pytest.approx([-0.14, 0.86]) and other.x[0] == -one.x[0]
    assert figure.layout.showlegend and "untouched" not in found.references


def test_encoders_of_a_series_are_named_by_their_titles(study_of, put):
    study, _ = study_of("learning-rate", values=(0.1, 0.5), seeds=(0,), series="encoder",
                        series_values=("token", "scratch:bert-mini", "run:2j8"))  # fmt: skip
    put(study, Cell("value", 0.1, 0, "token"), [1, 0])
    names = ("Token embeddings, from scratch", "BERT mini, random weights", "run:2j8")
    assert summary(study).series_names == names
