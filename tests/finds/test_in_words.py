"""How a Find writes titles and numbers: encoders and recipes by theirs, accuracies in percent, correlations as is."""

import csv
import io

import pytest

from embedlab.finds.in_words import change_line, untouched_title, value_line
from embedlab.finds.leaderboard import csv_of
from embedlab.finds.lines import find_lines, verdict_sentence
from embedlab.finds.methods import methods_of_find
from embedlab.finds.model import KNN_ACCURACY, Candidate, CandidateState, FindResults, FindSettings, RungResult
from embedlab.finds.sampler import TrainingWay
from embedlab.measurement import ByDistance, Change, Measurement
from embedlab.metrics.knn import KNN

STS = "STS Spearman"
VALUE = Measurement(value=0.7404, error=0.0123, n=400)
CHANGE = Change(difference=-0.0061, low=-0.0242, high=0.0121)


def test_the_metric_of_labels_is_the_one_that_is_written_in_percent():
    assert KNN.title == KNN_ACCURACY


@pytest.mark.parametrize(
    ("metric", "value", "change"),
    [
        (KNN_ACCURACY, "74.0 % ± 1.2", "−0.6 points (95 %: −2.4 … 1.2)"),
        (STS, "0.740 ± 0.012", "−0.006 (95 %: −0.024 … 0.012)"),
    ],
)
def test_every_place_writes_the_same_numbers(metric, value, change):
    assert value_line(metric, VALUE) == value and change_line(metric, CHANGE) == change
    both = {"compared": 3, "metric": metric, "beats_counting": False, "visible": 0.0182}
    said = verdict_sentence(ByDistance(VALUE, VALUE), {"tfidf": ByDistance(CHANGE, CHANGE)}, **both)
    assert f"{value}, {change} against TF-IDF" in said and ("%" in said.split("against TF-IDF")[1]) is False
    assert ("under about 1.8 points" if metric == KNN_ACCURACY else "under about 0.018") in said
    point = RungResult(rung=0, steps=0, seconds=1.0, value=ByDistance(VALUE, VALUE))
    one = Candidate(key="u0", kind="untouched", title="words as it is", state=CandidateState.FINISHED, points=(point,))
    found = FindResults(candidates=(one,), metric=metric)
    assert find_lines(found, "cosine")[0].strip().startswith(value)
    head, row = csv.reader(io.StringIO(csv_of(found).decode("utf-8-sig")))
    named = "development (%), cosine" if metric == KNN_ACCURACY else "development, cosine"
    assert float(row[head.index(named)]) == pytest.approx(74.04 if metric == KNN_ACCURACY else 0.7404)


@pytest.mark.parametrize(
    ("encoder", "title"),
    [
        ("words", "Words of the corpus, untouched"),
        ("minilm", "MiniLM (packaged), untouched"),
        ("hf:owner/name", "owner/name, untouched"),
    ],
)
def test_an_encoder_as_it_is_has_its_title(encoder, title):
    assert untouched_title(encoder) == title


@pytest.mark.parametrize(
    ("way", "title"),
    [
        (TrainingWay("words", "sentences", "sentence"), "Sentence against sentence on Words of the corpus"),
        (TrainingWay("minilm", "sentences", "rest"), "Sentence against the rest on MiniLM (packaged)"),
        (TrainingWay("minilm", "crops"), "Text crops on MiniLM (packaged)"),
        (TrainingWay("hf:owner/name", "simcse"), "SimCSE on owner/name"),
    ],
)
def test_a_training_has_the_titles_of_its_recipe_and_its_encoder(way, title):
    assert way.title == title


def test_methods_count_the_trainings_of_each_rung_and_leave_out_what_goes_on_from_another(toy_corpus):
    def trained(rung: int, branch_of: str = "") -> Candidate:
        key, settings = f"t{rung}{branch_of}", {"length": 2.0} if branch_of else {}
        point = RungResult(rung=rung, steps=rung + 1, seconds=1.0, value=ByDistance(VALUE, VALUE))
        facts = {"recipe": "sentences", "settings": settings, "branch_of": branch_of, "points": (point,)}
        return Candidate(key=key, kind="trained", title=key, encoder="words", rung=rung, **facts)

    trainings = (trained(0), trained(1), trained(2), trained(2, "t1"))
    found = FindResults(candidates=trainings, chosen="t2", development_texts=400)
    text = methods_of_find(FindSettings(corpus=toy_corpus.fingerprint), found).text
    assert "3 trainings started" in text and "(3, 2, 1 in the rungs)" in text
    assert "also trained 2 times as long" in text
