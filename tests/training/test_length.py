"""How long encoders that are made of the corpus train: steps by hand, who says how long, and a judge without labels."""

import numpy as np
import pytest
import torch

from embedlab.augmentations.sentence_pairs import SentencePairs, SentencePairsConfig
from embedlab.config import validated
from embedlab.encoders.load import load_encoder
from embedlab.errors import CorpusError
from embedlab.objectives import OBJECTIVES
from embedlab.objectives.infonce import InfoNCEConfig
from embedlab.training.batches import Batches
from embedlab.training.preparation import FittedLength, HeldOutLoss, fitted_length, judge_of, planned_steps
from embedlab.training.settings import RunSettings


def asked(**values) -> RunSettings:
    return validated(RunSettings, {"corpus": "x", "recipe": "sentences", **values})


@pytest.mark.parametrize(("per_epoch", "device", "steps"), [(1, "cpu", 50), (20, "cpu", 200), (90, "cpu", 600)])
def test_steps_by_hand(per_epoch, device, steps):
    length = FittedLength(epochs=10, least=50, most=600, most_on_gpu=800)
    assert length.steps(per_epoch, device) == steps
    assert length.steps(90, "cuda") == 800


def test_encoders_that_are_made_here_begin_fitted_and_others_with_one_epoch():
    for encoder in ("words", "token", "token:minilm", "scratch:bert-mini"):
        settings = asked(encoder=encoder)
        assert settings.schedule == "fitted"
        assert planned_steps(settings, 40) == fitted_length(encoder).steps(40, "cpu")
    assert planned_steps(asked(encoder="minilm"), 40) == planned_steps(asked(encoder="run:abc"), 40) == 40


def test_who_says_how_long_is_followed():
    assert planned_steps(asked(encoder="words", epochs=2), 40) == 80
    assert planned_steps(asked(encoder="words", max_steps=7), 40) == 7
    assert planned_steps(asked(encoder="words", schedule="fitted", max_steps=7), 40) == 7
    assert planned_steps(asked(encoder="token", recipe="simcse", schedule="paper"), 40) == 15_625
    again = validated(RunSettings, asked(encoder="words").model_dump())  # as a worker reads what was stored
    assert again.schedule == "fitted"


def test_word_statistics_have_a_temperature_of_their_own_under_that_of_recipe_and_user():
    assert asked(encoder="words").objective["temperature"] == 0.1
    assert asked(encoder="token").objective["temperature"] == 0.05
    assert asked(encoder="words", objective={"temperature": 0.02}).objective["temperature"] == 0.02
    assert "temperature" not in asked(encoder="words", recipe="mlm").objective


def test_labels_judge_where_there_are_some_else_the_loss_of_texts_set_aside():
    fitted, epochs = asked(encoder="words"), asked(encoder="words", epochs=1)
    assert judge_of(fitted, has_development=True, usable_texts=100) == "knn"
    assert judge_of(fitted, has_development=False, usable_texts=100) == "loss"
    assert judge_of(fitted, has_development=False, usable_texts=20) == "loss"
    assert judge_of(fitted, has_development=False, usable_texts=19) == "knn"
    assert judge_of(epochs, has_development=False, usable_texts=100) == "knn"
    with pytest.raises(CorpusError, match="at least 20 usable texts"):
        judge_of(asked(judged_by="loss"), has_development=True, usable_texts=5)


def test_a_tenth_is_set_aside_and_its_loss_falls_while_the_rest_is_learned(toy_corpus):
    encoder = load_encoder("token", corpus=toy_corpus, vocabulary_size=300, dim=16)
    made = SentencePairs(toy_corpus, toy_corpus.kept.tolist(), SentencePairsConfig())
    batches = Batches(augmentation=made, encoder=encoder, batch_size=32, seed=5)
    before = batches.rows.copy()
    objective = OBJECTIVES["infonce"](InfoNCEConfig(), encoder)
    judge = HeldOutLoss(batches, objective, device="cpu")
    assert len(judge.batch.rows) == 12 and not np.isin(judge.batch.rows, batches.rows).any()
    assert sorted([*judge.batch.rows, *batches.rows]) == sorted(before)
    first = judge.score(encoder)
    assert first == judge.score(encoder) and encoder.training
    views = [encoder.collate(each) for each in judge.batch.views]
    with torch.no_grad():
        assert first == pytest.approx(-float(objective(encoder, views)["loss"]))
    optimiser = torch.optim.SparseAdam([encoder.embedding.weight], lr=0.01)
    for step in range(20):
        optimiser.zero_grad()
        objective(encoder, [encoder.collate(each) for each in batches.at(step).views])["loss"].backward()
        optimiser.step()
    assert judge.score(encoder) > first


def test_random_layers_of_a_fitted_length_have_a_rate_of_their_own_and_others_keep_the_recipe_s():
    assert asked(encoder="scratch:bert-tiny").learning_rate == 0.001
    assert asked(encoder="scratch:bert-tiny", epochs=1).learning_rate is None
    assert asked(encoder="scratch:bert-tiny", learning_rate=0.01).learning_rate == 0.01
    assert asked(encoder="scratch:bert-tiny", recipe="coco-dr").learning_rate is None  # the recipe has one
    assert asked(encoder="scratch:bert-tiny", recipe="simcse", schedule="paper").learning_rate is None
    assert asked(encoder="minilm").learning_rate is asked(encoder="words").learning_rate is None
