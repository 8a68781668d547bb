"""UNSEE's wirings are drawn as the objective works: who is copied, who is projected, where gradient flows."""

from typing import get_args
from xml.etree import ElementTree

import pytest

from embedlab.config import validated
from embedlab.encoders.load import load_encoder
from embedlab.figures.recipe_pictures import wiring_picture
from embedlab.objectives import OBJECTIVES
from embedlab.objectives.wiring import WIRINGS, NonContrastiveConfig

SVG = "{http://www.w3.org/2000/svg}"


def shown(wiring, **settings) -> list[str]:
    config = validated(NonContrastiveConfig, {"wiring": wiring.key, **settings})
    picture = ElementTree.fromstring(wiring_picture(wiring, config.model_dump(), dark=False))
    return [each.text for each in picture.iter(f"{SVG}text")]


def test_each_choice_of_the_setting_has_its_wiring():
    assert tuple(each.key for each in WIRINGS) == get_args(NonContrastiveConfig.model_fields["wiring"].annotation)


@pytest.mark.parametrize("wiring", WIRINGS, ids=lambda each: each.key)
def test_the_boxes_are_what_the_objective_calls(toy_corpus, wiring):
    encoder = load_encoder("token", corpus=toy_corpus, vocabulary_size=300)
    part = OBJECTIVES["byol"]
    objective = part(validated(part.config_class, {"wiring": wiring.key, "blocks": 1, "width": 1}), encoder)
    projected = []
    objective.projector.register_forward_hook(lambda *called: projected.append(called[1][0].requires_grad))
    views = [encoder.collate(encoder.tokenize(toy_corpus.texts[:4])) for _ in range(2)]
    objective(encoder, views)["loss"].backward()
    words = shown(wiring, blocks=1, width=1)
    assert words.count("Projector") == (2 if wiring.projects_target else 1)
    assert ("Target" in words) == (objective.target is not None)
    with_gradient, without = projected.count(True), projected.count(False)
    assert (with_gradient, without) == (2, 2 if words.count("Projector") == 2 and "Target" in words else 0)
    slow = objective.target is not None and [p.grad for p in objective.target.parameters() if p.grad is not None]
    assert not slow and ("Dashed: no gradient." in words[-1]) == (objective.target is not None)


def test_the_chosen_settings_stand_in_the_boxes():
    words = shown(WIRINGS[0], blocks=3, width=10, momentum=0.99)
    assert "3 blocks, 10 × wide inside" in words and "slow copy, momentum 0.99" in words
    assert "1 block, 2 × wide inside" in shown(WIRINGS[2], blocks=1)
