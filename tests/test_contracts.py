"""What every part of every registry promises: key, title, sentence, settings that are described and survive JSON."""

import json
import random

import numpy as np
import pytest
import torch
from pydantic import BaseModel
from torch import nn

from embedlab.augmentations import AUGMENTATIONS
from embedlab.corpora import CATALOG, SOURCES
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.encoders.catalog import ENCODERS
from embedlab.errors import UnknownPartError
from embedlab.maps import MAPS
from embedlab.metrics import METRICS
from embedlab.metrics.split import paper_split
from embedlab.neighbors import neighbor_graph
from embedlab.objectives import OBJECTIVES
from embedlab.registry import Registry
from embedlab.tasks import TASKS
from embedlab.training.fit import REASONS
from embedlab.training.recipes import RECIPES

REGISTRIES = [AUGMENTATIONS, CATALOG, DIAGNOSTICS, ENCODERS, MAPS, METRICS, OBJECTIVES, RECIPES, SOURCES, TASKS]
CONFIGS = {
    f"{registry.kind}: {part.key}": part.config_class
    for registry in REGISTRIES
    for part in registry
    if getattr(part, "config_class", None) is not None
}
TEXT = ". ".join(letter * 120 for letter in "abcdef") + "."


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.kind)
def test_parts_are_named_and_a_wrong_name_lists_them(registry: Registry):
    for part in registry:
        assert part.key == part.key.lower() and part.title and registry[part.key] is part
    with pytest.raises(UnknownPartError) as found:
        registry["no such part"]
    assert all(key in found.value.message for key in registry.keys())


@pytest.mark.parametrize("name", CONFIGS)
def test_settings_are_described_frozen_and_survive_json(name):
    config_class: type[BaseModel] = CONFIGS[name]
    config = config_class()
    assert config_class.model_validate(json.loads(config.model_dump_json())) == config
    for field in config_class.model_fields.values():
        assert field.description and field.description.strip().endswith("."), field
    with pytest.raises(ValueError, match="no_such_setting"):
        config_class(no_such_setting=1)
    for field in config_class.model_fields:
        with pytest.raises(ValueError, match="frozen"):
            setattr(config, field, getattr(config, field))


@pytest.mark.parametrize("part", AUGMENTATIONS, ids=lambda part: part.key)
def test_an_augmentation_is_a_function_of_text_and_generator(part):
    augmentation = part()
    views = [augmentation.views(TEXT, random.Random(3)) for _ in range(2)]
    assert views[0] == views[1] and len(views[0]) == 2
    assert all(isinstance(view, str) and view for view in views[0])
    assert (
        augmentation.usable(TEXT) and not augmentation.usable("") and augmentation.views("", random.Random(0)) is None
    )
    assert part.needs <= set(REASONS) and part.sentence.endswith(".")
    same = views[0][0] == views[0][1]
    assert same == ("dropout" in part.needs), "identical views need dropout, and only they do"


class _Linear(nn.Module):
    dim = 6

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, tokens):
        return self.layer(tokens["vectors"])


@pytest.mark.parametrize("part", OBJECTIVES, ids=lambda part: part.key)
def test_an_objective_has_a_finite_loss_that_falls_on_one_batch(part):
    torch.manual_seed(0)
    encoder = _Linear()
    objective = part(part.config_class(), encoder)
    views = [{"vectors": torch.randn(12, 6)} for _ in range(2)]
    optimiser = torch.optim.Adam([*encoder.parameters(), *objective.parameters()], lr=0.05)
    losses = []
    for _ in range(40):
        terms = objective(encoder, views)
        assert all(torch.isfinite(value).all() and value.ndim == 0 for value in terms.values())
        optimiser.zero_grad()
        terms["loss"].backward()
        optimiser.step()
        objective.after_step(encoder)
        losses.append(float(terms["loss"].detach()))
    assert losses[-1] < losses[0] and part.sentence.endswith(".") and part.formula


@pytest.mark.parametrize("part", METRICS, ids=lambda part: part.key)
def test_a_metric_is_perfect_on_separate_classes_and_lies_in_its_range(part):
    labels = np.array(["a", "b"] * 60, dtype=object)
    centres = np.where(labels == "a", 5.0, -5.0)[:, None]
    embeddings = (centres + np.random.default_rng(0).normal(size=(120, 4))).astype(np.float32)
    texts = [f"text {number}" for number in range(120)]
    found = part.measure(embeddings=embeddings, labels=labels, split=paper_split(texts, labels), texts=texts)
    low, high = part.range
    assert low <= found["value"] <= high and found["value"] == 1.0
    assert found["test_texts"] == 12 and found["standard_error"] == 0.0 and found["protocol"] == "paper"


@pytest.mark.parametrize("part", MAPS, ids=lambda part: part.key)
def test_a_map_gives_every_text_a_finite_place_and_the_same_again(part):
    embeddings = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
    graph = neighbor_graph(embeddings, k=39)
    layouts = [part.lay_out(embeddings, graph, part.config_class()) for _ in range(2)]
    assert layouts[0].coordinates.shape == (40, 2) and np.isfinite(layouts[0].coordinates).all()
    assert (layouts[0].coordinates == layouts[1].coordinates).all() and layouts[0].used["method"] == part.key


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.key)
def test_a_recipe_names_parts_that_exist(recipe):
    assert (recipe.augmentation is None) == (recipe.objective is None)
    if recipe.augmentation is not None:
        assert recipe.augmentation in AUGMENTATIONS and recipe.objective in OBJECTIVES
    assert recipe.needs <= set(REASONS)
