"""A folder's prompts, dimensions and similarity are those of sentence-transformers, before and after export."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from embedlab.config import validated
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.encoders.parts import Parts, read_views
from embedlab.errors import SettingsError
from embedlab.jobs.progress import FolderProgress
from embedlab.prompts import Prompts, PromptSettings
from embedlab.report.methods import methods_of
from embedlab.report.model_card import model_card
from embedlab.runs.result import read_result
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS
from embedlab.tasks.encoders import encoder_of_run

sentence_transformers = pytest.importorskip("sentence_transformers")
E5 = {"query": "the text is: ", "passage": "a vector of "}


def theirs(folder: Path):
    return sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)


@pytest.fixture
def saved_by_them(tiny_bert, tmp_path):
    """A tiny BERT in a folder that sentence-transformers wrote."""

    def save(*, prompts=None, default=None, include_prompt=True, truncate=None, similarity=None, **reading) -> Path:
        tiny_bert(**{"max_length": 20, **reading}).save(tmp_path / "plain")
        model = sentence_transformers.SentenceTransformer(
            str(tmp_path / "plain"), device="cpu", prompts=prompts, default_prompt_name=default,
            truncate_dim=truncate, similarity_fn_name=similarity,
        )  # fmt: skip
        model.set_pooling_include_prompt(include_prompt)
        model.save_pretrained(str(tmp_path / "theirs"))
        return tmp_path / "theirs"

    return save


@pytest.mark.parametrize("pooling", ["mean", "cls", "last", "max"])
@pytest.mark.parametrize("include_prompt", [True, False])
def test_each_role_reads_as_they_do_with_the_same_prompt(saved_by_them, tmp_path, sentences, pooling, include_prompt):
    folder = saved_by_them(prompts=E5, include_prompt=include_prompt, pooling=pooling)
    encoder, texts = load_encoder(str(folder)), [*sentences, ""]
    encoder.save(tmp_path / "ours")
    for model in (theirs(folder), theirs(tmp_path / "ours")):
        for role, name in (("query", "query"), ("document", "passage")):
            ours = embed(encoder, texts, role=role)
            np.testing.assert_allclose(ours, model.encode(texts, prompt_name=name), atol=1e-5)
        np.testing.assert_allclose(embed(encoder, texts, role="default"), model.encode(texts), atol=1e-5)
        np.testing.assert_allclose(embed(encoder, texts, role="query"), model.encode_query(texts), atol=1e-5)
    np.testing.assert_allclose(embed(encoder, texts), theirs(tmp_path / "ours").encode_document(texts), atol=1e-5)
    assert np.abs(embed(encoder, texts) - embed(encoder, texts, role="none")).max() > 0.01
    again = load_encoder(str(tmp_path / "ours"))
    np.testing.assert_allclose(embed(again, texts, role="query"), embed(encoder, texts, role="query"), atol=1e-6)
    assert again.prompts.are_pooled is include_prompt


@pytest.mark.slow  # how prompts are read and exported is tested above and below in a second each
def test_a_run_reads_trains_and_leaves_with_its_prompts(saved_by_them, toy_corpus):
    settings = {"corpus": toy_corpus.fingerprint, "encoder": str(saved_by_them(prompts=E5)), "recipe": "crops"}
    settings |= {"batch_size": 16, "max_steps": 2, "maps": False, "inside": False, "live_map": False, "device": "cpu"}
    settings |= {"prompts": {"document": "a crop of ", "views": "query-document"}, "pooling": "cls"}
    run = create_run("train", settings)
    TASKS["train"].run(run, TASKS["train"].read(settings), FolderProgress(run))
    texts = list(toy_corpus.texts)
    after, before = (np.load(run.embeddings(state)) for state in ("after", "before"))
    np.testing.assert_allclose(after, theirs(run.encoder).encode_document(texts), atol=2e-5)
    np.testing.assert_allclose(before, embed(encoder_of_run(run, "before"), texts), atol=1e-5)
    assert np.abs(after - before).max() > 1e-4
    lines = read_result(run).not_followed
    assert "'a crop of '" in lines[1] and "pooling mean. This run reads it by [CLS], before training" in lines[0]
    assert read_result(run).prompts == {"document": "a crop of ", "query": E5["query"]}
    assert all(line in model_card(run) and line in methods_of(run).text for line in lines)


def test_a_default_prompt_is_that_of_encode(saved_by_them, tmp_path, sentences):
    folder = saved_by_them(prompts={"all": "a point of "}, default="all")
    encoder = load_encoder(str(folder))
    np.testing.assert_allclose(embed(encoder, sentences), theirs(folder).encode(sentences), atol=1e-5)
    encoder.save(tmp_path / "ours")
    np.testing.assert_allclose(embed(encoder, sentences), theirs(tmp_path / "ours").encode(sentences), atol=1e-5)


@pytest.mark.parametrize("truncate", [8, 16, 99])
def test_dimensions_that_are_left_out(saved_by_them, tmp_path, sentences, truncate):
    folder = saved_by_them(truncate=truncate)
    encoder = load_encoder(str(folder))
    ours = embed(encoder, sentences)
    assert ours.shape[1] == encoder.dim == min(truncate, 16)
    np.testing.assert_allclose(ours, theirs(folder).encode(sentences), atol=1e-5)
    encoder.save(tmp_path / "ours")
    np.testing.assert_allclose(ours, theirs(tmp_path / "ours").encode(sentences), atol=1e-5)
    assert load_encoder(str(tmp_path / "ours")).dim == encoder.dim


def test_more_dimensions_than_there_are_is_one_sentence(tiny_bert):
    with pytest.raises(SettingsError, match="has 16 dimensions, but 17 are to be kept"):
        tiny_bert().keep_dimensions(17)


@pytest.mark.parametrize("similarity", ["dot", "euclidean", "manhattan", "cosine"])
def test_similarity_stays_in_the_export(saved_by_them, tmp_path, similarity):
    encoder = load_encoder(str(saved_by_them(similarity=similarity)))
    encoder.save(tmp_path / "ours")
    assert theirs(tmp_path / "ours").similarity_fn_name == similarity
    assert bool(encoder.not_followed) is (similarity != "cosine")


def test_a_static_embedding_reads_texts_of_any_length(token_layer, tmp_path):
    static = sentence_transformers.sentence_transformer.modules.StaticEmbedding(
        token_layer.tokenizer, embedding_weights=token_layer.table.detach()
    )
    sentence_transformers.SentenceTransformer(modules=[static], prompts={"document": "length "}).save_pretrained(
        str(tmp_path / "theirs")
    )
    texts = ["vector " * 900 + "map " * 900, "A text."]
    encoder = load_encoder(str(tmp_path / "theirs"))
    ours = embed(encoder, texts)
    encoder.save(tmp_path / "ours")
    for folder in ("theirs", "ours"):
        np.testing.assert_allclose(ours, theirs(tmp_path / folder).encode_document(texts), atol=1e-5)
    np.testing.assert_allclose(ours, embed(load_encoder(str(tmp_path / "ours")), texts), atol=1e-6)


def test_views_of_different_roles_read_in_one_pass_as_each_alone(saved_by_them, sentences):
    encoder = load_encoder(str(saved_by_them(prompts=E5, include_prompt=False))).train()
    for module in encoder.modules():
        module.p = 0.0
    roles = ("query", "document", "none")
    views = [encoder.collate(encoder.tokenize(sentences, role=role), role=role) for role in roles]
    alone = [encoder(tokens) for tokens in views]
    encoder.parts = Parts(texts=3)
    for one, other in zip(alone, read_views(encoder, views), strict=True):
        torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def test_what_a_run_sets_is_read_by_role_and_exported():
    prompts = Prompts(by_name={**E5, "sts": "sts: "}, default_name="sts")
    set_here = validated(PromptSettings, {"document": "", "instruction": "Find it.\nQuery: {text}"})
    changed = prompts.changed(set_here)
    assert (changed.of("document"), changed.of("query"), changed.of("default")) == ("", "Find it.\nQuery: ", "sts: ")
    assert Prompts.read(changed.as_config, dict(changed.by_role), are_pooled=True).of("document") == ""
    assert changed.as_config["prompts"]["document"] == "" and changed.as_config["prompts"]["passage"] == E5["passage"]
    by_name = prompts.changed(PromptSettings(texts="sts"))
    assert by_name.of("document") == by_name.as_config["prompts"]["document"] == "sts: "
    assert prompts.changed(PromptSettings(texts="none")).of("document") == ""
    assert prompts.changed(PromptSettings()) is prompts


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"instruction": "Find it."}, "{text} where the text stands"),
        ({"instruction": "Find {text} now"}, "at the end"),
        ({"query": "{text}, please"}, "at the end"),
        ({"views": "both"}, "'none', 'document' or 'query-document'"),
    ],
)
def test_a_wrong_prompt_is_one_sentence(settings, sentence):
    with pytest.raises(SettingsError) as raised:
        validated(PromptSettings, settings, where="prompts")
    assert sentence in raised.value.message and "\n" not in raised.value.message


def test_a_name_that_the_encoder_has_not_is_refused_with_those_it_has():
    with pytest.raises(SettingsError, match="query, passage, none"):
        Prompts(by_name=E5).changed(PromptSettings(texts="clustering"))


def test_hostile_configurations_are_read_as_none(tmp_path, tiny_bert):
    tiny_bert().save(tmp_path / "encoder")
    for odd in ([], {"default_prompt_name": ["a"], "prompts": [1], "truncate_dim": True, "similarity_fn_name": {}}):
        (tmp_path / "encoder" / "config_sentence_transformers.json").write_text(json.dumps(odd), encoding="utf-8")
        encoder = load_encoder(str(tmp_path / "encoder"))
        assert (encoder.prompts, encoder.similarity, encoder.dim) == (Prompts(), "cosine", 16)
