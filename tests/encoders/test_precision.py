"""bf16 is taken where the device has it and no vector changes visibly; the run says what was decided."""

import numpy as np
import pytest
import torch

from embedlab.device import Device
from embedlab.encoders.embed import LEAST_COSINE, TRIED_TEXTS, precision_of_embedding

WITH, WITHOUT = Device("cpu", "2 cores, bf16", True), Device("cpu", "2 cores", False)


def test_what_is_asked_is_taken_untried(tiny_bert, sentences):
    for asked in ("fp32", "bf16"):
        found = precision_of_embedding(asked, tiny_bert(), sentences, WITHOUT)
        assert (found.name, found.least_cosine) == (asked, None)


def test_only_layers_on_a_device_with_bf16_are_tried(tiny_bert, token_layer, sentences):
    for encoder, device in ((tiny_bert(), WITHOUT), (token_layer, WITH)):
        assert precision_of_embedding("auto", encoder, sentences, device).name == "fp32"
    assert precision_of_embedding("auto", tiny_bert(), [], WITH).name == "fp32"


def test_the_least_cosine_decides(tiny_bert, sentences, monkeypatch):
    angles = {"fp32": 0.0, "bf16": 0.0}
    asked = []

    def turned(encoder, texts, *, device, precision):
        asked.append(texts)
        vectors = np.tile([1.0, 0.0], (len(texts), 1))
        vectors[0] = np.cos(angles[precision]), np.sin(angles[precision])
        return vectors

    monkeypatch.setattr("embedlab.encoders.embed.embed", turned)
    for angle, expected in ((0.014, "bf16"), (0.015, "fp32")):  # cosines 0.999902 and 0.999888
        angles["bf16"] = angle
        found = precision_of_embedding("auto", tiny_bert(), sentences * 20, WITH)
        assert found.name == expected and found.least_cosine == pytest.approx(np.cos(angle))
    assert all(len(texts) == TRIED_TEXTS for texts in asked)


def test_bf16_of_a_real_forward_pass_is_near(tiny_bert, sentences):
    found = precision_of_embedding("auto", tiny_bert(), sentences, WITH)
    assert 0.99 < found.least_cosine < 1 and (found.name == "bf16") == (found.least_cosine >= LEAST_COSINE)


def test_numbers_that_are_none_keep_fp32(tiny_bert, sentences):
    broken = tiny_bert()
    with torch.no_grad():
        next(broken.model.parameters()).fill_(float("nan"))
    assert precision_of_embedding("auto", broken, sentences, WITH).name == "fp32"
