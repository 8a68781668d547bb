"""Several corpora in one study: a line each, never paired with each other, and their mean with its error by hand."""

import pytest

from embedlab.corpora.base import Draft, store_corpus
from embedlab.distance import EUCLIDEAN
from embedlab.errors import CorpusError, SettingsError, UnfitError
from embedlab.figures.studies.curve import study_curve
from embedlab.studies.drawing import averaged, mean_sentence, seen_by
from embedlab.studies.plan import Cell, cells, run_name, settings_of
from embedlab.studies.request import asked_study
from embedlab.studies.summary import summary


@pytest.fixture
def other(store):
    """A second corpus with classes."""
    texts = [f"{name} number {number} of a list." for number in range(20) for name in ("apple", "engine")]
    return store_corpus(Draft(name="lists", source="lists.csv", texts=texts, labels=["fruit", "machine"] * 20))


@pytest.fixture
def two(study_of, put, toy_corpus, other):
    """Two temperatures on two corpora, complete; the toy corpus has 3/4 and 1/2, the other 1/4 and 1/4."""
    study, asked = study_of("temperature", values=(0.05, 0.5), seeds=(0,), series="corpus", series_values=("lists",))
    few = [1, 0, 0, 0, 0, 0, 1, 0]
    for corpus, right in ((toy_corpus, ([1, 1, 1, 0], [1, 1, 0, 0])), (other, (few, few))):
        for value, each in zip((0.05, 0.5), right, strict=True):
            put(study, Cell("value", value, 0, corpus.fingerprint), each, development=0.5)
    return study, asked


def test_each_value_is_run_on_each_corpus_the_study_s_own_first(study_of, toy_corpus, other):
    _, asked = study_of("temperature", values=(0.05,), seeds=(0,), series="corpus", series_values=("lists",))
    own, second = cells(asked)
    assert [settings_of(asked, each).stored["corpus"] for each in (own, second)] == [
        toy_corpus.fingerprint,
        other.fingerprint,
    ]
    assert run_name(asked, second) == "temperature 0.05, lists, seed 0"


def test_the_built_in_corpus_alone_has_its_shorter_crops(toy_corpus, other):
    info = toy_corpus.info.model_copy(update={"source": "docs"})
    asked = asked_study("temperature", info, values=(0.05,), seeds=(0,), series="corpus", series_values=("lists",))
    own, second = (settings_of(asked, cell).stored for cell in cells(asked))
    assert own["epochs"] == 3 and second["epochs"] == 1 and second["augmentation"]["sentences"] == 2
    assert any("toy with: " in note or "toy" in note for note in asked.notes)


def test_what_cannot_be_a_corpus_of_the_series_is_refused(toy_corpus, store):
    store_corpus(Draft(name="plain", source="plain.csv", texts=[f"An entry number {n} of it." for n in range(30)]))
    for values, error, said in ((("gone",), SettingsError, "none called 'gone'"),
                                (("plain",), CorpusError, "lacks two classes")):  # fmt: skip
        with pytest.raises(error, match=said):
            asked_study("temperature", toy_corpus.info, series="corpus", series_values=values)
    with pytest.raises(UnfitError, match="two phases"):
        asked_study("domain-transfer", toy_corpus.info, values=("x",), series="corpus", series_values=("plain",))


def test_the_mean_over_corpora_by_hand(two):
    study, design = two
    seen = seen_by(summary(study), EUCLIDEAN)
    assert design.is_over_corpora and [each.series_name for each in seen.points] == ["toy"] * 2 + ["lists"] * 2
    assert "on 4 to 8 test texts" in summary(study).errors
    assert (
        seen.references == {} and "less" not in summary(study).measured.euclidean.answer
    )  # texts of two corpora are no pairs
    mean = averaged(seen)
    assert [point.height for point in mean.points] == pytest.approx([0.5, 0.375])
    first = mean.points[0]
    own, second = (point.error for point in (seen.points[0], seen.points[2]))
    assert first.error == pytest.approx((own**2 + second**2) ** 0.5 / 2)
    assert first.sd == pytest.approx(0.5 / 2**0.5)  # of 0.75 and 0.25
    figure = study_curve(mean)
    assert list(figure.data[1].y) == pytest.approx([0.5, 0.375])
    assert [said.partition(":")[0] for said in figure.data[0].customdata] == ["toy", "lists", "toy", "lists"]
    assert (
        "2 corpora" in figure.data[1].customdata[0] and "sd of the corpora 35.4 points" in figure.data[1].customdata[0]
    )
    errors = [f"{100 * point.error:.1f}" for point in mean.points]
    assert mean_sentence(seen) == (
        f"Mean of 2 corpora, weighted equally: 0.05 50.0 % ± {errors[0]} (sd over corpora 35.4); "
        f"0.5 37.5 % ± {errors[1]} (sd over corpora 17.7)."
    )


def test_a_value_without_one_of_the_corpora_has_no_mean(study_of, put, toy_corpus, other):
    study, _ = study_of("temperature", values=(0.05,), seeds=(0,), series="corpus", series_values=("lists",))
    put(study, Cell("value", 0.05, 0, toy_corpus.fingerprint), [1, 0], development=0.5)
    seen = seen_by(summary(study), EUCLIDEAN)
    assert averaged(seen).done == [] and mean_sentence(seen) == ""
    assert study_curve(averaged(seen)).layout.meta["alt"].endswith("no run has finished yet.")
