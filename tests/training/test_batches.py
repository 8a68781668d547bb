"""Order and crops are a pure function of seed, epoch and text; settings are completed, checked and explained."""

import inspect
import threading

import numpy as np
import pytest
import torch
from patience import until

from embedlab.augmentations.crop import Crop, Identity, IdentityConfig
from embedlab.augmentations.fit import require_fit
from embedlab.augmentations.pairs_of_rows import SameClass
from embedlab.config import validated
from embedlab.encoders.load import load_encoder
from embedlab.errors import SettingsError, UnfitError, UnknownPartError
from embedlab.objectives import OBJECTIVES
from embedlab.prompts import Prompts, PromptSettings
from embedlab.training.batches import AHEAD, Batches, numbered
from embedlab.training.loop import train
from embedlab.training.preparation import planned_steps
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings


@pytest.fixture
def batches(toy_corpus) -> Batches:
    encoder = load_encoder("token", corpus=toy_corpus, vocabulary_size=300, dim=16)
    augmentation = Crop(toy_corpus, toy_corpus.kept.tolist())
    return Batches(augmentation=augmentation, encoder=encoder, batch_size=32, seed=5)


def test_a_batch_is_the_same_whenever_it_is_asked_for(batches):
    later = batches.at(6)
    for step in range(9):
        batches.at(step)
    assert batches.at(6).views == later.views and (batches.at(6).rows == later.rows).all()


def test_no_string_is_tokenized_twice_over_several_epochs_and_the_batches_are_the_same(batches, monkeypatch):
    last, read, tokenize = 3 * batches.per_epoch, [], batches.encoder.tokenize
    alone = [batches.at(step).views for step in range(last)]
    monkeypatch.setattr(
        batches.encoder, "tokenize", lambda strings, *of, **role: read.extend(strings) or tokenize(strings, *of, **role)
    )
    assert [batch.views for batch in batches.ahead(first=0, last=last)] == alone
    assert len(read) == len(set(read)) < sum(len(view) for views in alone for view in views)


def test_an_epoch_shows_every_usable_text_once_and_the_next_in_another_order(batches):
    first = np.concatenate([batches.at(step).rows for step in range(batches.per_epoch)])
    second = np.concatenate([batches.at(step + batches.per_epoch).rows for step in range(batches.per_epoch)])
    assert sorted(first) == sorted(second) == sorted(batches.rows) and list(first) != list(second)


def test_batches_made_ahead_are_those_asked_for(batches):
    ahead = list(batches.ahead(first=2, last=7))
    assert [batch.step for batch in ahead] == [2, 3, 4, 5, 6]
    assert all(batch.views == batches.at(batch.step).views for batch in ahead)


def test_a_batch_of_same_class_pairs_knows_the_classes_of_its_texts_and_no_other_does(batches, toy_corpus):
    pairs = SameClass(toy_corpus, toy_corpus.kept.tolist())
    found = Batches(augmentation=pairs, encoder=batches.encoder, batch_size=32, seed=5).at(1)
    labels = np.array([toy_corpus.labels[row] for row in found.rows])
    assert ((found.groups[:, None] == found.groups[None]) == (labels[:, None] == labels[None])).all()
    assert batches.at(1).groups is None


def test_the_unknown_token_of_an_encoder_is_an_ordinary_one_and_what_frames_a_text_is_not(batches):
    token_id = batches.encoder.tokenizer.token_to_id
    assert batches.vocabulary.unknown == token_id("[UNK]") is not None
    assert batches.vocabulary.special == {token_id(token) for token in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")}


def test_a_text_without_a_group_is_alone():
    assert numbered(["a", None, "b", "a", None]).tolist() == [0, 1, 2, 0, 3]
    assert numbered([None, None]) is None


def test_the_loop_hands_classes_to_the_objective_where_there_are_some(batches, toy_corpus):
    class Watching(torch.nn.Module):
        def forward(self, encoder, views, groups=None):
            seen.append(groups)
            return {"loss": encoder(views[0]).square().mean()}

        def after_step(self, encoder):
            """Nothing is carried."""

    seen, settings = [], validated(RunSettings, {"corpus": "x", "recipe": "supervised"})
    pairs = SameClass(toy_corpus, toy_corpus.kept.tolist())
    by_class = Batches(augmentation=pairs, encoder=batches.encoder, batch_size=32, seed=5)
    for each in (by_class, batches):
        encoder, objective = each.encoder, settings.make_objective(each.encoder)
        optimiser = settings.make_optimiser(encoder, objective, per_epoch=9, steps=1)
        asked = {"optimiser": optimiser, "batches": each, "first": 0, "last": 1, "device": "cpu", "precision": "fp32"}
        list(train(encoder=encoder, objective=Watching(), **asked))
    assert seen[0].tolist() == by_class.at(0).groups.tolist() and seen[1] is None


@pytest.mark.parametrize("recipe", [each for each in RECIPES if each.is_supervised], ids=lambda recipe: recipe.key)
def test_an_objective_that_is_given_same_class_pairs_takes_their_classes(recipe, toy_corpus):
    settings = validated(RunSettings, {"corpus": "x", "recipe": recipe.key})
    assert settings.make_augmentation(toy_corpus, toy_corpus.kept.tolist()).group(int(toy_corpus.kept[0])) is not None
    assert "groups" in inspect.signature(OBJECTIVES[recipe.objective].forward).parameters


@pytest.mark.parametrize(("last", "broken"), [(1000, None), (AHEAD + 1, None), (1000, AHEAD + 1)])
def test_leaving_early_ends_the_thread_which_waits_with_a_batch_with_the_end_or_with_an_error(
    batches, last, broken, monkeypatch
):
    whole = batches.at
    monkeypatch.setattr(batches, "at", lambda step: None / 0 if step == broken else whole(step))
    making = batches.ahead(first=0, last=last)
    next(making)
    until(making.gi_frame.f_locals["ready"].full)
    leaving = threading.Thread(target=making.close, daemon=True)
    leaving.start()
    leaving.join(30)
    assert not leaving.is_alive() and not [thread for thread in threading.enumerate() if thread.name == "batches"]


def test_an_error_while_preparing_reaches_the_loop(batches):
    batches.augmentation.corpus = None
    with pytest.raises(AttributeError):
        next(batches.ahead(first=0, last=2))


def test_settings_are_completed_from_the_recipe_and_survive_json():
    settings = validated(RunSettings, {"corpus": "x", "recipe": "crops", "objective": {"temperature": 0.1}})
    assert settings.objective == {"temperature": 0.1, "form": "one way", "head": "none", "same_class": "masked"}
    assert settings.augmentation["sentences"] == 2
    assert validated(RunSettings, settings.model_dump(mode="json")) == settings


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        ({"objective": {"temprature": 0.1}}, "E-SETTING", "temprature"),
        ({"objective": {"temperature": -1}}, "E-SETTING", "objective.temperature"),
        ({"batch_size": 1}, "E-SETTING", "batch_size"),
        ({"epoch": 1}, "E-SETTING", "epochs"),
        ({"recipe": "crop"}, "E-UNKNOWN-RECIPE", "Did you mean 'crops'"),
    ],
)
def test_a_wrong_setting_is_named_with_its_choices(values, code, said):
    with pytest.raises((SettingsError, UnknownPartError)) as found:
        validated(RunSettings, {"corpus": "x", **values})
    assert found.value.code == code and said in found.value.message


def test_dropout_pairs_do_not_fit_an_encoder_without_dropout():
    with pytest.raises(UnfitError, match="identical"):
        require_fit("Dropout pairs", RECIPES["dropout"].needs, frozenset())
    require_fit("Dropout pairs", RECIPES["dropout"].needs, frozenset({"dropout"}))
    require_fit("Text crops", RECIPES["crops"].needs, frozenset())


def test_settings_can_change_what_a_recipe_needs():
    same = validated(RunSettings, {"corpus": "x", "recipe": "semcse", "augmentation": {"positives": "same input"}})
    assert same.needs == {"summaries", "dropout"} and RECIPES["semcse"].needs == {"summaries"}


def test_views_are_read_to_the_training_length_and_no_further(toy_corpus):
    encoder = load_encoder("token", corpus=toy_corpus, vocabulary_size=300, dim=16)
    whole = Identity(toy_corpus, toy_corpus.kept.tolist(), IdentityConfig(unit="text"))
    short = Batches(augmentation=whole, encoder=encoder, batch_size=32, seed=5, max_length=12)
    assert {len(tokens) for view in short.at(0).views for tokens in view} == {12}
    assert short.vocabulary.longest == 12


def test_the_papers_own_schedule_lies_between_the_recipe_and_what_is_asked():
    paper = validated(RunSettings, {"corpus": "x", "recipe": "tsdae", "schedule": "paper"})
    assert (paper.max_steps, paper.epochs, paper.batch_size) == (100_000, None, 8)
    assert planned_steps(paper, per_epoch=17) == 100_000
    shorter = validated(RunSettings, {"corpus": "x", "recipe": "tsdae", "schedule": "paper", "max_steps": 50})
    assert shorter.max_steps == 50
    plain = validated(RunSettings, {"corpus": "x", "recipe": "tsdae", "encoder": "minilm"})
    assert (plain.epochs, plain.max_steps) == (1, None) and planned_steps(plain, per_epoch=17) == 17
    with pytest.raises(SettingsError, match="trains one epoch"):
        validated(RunSettings, {"corpus": "x", "recipe": "coco-dr", "schedule": "paper"})
    with pytest.raises(SettingsError, match="max_steps"):
        validated(RunSettings, {"corpus": "x", "epochs": None})


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.key)
def test_every_recipe_has_a_card_and_settings_that_validate(recipe):
    assert recipe.title and recipe.sentence.endswith(".") and recipe.paper and recipe.when
    validated(RunSettings, {"corpus": "x", "recipe": recipe.key})


def test_every_setting_has_a_sentence():
    for name, field in RunSettings.model_fields.items():
        assert field.description and field.description.endswith("."), name


@pytest.mark.parametrize(
    ("views", "before"),
    [
        ("own", ("passage: ", "passage: ")),
        ("none", ("", "")),
        ("document", ("passage: ", "passage: ")),
        ("query-document", ("query: ", "passage: ")),
    ],
)
def test_the_views_of_a_pair_are_read_with_the_prompts_of_their_roles(toy_corpus, views, before):
    encoder = load_encoder("token", corpus=toy_corpus, vocabulary_size=300, dim=16)
    augmentation = Crop(toy_corpus, toy_corpus.kept.tolist())
    make = dict(augmentation=augmentation, batch_size=8, seed=5)
    plain = [Batches(encoder=encoder, **make).at(0).views[side] for side in (0, 1)]
    encoder.prompts = Prompts(by_name={"query": "query: ", "passage": "passage: "})
    prompted = Batches(encoder=encoder, prompts=PromptSettings(views=views), **make).at(0).views
    for side, prompt in enumerate(before):
        (ids,) = encoder.tokenize([prompt], role="none")
        assert prompted[side] == [ids + tokens for tokens in plain[side]]


def test_given_pairs_are_a_query_and_its_documents_and_one_text_twice_has_one_role():
    settings = PromptSettings()
    assert settings.roles(3, are_pairs=True, are_given=True) == ("query", "document", "document")
    assert PromptSettings(views="query-document").roles(2, are_pairs=False, are_given=False) == ("document",) * 2
    assert PromptSettings(views="none").roles(2, are_pairs=True, are_given=True) == ("none", "none")


@pytest.mark.parametrize("written", ["64;32", "a", "0,4", "8:", ":1"])
def test_dimensions_of_matryoshka_are_numbers(written):
    with pytest.raises(SettingsError, match="it needs numbers of dimensions"):
        validated(RunSettings, {"corpus": "x", "matryoshka": written})
    assert validated(RunSettings, {"corpus": "x", "matryoshka": "64, 32:0.5"}).matryoshka_weights == {64: 1, 32: 0.5}
    assert validated(RunSettings, {"corpus": "x", "matryoshka": 64}).matryoshka_weights == {64: 1}
