"""The verdict in a page's words: one short line with both distances, decided by the one that is shown."""

import numpy as np
from builders import folds, knn, lines

from embedlab.report.verdict_words import beaten_by_words, headline, plainly, verdict_details
from embedlab.runs.result import RunResult
from embedlab.statistics.verdict import Right
from embedlab.tasks.fine_tune.results import judged_by

N = 200
TEXTS = np.arange(N)
found = RunResult.model_validate


def result_with(*, cosine: int, euclidean: int) -> dict:
    """200 test texts, 50 of them right before; so many more (or fewer) after by either distance."""
    sides = ((0.25, 0.25 + more / N) for more in (euclidean, cosine))
    line = {"tfidf": TEXTS < 100}
    right = {
        name: Right(TEXTS < 50, TEXTS < 50 + more, line)
        for name, more in (("cosine", cosine), ("euclidean", euclidean))
    }
    return {"knn": knn(*sides, n=N), "judged": judged_by(right)}


def test_the_headline_says_both_distances_without_intervals():
    result = result_with(cosine=40, euclidean=30)
    assert (
        headline(found(result), "cosine")
        == "Helped: kNN accuracy +20.0 points by cosine, +15.0 points by Euclidean distance; clearly below TF-IDF "
        "(−5.0 points)."
    )
    assert headline(found(result), "euclidean").startswith(
        "Helped: kNN accuracy +15.0 points by Euclidean distance, +20.0"
    )


def test_plain_words_by_hand():
    """50 of 200 before, 90 after, 100 by TF-IDF."""
    result = result_with(cosine=40, euclidean=0) | {"references": lines(n=N, tfidf=0.5)}
    assert plainly(found(result), "cosine") == (
        "Of 100 texts, 45 now get their label from their neighbors; before, 25; counting words, 50."
    )
    assert plainly(found(result), "euclidean").startswith(
        "Of 1,000 texts, 250 now "
    )  # a hundred would hide a small change
    assert plainly(found({"knn": None})) == ""


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
    assert headline(found(result), "cosine").startswith("Helped: ") and headline(found(result), "euclidean").startswith(
        "Hurt: "
    )
    assert "−15.0 points by Euclidean distance (hurt);" in headline(found(result), "cosine")
    assert "0.0 points by Euclidean distance (no clear change)" in headline(
        found(result_with(cosine=40, euclidean=0)), "cosine"
    )


def test_the_details_have_both_intervals_the_references_and_all_labelled_texts():
    result = result_with(cosine=40, euclidean=30)
    said = "By ten folds: kNN accuracy by Euclidean distance 1 % → 2 %; kNN accuracy by cosine 3 % → 4 %"
    result["folds"] = folds(0.01, 0.02, n=400, sentence=f"{said}; against TF-IDF 0.0 points.")
    change, against, limit, last = verdict_details(found(result), "cosine")
    assert (
        change.startswith("By cosine +20.0 points (95 %: ") and "; by Euclidean distance +15.0 points (95 %: " in change
    )
    assert change.count("against the untouched encoder, on 200 test texts") == 1
    assert against.startswith("Against TF-IDF −5.0 points (95 %: ") and "by Euclidean distance" in against
    assert limit.startswith("With 200 test texts only changes above about ")
    assert last == f"{said}."


def test_without_a_verdict_nothing_is_said():
    assert headline(found({"knn": None})) == "" and verdict_details(found({"knn": None})) == []
