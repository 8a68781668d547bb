"""A run on a part of the texts: it trains on so many, and is measured like every other run."""

from doing import do, result_of


def test_so_many_texts_are_trained_on_and_all_test_texts_are_measured(tiny):
    few, whole = (result_of(do("train", {**tiny, "train_texts": count})) for count in (32, None))
    assert (few["usable_texts"], few["steps"]) == (32, 4) and whole["usable_texts"] == 120
    assert few["knn"]["test_texts"] == whole["knn"]["test_texts"]
    assert few["knn"]["before"] == whole["knn"]["before"]
    assert few["warnings"][-1]["message"].startswith("Trained on 32 texts drawn by the seed")


def test_of_the_supervised_recipe_it_caps_the_labelled_texts(tiny):
    found = result_of(do("train", {**tiny, "recipe": "supervised", "train_texts": 24}))
    assert found["usable_texts"] <= 24 and found["supervised"]
