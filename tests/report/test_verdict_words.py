"""The verdict in words: one word by the distance that is shown, from the run's one accuracy, and rows of details."""

import numpy as np
import pytest
from builders import both, folds, judged, knn, lines, shares

from embedlab.comparison.siblings import TextsLeftOut
from embedlab.report.verdict_words import (
    beaten_by_words,
    folds_sentence,
    headline,
    judge_line,
    left_out_sentence,
    outcome_words,
    plain_sentence,
    split_sentence,
    validity_of,
    verdict_details,
    verdict_of,
    verdict_sentence,
)
from embedlab.runs.result import Folds, RunResult
from embedlab.statistics.verdict import OPENINGS, PairedCorrectness, verdict
from embedlab.tasks.fine_tune.results import judged_by
from embedlab.tasks.measure.folds import folds_in_numbers

N = 200
TEXTS = np.arange(N)
found = RunResult.model_validate


def result_with(*, cosine: int, euclidean: int) -> dict:
    """200 test texts, 50 of them right before; so many more (or fewer) after by either distance."""
    sides = ((0.25, 0.25 + more / N) for more in (euclidean, cosine))
    line = {"tfidf": TEXTS < 100}
    right = {
        name: PairedCorrectness(TEXTS < 50, TEXTS < 50 + more, line)
        for name, more in (("cosine", cosine), ("euclidean", euclidean))
    }
    return {"steps": 10, "knn": knn(*sides, n=N), "judged": judged_by(right)}


def by_folds(*, cosine, euclidean, n: int = 400) -> Folds:
    """Ten folds with these changes, each ``(difference, low, high)``."""
    changes = both(judged(euclidean), judged(cosine))
    return Folds(before=shares(0.5, n=n), after=shares(0.5 + euclidean[0], 0.5 + cosine[0], n=n), judged=changes)


HELPED, HURT, UNCLEAR = (0.02, 0.01, 0.03), (-0.02, -0.03, -0.01), (0.01, -0.01, 0.03)


def test_the_headline_has_the_interval_of_the_shown_distance_alone():
    result = found(result_with(cosine=40, euclidean=30))
    assert headline(result, "cosine").startswith("Helped: kNN accuracy +20.0 points (cosine, 95 %: 14.1 … 25.5)")
    assert headline(result, "euclidean").startswith("Helped: kNN accuracy +15.0 points (Euclidean distance, 95 %: ")
    assert "Euclidean" not in headline(result, "cosine")


def test_plain_words_by_hand():
    """50 of 200 before, 90 after, 100 by TF-IDF."""
    result = result_with(cosine=40, euclidean=0) | {"references": lines(n=N, tfidf=0.5)}
    assert plain_sentence(found(result), "cosine") == (
        "Neighbors now predict the right label for 45 of 100 texts, up from 25. Counting words alone (TF-IDF): 50."
    )
    assert plain_sentence(found(result), "euclidean").startswith(
        "Neighbors now predict the right label for 50 of the 200 tested texts, as before."
    )  # a hundred could hide a small change
    few = result | {"knn": knn((0.5, 0.45, 0.5), (0.5, 0.45, 0.5), n=40), "references": {}}
    assert plain_sentence(found(few)) == (
        "Neighbors now predict the right label for 18 of the 40 tested texts, down from 20."
    )
    assert plain_sentence(found({"knn": None})) == ""


def test_plain_words_count_the_texts_of_ten_folds_also_for_tfidf():
    """Of 100 texts 50 before and 60 after; TF-IDF 5 fewer than after. On the test texts TF-IDF has others."""
    tenfold = folds(0.5, 0.6, n=100, change_=(0.1, 0.0, 0.2), against={"tfidf": (0.05, -0.1, 0.2)})
    result = result_with(cosine=40, euclidean=0) | {"references": lines(n=N, tfidf=0.9), "folds": tenfold}
    assert plain_sentence(found(result), "cosine") == (
        "Neighbors now predict the right label for 60 of the 100 tested texts, up from 50. Counting words alone "
        "(TF-IDF): 55."
    )


def test_words_beat_a_run_only_where_the_whole_interval_says_so():
    assert beaten_by_words(found(result_with(cosine=10, euclidean=0)), "cosine")  # 60 against 100 of 200
    assert not beaten_by_words(found(result_with(cosine=45, euclidean=0)), "cosine")  # 95 against 100


def test_the_headline_says_on_which_side_of_counting_words_it_is():
    """100 of 200 by TF-IDF; 50 and so many more after."""
    for more, said in ((10, "; clearly below TF-IDF (−20.0 points)."), (80, "; clearly above TF-IDF (+15.0 points)."),
                       (50, "; not clearly above or below TF-IDF (0.0 points).")):  # fmt: skip
        assert headline(found(result_with(cosine=more, euclidean=0)), "cosine").endswith(said)


@pytest.mark.parametrize(("tenfold", "outcome"), [(HELPED, "helped"), (HURT, "hurt"), (UNCLEAR, "unclear")])
def test_ten_folds_alone_give_the_word_everywhere(tenfold, outcome):
    """The test texts say that it hurt by one distance and helped by the other; neither is heard."""
    facts = result_with(cosine=-40, euclidean=40) | {"folds": by_folds(cosine=tenfold, euclidean=HURT)}
    result, word = found(facts), OPENINGS[outcome]
    said = [
        headline(result, "cosine"), verdict_sentence(result, "cosine"), outcome_words(result, "cosine"),
        *verdict_details(result, "cosine"), folds_sentence(result, "cosine"), split_sentence(result, "cosine"),
        plain_sentence(result, "cosine"),
    ]  # fmt: skip
    assert all(each.startswith(word) for each in said[:3]) and verdict_of(result, "cosine").outcome == outcome
    others = {each.lower() for each in OPENINGS.values()} - {word.lower()}
    assert not [other for other in others if other in " ".join(said).lower()]


def test_the_word_follows_the_distance_shown():
    result = found(result_with(cosine=0, euclidean=0) | {"folds": by_folds(cosine=HELPED, euclidean=HURT)})
    assert outcome_words(result, "cosine") == "Helped" and outcome_words(result, "euclidean") == "Hurt"


def test_with_fewer_than_fifty_texts_there_is_no_other_word():
    for n, word in ((49, "Too few test texts"), (50, "Helped")):
        few = result_with(cosine=0, euclidean=0) | {"folds": by_folds(cosine=HELPED, euclidean=HELPED, n=n)}
        assert outcome_words(found(few)) == word


def test_the_details_have_the_references_the_limit_the_other_distance_and_the_papers_split():
    result = result_with(cosine=40, euclidean=30)
    change = {"change_": (0.01, -0.03, 0.05), "against": {"tfidf": (0.0, -0.1, 0.1)}}
    result["folds"] = folds(0.01, 0.02, n=400, **change).model_copy(update={"untested": 40})
    first, against, limit, other, split, untested = verdict_details(found(result), "cosine")
    assert first == (
        "kNN accuracy (cosine) +1.0 points (95 %: −3.0 … 5.0) against the untouched encoder, over ten folds of 400 "
        "labeled texts."
    )
    assert against == "Against TF-IDF 0.0 points (95 %: −10.0 … 10.0)."
    assert limit == "With 400 texts, differences under about 4.0 points cannot be detected."
    assert other == "kNN accuracy (Euclidean distance) 1.0 % → 2.0 %, +1.0 points (95 %: −3.0 … 5.0)."
    assert split.startswith("On the paper's split, 200 test texts: kNN accuracy (cosine) 25.0 % → 45.0 %, +20.0 points")
    assert "kNN accuracy (Euclidean distance) 25.0 % → 40.0 %" in split and untested.startswith("40 development texts")


def test_the_line_of_ten_folds_has_shares_change_and_references():
    """Of 100 texts 10 are right before and 20 after, of which 10 of the first are none; the same as by SVD."""
    before, after = TEXTS[:100] >= 90, TEXTS[:100] < 20
    right = {
        "euclidean": PairedCorrectness(before, after, {"svd": before}),
        "cosine": PairedCorrectness(np.zeros(100, bool), TEXTS[:100] < 30, {}),
    }
    result = RunResult(knn=knn((0.4, 0.6), n=N), folds=folds_in_numbers(right, trained=True, untested=0))
    cosine = "kNN accuracy (cosine) 0.0 % → 30.0 %, +30.0 points (95 %: 16.9 … 43.1)"
    euclidean = "kNN accuracy (Euclidean distance) 10.0 % → 20.0 %, +10.0 points (95 %: −5.4 … 25.4)"
    svd = "against TF-IDF → SVD-100 +10.0 points (95 %: −5.4 … 25.4)"
    assert folds_sentence(result, "euclidean") == f"Over ten folds of 100 labeled texts: {euclidean}; {cosine}; {svd}."
    assert folds_sentence(result, "cosine") == f"Over ten folds of 100 labeled texts: {cosine}; {euclidean}."
    untrained = RunResult(knn=knn((0.4, 0.4), n=N), folds=folds_in_numbers(right, trained=False, untested=0))
    assert folds_sentence(untrained) == "" and folds_sentence(RunResult()) == ""


def test_the_sentence_is_made_of_the_stored_numbers_as_it_was_of_the_texts():
    result = RunResult.model_validate(result_with(cosine=40, euclidean=-30) | {"judged_against": "noise.npy"})
    line = {"tfidf": TEXTS < 100}
    right = {
        "euclidean": PairedCorrectness(TEXTS < 50, TEXTS < 20, line),
        "cosine": PairedCorrectness(TEXTS < 50, TEXTS < 90, line),
    }
    for distance, of in right.items():
        assert verdict_sentence(result, distance) == verdict(of, distance, baseline_name="noise.npy").sentence
    assert verdict_sentence(result, "cosine") == (
        "Helped: kNN accuracy (cosine) +20.0 points (95 %: 14.1 … 25.5) against noise.npy, on 200 test texts; with 200 "
        "texts, differences under about 5.7 points cannot be detected; against TF-IDF −5.0 points (95 %: −8.2 … −1.7)."
    )


def test_it_says_of_which_texts_it_speaks():
    """New texts are spoken of where these were trained on; a run that left the test texts out has its value there."""
    tenfold = {"folds": by_folds(cosine=HELPED, euclidean=HELPED)}
    facts = result_with(cosine=40, euclidean=30) | tenfold
    assert "new texts" in validity_of(found(facts)) and "new texts" in verdict_sentence(found(facts))
    left_out = validity_of(found(facts | {"trained_on": "train_split"}))
    assert "new texts" not in left_out and "200 test texts" in left_out and "+20.0 points (95 %: 14.1" in left_out
    for other in ({"trained_on": "given pairs"}, {"steps": 0}, {"folds": None}):
        assert validity_of(found(facts | other)) == ""


@pytest.mark.parametrize("is_example", [False, True])
def test_a_run_that_left_the_test_texts_out_is_told_beside(is_example):
    """Of 200 test texts 50 are right before; 70 after without reading them, 90 by the run that read them."""
    read, unread = found(result_with(cosine=40, euclidean=30)), found(result_with(cosine=20, euclidean=10))
    runs = TextsLeftOut(read, unread, is_example)
    sentence, euclidean = left_out_sentence(runs, "cosine"), left_out_sentence(runs, "euclidean")
    assert "200 test texts" in sentence and "25.0 % → 35.0 %, +10.0 points" in sentence and "+20.0 points" in sentence
    assert "25.0 % → 30.0 %, +5.0 points" in euclidean and "+15.0 points" in euclidean
    assert ("this run" in sentence) == (not is_example)
    assert left_out_sentence(TextsLeftOut(read, found({"knn": None}), is_example), "cosine") == ""


def test_a_judging_file_gives_the_word_only_where_kNN_accuracy_gives_none():
    judge = {"metric": "sts", "title": "STS", "set": "pairs", "before": 0.5, "after": 0.4, "difference": -0.1,
             "low": -0.2, "high": -0.05, "n": 100}  # fmt: skip
    assert judge_line(found({"judge": judge})).startswith("Hurt: STS on pairs ")
    assert judge_line(found(result_with(cosine=40, euclidean=30) | {"judge": judge})).startswith("STS on pairs ")


def test_without_a_verdict_nothing_is_said():
    assert headline(found({"knn": None})) == "" and verdict_details(found({"knn": None})) == []
