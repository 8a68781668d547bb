"""What every part of every registry promises: key, title, sentence, settings that are described and survive JSON."""

import json
import random

import numpy as np
import pytest
import torch
from pydantic import BaseModel
from torch import nn
from toy_corpora import over_texts

from embedlab.augmentations import AUGMENTATIONS
from embedlab.augmentations.base import Vocabulary
from embedlab.augmentations.fit import REASONS
from embedlab.baselines import BASELINES
from embedlab.benchmarks import BENCHMARKS
from embedlab.corpora.catalog import CATALOG
from embedlab.diagnostics import DIAGNOSTICS
from embedlab.encoder_catalog.catalog import ENCODERS
from embedlab.errors import UnknownPartError
from embedlab.maps import MAPS
from embedlab.metrics import METRICS
from embedlab.neighbors import neighbor_graph
from embedlab.objectives import OBJECTIVES
from embedlab.postprocessing import POSTPROCESSING
from embedlab.registry import Registry
from embedlab.studies import STUDIES
from embedlab.summaries import SUMMARISERS
from embedlab.tasks import TASKS
from embedlab.training.recipes import RECIPES

REGISTRIES = [
    AUGMENTATIONS,
    BASELINES,
    BENCHMARKS,
    CATALOG,
    DIAGNOSTICS,
    ENCODERS,
    MAPS,
    METRICS,
    OBJECTIVES,
    POSTPROCESSING,
    RECIPES,
    STUDIES,
    SUMMARISERS,
    TASKS,
]
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
    config = config_class(**{name: "x" for name, field in config_class.model_fields.items() if field.is_required()})
    assert config_class.model_validate(json.loads(config.model_dump_json())) == config
    for field in config_class.model_fields.values():
        assert field.description and field.description.strip().endswith("."), field
    with pytest.raises(ValueError, match="no_such_setting"):
        config_class(no_such_setting=1)
    for field in config_class.model_fields:
        with pytest.raises(ValueError, match="frozen"):
            setattr(config, field, getattr(config, field))


COLUMNS = {"titles": ["A title"] * 3, "summaries": [["One.", "Two."]] * 3, "labels": ["a", "a", None]}
COLUMNS |= {"pairs": [["One text.", "Another text."]] * 2 + [None], "scores": [0.9, 1.0, None]}


@pytest.mark.parametrize("part", AUGMENTATIONS, ids=lambda part: part.key)
def test_an_augmentation_is_a_function_of_row_and_generator(part):
    augmentation = over_texts(
        part, [TEXT, f"{TEXT} {TEXT}", ""], **COLUMNS | {"summaries": [["One.", "Two."]] * 2 + [[]]}
    )
    views = [augmentation.views(0, random.Random(3), 1) for _ in range(2)]
    assert views[0] == views[1] and len(views[0]) == 2
    assert all(isinstance(view, str) and view for view in views[0])
    assert augmentation.usable(0) and not augmentation.usable(2) and augmentation.views(2, random.Random(0)) is None
    assert part.needs <= set(REASONS) and part.sentence.endswith(".")
    assert part.needs_of(part.config_class()) >= part.needs


@pytest.mark.parametrize("part", AUGMENTATIONS, ids=lambda part: part.key)
def test_views_that_are_the_same_tokens_need_dropout_and_only_they(part):
    vocabulary = Vocabulary(special=frozenset({0, 1, 2}), mask=2, size=500, longest=64)
    augmentation = over_texts(part, [TEXT, f"{TEXT} {TEXT}"], **COLUMNS)
    words: dict[str, int] = {}
    same = []
    for seed in range(20):
        strings = augmentation.views(0, random.Random(seed), 1)
        tokens = tuple([words.setdefault(word, 10 + len(words)) for word in view.split()] for view in strings)
        found = augmentation.on_tokens(tokens, vocabulary, random.Random(seed))
        assert len(found) == 2 and all(isinstance(token, int) for view in found for token in view)
        same.append(found[0] == found[1])
    assert all(same) if "dropout" in part.needs else not all(same)


class _Linear(nn.Module):
    dim = 6

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, tokens):
        return self.layer(tokens["vectors"])


READ_POOLED = [part for part in OBJECTIVES if "context" not in part.needs]  # the others: tests/training


@pytest.mark.parametrize("part", READ_POOLED, ids=lambda part: part.key)
def test_an_objective_has_a_finite_loss_that_falls_on_one_batch(part):
    torch.manual_seed(0)
    encoder = _Linear()
    objective = part(part.config_class(), encoder)
    views = [{"vectors": torch.randn(12, 6)} for _ in range(3 if "negatives" in part.needs else 2)]
    told = {"targets": torch.rand(12)} if "scores" in part.needs else {}
    optimiser = torch.optim.Adam([*encoder.parameters(), *objective.parameters()], lr=0.05)
    losses = []
    for _ in range(40):
        terms = objective(encoder, views, **told)
        assert all(torch.isfinite(value).all() and value.ndim == 0 for value in terms.values())
        optimiser.zero_grad()
        terms["loss"].backward()
        optimiser.step()
        objective.after_step(encoder)
        losses.append(float(terms["loss"].detach()))
    assert losses[-1] < losses[0] and part.sentence.endswith(".") and part.formula


@pytest.mark.parametrize("part", MAPS, ids=lambda part: part.key)
def test_a_map_gives_every_text_a_finite_place_and_the_same_again(part):
    embeddings = np.random.default_rng(0).normal(size=(40, 5)).astype(np.float32)
    graph = neighbor_graph(embeddings, k=39)
    layouts = [part.lay_out(embeddings, graph, part.config_class()) for _ in range(2)]
    assert layouts[0].coordinates.shape == (40, 2) and np.isfinite(layouts[0].coordinates).all()
    assert (layouts[0].coordinates == layouts[1].coordinates).all() and layouts[0].used.method == part.key


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.key)
def test_a_recipe_names_parts_that_exist(recipe):
    assert recipe.family and bool(recipe.schedule) == bool(recipe.schedule_line)
    assert (recipe.augmentation is None) == (recipe.objective is None)
    if recipe.augmentation is not None:
        assert recipe.augmentation in AUGMENTATIONS and recipe.objective in OBJECTIVES
    assert recipe.needs <= set(REASONS)
