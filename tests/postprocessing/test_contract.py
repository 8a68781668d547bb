"""What every post-processing step promises: shape, finite numbers, zero rows, the same again with the same seed."""

import json

import numpy as np
import pytest

from embedlab.config import Config
from embedlab.errors import CorpusError, UnknownPartError
from embedlab.postprocessing import POSTPROCESSING

STEPS = pytest.mark.parametrize("step", POSTPROCESSING, ids=lambda step: step.key)


@pytest.fixture
def embeddings() -> np.ndarray:
    """(60, 7): row 3 is excluded, row 5 zero, row 8 not a number."""
    vectors = np.random.default_rng(0).normal(2.0, 3.0, size=(60, 7)).astype(np.float32)
    vectors[5], vectors[8] = 0.0, np.nan
    return vectors


ROWS = np.delete(np.arange(60), 3)
OUT = [3, 5, 8]


def quick(step, **settings) -> Config:
    """Few epochs where a step has them."""
    return step.config_class(**{"epochs": 2, **settings} if "epochs" in step.config_class.model_fields else settings)


def test_the_keys_are_those_of_the_command_line():
    assert POSTPROCESSING.keys() == ["centre", "whiten", "flow"]
    with pytest.raises(UnknownPartError, match="Choose from: centre, whiten, flow"):
        POSTPROCESSING["whitn"]


@STEPS
def test_a_step_is_described_and_its_settings_survive_json(step):
    assert step.title and step.sentence.endswith(".") and step.formula and step.paper
    config = step.config_class()
    assert step.config_class.model_validate(json.loads(config.model_dump_json())) == config
    assert all(field.description.endswith(".") for field in step.config_class.model_fields.values())


@STEPS
def test_the_shape_stays_and_rows_without_a_vector_are_zero_and_out_of_the_fit(step, embeddings):
    processed = step.fit_transform(embeddings, ROWS, quick(step))
    found = processed.embeddings
    assert found.shape == embeddings.shape and found.dtype == np.float32
    assert (
        np.isfinite(found).all()
        and (found[OUT] == 0).all()
        and (found[np.delete(np.arange(60), OUT)] != 0).any(1).all()
    )
    assert processed.used["texts"] == 57 and processed.used["left_out"] == 2
    alone = step.fit_transform(np.delete(embeddings, OUT, axis=0), np.arange(57), quick(step)).embeddings
    assert (np.delete(found, OUT, axis=0) == alone).all()


@STEPS
def test_the_same_seed_gives_the_same_numbers_and_the_input_stays(step, embeddings):
    before = embeddings.copy()
    first, again = (step.fit_transform(embeddings, ROWS, quick(step)).embeddings for _ in range(2))
    assert (first == again).all() and np.array_equal(embeddings, before, equal_nan=True)
    read_only = embeddings.copy()
    read_only.setflags(write=False)
    assert (step.fit_transform(read_only, ROWS, quick(step)).embeddings == first).all()


@STEPS
def test_normalised_first_the_lengths_of_the_vectors_do_not_matter(step, embeddings):
    lengths = np.random.default_rng(1).uniform(0.1, 10, size=(60, 1)).astype(np.float32)
    config = quick(step, normalise_first=True)
    one, other = (step.fit_transform(v, ROWS, config).embeddings for v in (embeddings, embeddings * lengths))
    np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-3)
    plain = step.fit_transform(embeddings, ROWS, quick(step)).embeddings
    assert not np.allclose(plain, one, rtol=1e-2, atol=1e-2)


@STEPS
def test_what_cannot_be_fitted_is_refused_with_a_sentence(step):
    with pytest.raises(CorpusError, match="at least 2 texts with a non-zero vector, but found 1 among 3") as few:
        step.fit_transform(np.eye(3, 6, dtype=np.float32) * [[1], [0], [0]], np.arange(3), quick(step))
    with pytest.raises(CorpusError, match="all 4 have the same vector") as constant:
        step.fit_transform(np.ones((4, 6), np.float32), np.arange(4), quick(step))
    assert (few.value.code, constant.value.code) == ("E-FEW-TEXTS", "E-CONSTANT")
