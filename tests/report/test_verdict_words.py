"""The verdict in a page's words: one short line with both distances, decided by the one that is shown."""

import numpy as np
from builders import folds, knn, lines

from embedlab.report.verdict_words import (
    beaten_by_words,
    folds_outcome,
    folds_sentence,
    headline,
    plain_sentence,
    verdict_details,
    verdict_sentence,
)
from embedlab.runs.result import RunResult
from embedlab.statistics.verdict import PairedCorrectness, verdict
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
    return {"knn": knn(*sides, n=N), "judged": judged_by(right)}


def test_the_headline_says_both_distances_without_intervals():
    result = result_with(cosine=40, euclidean=30)
    assert (
        headline(found(result), "cosine")
        == "Helped: kNN accuracy +20.0 points (cosine), +15.0 points (Euclidean distance); clearly below TF-IDF "
        "(−5.0 points)."
    )
    assert headline(found(result), "euclidean").startswith(
        "Helped: kNN accuracy +15.0 points (Euclidean distance), +20.0"
    )


def test_plain_words_by_hand():
    """50 of 200 before, 90 after, 100 by TF-IDF."""
    result = result_with(cosine=40, euclidean=0) | {"references": lines(n=N, tfidf=0.5)}
    assert plain_sentence(found(result), "cosine") == (
        "Neighbors now predict the right label for 45 of 100 texts, up from 25. Word counts alone (TF-IDF): 50."
    )
    assert plain_sentence(found(result), "euclidean").startswith(
        "Neighbors now predict the right label for 50 of the 200 test texts, as before."
    )  # a hundred could hide a small change
    few = result | {"knn": knn((0.5, 0.45, 0.5), (0.5, 0.45, 0.5), n=40), "references": {}}
    assert (
        plain_sentence(found(few)) == "Neighbors now predict the right label for 18 of the 40 test texts, down from 20."
    )
    assert plain_sentence(found({"knn": None})) == ""


def test_words_beat_a_run_only_where_the_whole_interval_says_so():
    assert beaten_by_words(found(result_with(cosine=10, euclidean=0)), "cosine")  # 60 against 100 of 200
    assert not beaten_by_words(found(result_with(cosine=45, euclidean=0)), "cosine")  # 95 against 100


def test_the_headline_says_on_which_side_of_counting_words_it_is():
    """100 of 200 by TF-IDF; 50 and so many more after."""
    for more, said in ((10, "; clearly below TF-IDF (−20.0 points)."), (80, "; clearly above TF-IDF (+15.0 points)."),
                       (50, "; not clearly above or below TF-IDF (0.0 points).")):  # fmt: skip
        assert headline(found(result_with(cosine=more, euclidean=0)), "cosine").endswith(said)


def test_helped_follows_the_distance_shown_and_another_outcome_is_said():
    result = result_with(cosine=40, euclidean=-30)
    by_cosine, by_euclidean = (headline(found(result), distance) for distance in ("cosine", "euclidean"))
    assert by_cosine.startswith("Helped (cosine): kNN accuracy +20.0 points; hurt (Euclidean distance): −15.0 points")
    assert by_euclidean.startswith("Hurt (Euclidean distance): ")
    assert "; helped (cosine): +20.0 points" in by_euclidean
    assert "; no clear change (Euclidean distance): 0.0 points" in headline(
        found(result_with(cosine=40, euclidean=0)), "cosine"
    )


def test_ten_folds_that_come_to_something_else_are_part_of_the_headline():
    unclear = result_with(cosine=2, euclidean=2)
    clear = folds(0.5, 0.52, n=400, change_=(0.02, 0.01, 0.03))
    line = "All 400 labeled texts over ten folds: helped, +2.0 points (cosine)."
    assert folds_outcome(found(unclear | {"folds": clear}), "cosine") == line
    assert folds_outcome(found(result_with(cosine=40, euclidean=30) | {"folds": clear}), "cosine") == "", "helped, too"
    assert folds_outcome(found(unclear), "cosine") == "", "not measured"


def test_the_details_have_both_intervals_the_references_and_all_labelled_texts():
    result = result_with(cosine=40, euclidean=30)
    result["folds"] = folds(0.01, 0.02, n=400, change_=(0.01, -0.01, 0.03), against={"tfidf": (0.0, -0.1, 0.1)})
    change, against, limit, last = verdict_details(found(result), "cosine")
    assert (
        change.startswith("With cosine +20.0 points (95 %: ")
        and "; with Euclidean distance +15.0 points (95 %: " in change
    )
    assert change.count("against the untouched encoder, on 200 test texts") == 1
    assert against.startswith("Against TF-IDF −5.0 points (95 %: ") and "with Euclidean distance" in against
    assert limit.startswith("With 200 test texts, differences under about ")
    each = "1.0 % → 2.0 %, +1.0 points (95 %: −1.0 … 3.0)"
    said = f"kNN accuracy (cosine) {each}; kNN accuracy (Euclidean distance) {each}"
    assert last == f"Over all 400 labeled texts over ten folds: {said}."


def test_the_second_line_has_shares_change_and_references():
    """Of 100 texts 10 are right before and 20 after, of which 10 of the first are none; the same as by SVD."""
    before, after = TEXTS[:100] >= 90, TEXTS[:100] < 20
    right = {
        "euclidean": PairedCorrectness(before, after, {"svd": before}),
        "cosine": PairedCorrectness(np.zeros(100, bool), TEXTS[:100] < 30, {}),
    }
    told = folds_in_numbers(right, 100, trained=True)
    result = RunResult(knn=knn((0.4, 0.6), n=N), folds=told)
    cosine = "kNN accuracy (cosine) 0.0 % → 30.0 %, +30.0 points (95 %: 16.9 … 43.1)"
    euclidean = "kNN accuracy (Euclidean distance) 10.0 % → 20.0 %, +10.0 points (95 %: −5.4 … 25.4)"
    svd = "against TF-IDF → SVD-100 +10.0 points (95 %: −5.4 … 25.4) with Euclidean distance"
    assert folds_sentence(result, "euclidean") == (
        f"Over all 100 labeled texts over ten folds: {euclidean}; {cosine}; {svd}."
    )
    assert folds_sentence(result, "cosine").startswith(
        f"Over all 100 labeled texts over ten folds: {cosine}; {euclidean}"
    )
    untrained = RunResult(knn=knn((0.4, 0.4), n=N), folds=folds_in_numbers(right, 100, trained=False))
    assert folds_sentence(untrained) == "" and folds_sentence(RunResult()) == ""


def test_the_sentence_is_made_of_the_stored_numbers_as_it_was_of_the_texts():
    result = RunResult.model_validate(result_with(cosine=40, euclidean=-30) | {"judged_against": "noise.npy"})
    line = {"tfidf": TEXTS < 100}
    right = {
        "euclidean": PairedCorrectness(TEXTS < 50, TEXTS < 20, line),
        "cosine": PairedCorrectness(TEXTS < 50, TEXTS < 90, line),
    }
    for distance in right:
        assert verdict_sentence(result, distance) == verdict(right, distance, baseline_name="noise.npy").sentence
    assert verdict_sentence(result, "cosine") == (
        "Helped: kNN accuracy with cosine +20.0 points (95 %: 14.1 … 25.5) against noise.npy, on 200 test texts; "
        "with Euclidean distance −15.0 points (95 %: −19.9 … −9.8), hurt; with 200 test texts, differences under about "
        "5.7 points cannot be detected; against TF-IDF −5.0 points (95 %: −8.2 … −1.7) with cosine, −40.0 points "
        "(95 %: −46.5 … −32.7) with Euclidean distance."
    )


def test_without_a_verdict_nothing_is_said():
    assert headline(found({"knn": None})) == "" and verdict_details(found({"knn": None})) == []
