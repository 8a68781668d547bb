"""What a study runs: values within what is there, one setting changed, phases and lines in their order."""

import pytest

from embedlab.augmentations.fit import TwoViews
from embedlab.config import flattened, with_settings
from embedlab.corpora.stored.shelf import ClassSize, CorpusInfo
from embedlab.errors import CorpusError, SettingsError, UnfitError
from embedlab.studies import STUDIES
from embedlab.studies.plan import Cell, cells, first_phase_of, laid, run_name, series_of, settings_of, value_name
from embedlab.studies.request import asked_study, default_values, read_seeds, read_values, scale_of
from embedlab.training.settings import RunSettings

FIGURES = {
    "temperature": "S2a", "sentences": "S2b", "masking": "S2c", "learning-rate": "S2d", "frozen-layers": "5a",
    "noise": "Table 5", "deletion-rate": "Table 6", "pooling": "Table 7", "corpus-size": "Figures 3 and 6",
    "labels-needed": "Table 10", "domain-transfer": "Figure 4", "blocks": "UNSEE, Figures 2 to 5",
    "readout": "S2a", "encoders": "Tables 4 and 9", "labels-after": "Figures 2 and 5", "methods-by-size": "Figures 3",
}  # fmt: skip


def info(texts: int = 1000, labelled: int = 1000, source: str = "x") -> CorpusInfo:
    classes = (ClassSize(label="a", texts=labelled // 2), ClassSize(label="b", texts=labelled - labelled // 2))
    return CorpusInfo(
        name="c", fingerprint="f" * 16, source=source, rows=texts, texts=texts, labelled=labelled,
        classes=classes if labelled else (), columns=(), roles={}, unlabeled=None,
        two_views=TwoViews.of(()),
    )  # fmt: skip


def test_every_figure_of_the_papers_is_on_the_menu():
    for key, figure in FIGURES.items():
        assert figure in STUDIES[key].paper, key


@pytest.mark.parametrize("kind", [kind for kind in STUDIES if not kind.is_own], ids=lambda kind: kind.key)
def test_every_value_of_every_kind_is_a_run_that_can_be_asked_for_and_changes_one_setting(kind):
    values = ("1" * 16,) if kind.first_phase == "corpus" else ()
    asked = asked_study(kind.key, info(100_000, 100_000), encoder="scratch:bert-base", layers=12, values=values)
    planned = cells(asked)
    assert len(set(cell.key for cell in planned)) == len(planned)
    of_one = series_of(asked)[-1]
    swept = [cell for cell in planned if cell.part == "value" and (cell.seed, cell.series) == (0, of_one)]
    told = [settings_of(asked, cell, first_run="abcdef").stored for cell in swept]
    assert len(told) == len(asked.values) and not any(each["maps"] for each in told)
    if kind.first_phase not in ("corpus", "value"):
        first, second = (flattened(each) for each in told[:2])
        assert [name for name in first if first[name] != second[name]] == [kind.setting]
    other_seed = settings_of(asked, Cell("value", asked.values[0], 1, of_one), first_run="abcdef").stored
    assert flattened(other_seed) == flattened(settings_of(asked, swept[0], first_run="abcdef").stored) | {"seed": 1}


def test_the_paper_s_values_end_where_the_corpus_or_the_encoder_does():
    assert asked_study("corpus-size", info(1000)).values == (128, 256, 512, 1000)
    assert asked_study("corpus-size", info(1000)).notes[0].startswith("The corpus holds 1,000 texts: 1,024, 2,048")
    assert default_values(STUDIES["corpus-size"], info(1000), layers=0) == (128, 256, 512, 1000)
    for texts in (65_536, 100_000):
        assert asked_study("corpus-size", info(texts)).values[-2:] == (32_768, 65_536)
    assert asked_study("labels-needed", info(1000, 300)).values == (32, 64, 128, 256, 270)  # a tenth is tested
    assert asked_study("labels-needed", info(100_000, 100_000)).values[-2:] == (4096, 8192)
    assert asked_study("frozen-layers", info(), encoder="x", layers=4).values == (0, 1, 2, 3)
    assert asked_study("learning-rate", info(), layers=0).values[-1] == 1.0
    assert asked_study("learning-rate", info(), encoder="x", layers=12).values[0] == 1e-6


def test_values_above_the_corpus_are_brought_down_and_it_is_said():
    asked = asked_study("corpus-size", info(1000), values=(500, 2000, 4000))
    assert asked.values == (500, 1000)
    assert asked.notes == ("The corpus holds 1,000 texts: 2,000, 4,000 became 1,000.",)
    assert asked_study("corpus-size", info(1000), values=(500, 1000)).notes == ()


def test_two_phases_train_elsewhere_first_on_as_many_texts_at_most():
    asked = asked_study("domain-transfer", info(1000), values=("0" * 16,), seeds=(3,))
    assert [(cell.part, cell.value) for cell in cells(asked)] == [
        ("value", "none"), ("first", "0" * 16), ("value", "0" * 16),
    ]  # fmt: skip
    directly, first, second = cells(asked)
    assert settings_of(asked, directly).stored["encoder"] == "token"
    told = settings_of(asked, first).stored
    assert (told["corpus"], told["train_texts"], told["encoder"]) == ("0" * 16, 1000, "token")
    assert told["target"] == settings_of(asked, directly).stored["target"] == "f" * 16
    told = settings_of(asked, second, first_run="abc123").stored
    assert (told["corpus"], told["encoder"]) == ("f" * 16, "run:abc123") and told["train_texts"] is None


def test_labels_needed_sweeps_the_supervised_recipe_against_a_line_without_labels():
    settings = {"augmentation": {"sentences": 1}, "vocabulary_size": 500}
    asked = asked_study("labels-needed", info(1000), seeds=(0,), values=(64,), settings=settings)
    line, swept = cells(asked)
    assert line.part == "line" and settings_of(asked, line) == RunSettings(
        corpus="f" * 16, encoder="token", recipe="crops", seed=0, maps=False, schedule="epochs", live_map=False,
        inside=False, **settings,
    )  # fmt: skip
    told = settings_of(asked, swept).stored
    assert (told["recipe"], told["train_texts"], told["epochs"]) == ("supervised", 64, 10)
    assert told["vocabulary_size"] == 500 and "sentences" not in told["augmentation"]


def test_the_built_in_texts_are_cut_short_where_a_recipe_cuts_and_what_is_asked_wins():
    asked = asked_study("temperature", info(source="docs"), settings={"epochs": 1})
    crops = {"sentences": 1, "min_characters": 50}
    assert asked.settings == {"vocabulary_size": 12_000, "epochs": 1, "augmentation": crops}
    assert "epochs" not in asked.notes[0] and "augmentation.sentences 1" in asked.notes[0]
    assert asked_study("temperature", info(source="/a/file.csv")).settings == {}
    tsdae = asked_study("noise", info(source="docs"), encoder="scratch:bert-tiny", layers=2)
    assert tsdae.settings["augmentation"] == {"deletion_rate": 0.3} and "vocabulary_size" not in tsdae.settings


def test_what_gives_no_point_is_refused_with_what_to_do():
    with pytest.raises(CorpusError, match="Choose a label column"):
        asked_study("temperature", info(labelled=0))
    for largest, there in ((9, "only 'a' has as many"), (1, "no class has as many")):
        classes = tuple(ClassSize(label=label, texts=texts) for label, texts in (("a", largest), ("b", 1)))
        with pytest.raises(CorpusError, match=f"two classes of at least two texts, but in 'c' {there}"):
            asked_study("temperature", info().model_copy(update={"classes": classes}))
    with pytest.raises(UnfitError, match="needs an encoder with layers"):
        asked_study("frozen-layers", info(), layers=0)
    with pytest.raises(SettingsError, match="needs the path"):
        asked_study("own", info(), values=(1,))
    with pytest.raises(SettingsError, match="needs values"):
        asked_study("own", info(), setting="batch_size")
    with pytest.raises(SettingsError, match="whole numbers"):
        read_seeds("a,b")


def test_a_setting_of_one_s_own_is_swept_by_its_path():
    asked = asked_study("own", info(), setting="augmentation.min_characters", values=(50, 100), seeds=(0,))
    told = [settings_of(asked, cell).stored for cell in cells(asked)]
    assert [each["augmentation"]["min_characters"] for each in told] == [50, 100]
    assert run_name(asked, cells(asked)[0]) == "augmentation.min_characters 50, seed 0"


def test_typed_values_and_settings_are_read_as_numbers_words_and_paths():
    assert read_values("0.005, 0.05,5; mean ,none") == (0.005, 0.05, 5, "mean", None)
    assert with_settings({}, ["a.b=1", "a.c=x", "d=true"]) == {"a": {"b": 1, "c": "x"}, "d": True}
    with pytest.raises(SettingsError, match="SETTING=VALUE"):
        with_settings({}, ["epochs"])
    assert laid({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}, "d": 4}) == {"a": {"b": 3, "c": 2}, "d": 4}


def test_values_are_named_as_a_person_reads_them_and_lie_on_a_fitting_axis():
    names = [value_name(value, {"ff": "docs"}) for value in (65536, 0.05, 1e-6, "ff", None, True)]
    assert names == ["65,536", "0.05", "1e-06", "docs", "automatic", "yes"]
    own = STUDIES["own"]
    assert [scale_of(own, values) for values in ((1, 2), (1, 64), ("a", 1), (0, 64))] == [
        "linear", "log", "category", "linear",
    ]  # fmt: skip
    assert scale_of(STUDIES["temperature"], (0.05, 0.5)) == "log"
    assert scale_of(STUDIES["temperature"], (0, 0.5)) == "linear"  # zero has no place on a logarithmic axis


def test_each_recipe_trains_once_for_all_numbers_of_labels_and_the_supervised_one_goes_on():
    asked = asked_study("labels-after", info(1000), values=(32, 64), seeds=(0,))
    planned = cells(asked)
    assert [(cell.part, cell.value, cell.series) for cell in planned] == [
        ("value", 32, "none"), ("first", None, "crops"), ("value", 32, "crops"), ("value", 64, "none"),
        ("value", 64, "crops"),
    ]  # fmt: skip
    assert first_phase_of(asked, planned[4]) == planned[1] and first_phase_of(asked, planned[3]) is None
    first, second = settings_of(asked, planned[1]).stored, settings_of(asked, planned[2], first_run="abc").stored
    assert (first["recipe"], first["encoder"]) == ("crops", "token") and first["train_texts"] is None
    assert (second["recipe"], second["encoder"], second["train_texts"]) == ("supervised", "run:abc", 32)
    directly = settings_of(asked, planned[0]).stored
    assert (directly["recipe"], directly["encoder"]) == ("supervised", "token")
    assert run_name(asked, planned[1]) == "Labels after pre-training, Text crops alone, seed 0"
    with pytest.raises(SettingsError, match="has the series recipe"):
        asked_study("labels-after", info(1000), series="pooling", series_values=("mean",))


def test_what_one_pooling_trained_is_read_by_each_without_training_again():
    asked = asked_study("readout", info(1000), encoder="minilm", layers=6, seeds=(0,))
    planned = cells(asked)
    assert len(planned) == 3 + 9 and sum(cell.part == "first" for cell in planned) == 3
    second = settings_of(asked, planned[2], first_run="abc").stored
    assert (planned[2].value, planned[2].series) == ("mean", "cls")
    assert (second["recipe"], second["encoder"], second["pooling"]) == ("untouched", "run:abc", "cls")
    first = settings_of(asked, first_phase_of(asked, planned[2])).stored
    assert (first["recipe"], first["encoder"], first["pooling"]) == ("crops", "minilm", "mean")
    assert run_name(asked, planned[2]) == "pooling mean, read with cls, seed 0"


def test_a_kind_starts_with_its_series_and_who_names_a_recipe_has_that_one_alone():
    assert asked_study("blocks", info(), encoder="minilm", layers=6).series_values[0] == "barlow-twins"
    assert asked_study("blocks", info(), encoder="minilm", layers=6, recipe="byol").series == ""
    assert asked_study("methods-by-size", info()).series == "recipe"
