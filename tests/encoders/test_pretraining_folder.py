"""A pretrained model's folder: the same vectors by transformers, sentence-transformers and embedlab, with its head."""

import copy
import json

import numpy as np
import pytest
import torch
from safetensors import safe_open
from tiny_models import tiny_config
from transformers import AutoModelForMaskedLM, AutoTokenizer, BertForMaskedLM

from embedlab.encoders.embed import embed
from embedlab.encoders.from_corpus import SPECIAL_TOKENS, train_vocabulary
from embedlab.encoders.load import load_encoder, seeded_model
from embedlab.encoders.pretraining.folder import write_folder
from embedlab.encoders.token_prediction import lm_head_of

POSITIONS = 16  # shorter than some of the sentences, so that cutting is compared as well


@pytest.fixture(scope="module")
def written(tmp_path_factory, sentences):
    """A random model, wide enough to tell texts apart, without dropout as while it is pretrained; and its folder."""
    tokenizer = train_vocabulary(sentences, 300)
    without = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "max_position_embeddings": POSITIONS}
    config = tiny_config("bert", tokenizer.get_vocab_size(), **without)
    model = seeded_model(BertForMaskedLM, config, seed=0)
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():  # biases and norms, too
            parameter += 0.1 * torch.randn_like(parameter)
    folder = tmp_path_factory.mktemp("pretrained") / "folder"
    write_folder(model, tokenizer, folder)
    return model, tokenizer, folder


def test_three_readers_give_the_same_vectors(written, sentences):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    _, _, folder = written
    ours = embed(load_encoder(str(folder)), sentences)
    by_sentences = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    np.testing.assert_allclose(by_sentences.encode(sentences, show_progress_bar=False), ours, atol=1e-5)
    model = AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()
    tokenize = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    tokens = tokenize(sentences, padding=True, truncation=True, return_tensors="pt")
    with torch.no_grad():
        states = model.bert(**tokens).last_hidden_state  # (texts, tokens, dim)
    real = tokens["attention_mask"][:, :, None]
    means = (states * real).sum(1) / real.sum(1)
    assert tokens["input_ids"].shape[1] == POSITIONS
    np.testing.assert_allclose(means.numpy(), ours, atol=1e-5)


def test_the_head_is_read_and_scores_as_the_model_did(written, sentences):
    model, _, folder = written
    encoder = load_encoder(str(folder)).eval()
    tokens = encoder.collate(encoder.tokenize(sentences))
    real = tokens["attention_mask"].bool()
    with torch.no_grad():
        scores = lm_head_of(encoder)(encoder.token_vectors(tokens))[real]
        kept = AutoModelForMaskedLM.from_pretrained(folder, local_files_only=True).eval()(**tokens).logits[real]
        rounded = copy.deepcopy(model).half().float().eval()(**tokens).logits[real]
    torch.testing.assert_close(scores, kept, rtol=1e-5, atol=2e-5)
    torch.testing.assert_close(kept, rounded, rtol=1e-5, atol=2e-5)  # nothing else has changed


def test_it_is_stored_in_half_precision_and_trained_on_with_dropout(written):
    model, _, folder = written
    with safe_open(folder / "model.safetensors", framework="pt") as file:
        assert {file.get_tensor(name).dtype for name in file.keys()} == {torch.float16}
        assert len(file.keys()) == len(list(model.parameters()))  # each once: the tied table, too
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert (config["hidden_dropout_prob"], config["attention_probs_dropout_prob"]) == (0.1, 0.1)
    assert model.config.hidden_dropout_prob == 0
    assert load_encoder(str(folder)).max_length == POSITIONS


def test_its_tokenizer_is_theirs(written, sentences):
    _, tokenizer, folder = written
    theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    texts = [*sentences, "Ünïcode, [MASK] and unseenwords 12.5", ""]
    assert theirs(texts)["input_ids"] == [each.ids for each in tokenizer.encode_batch(texts)]
    assert {role: getattr(theirs, role) for role in SPECIAL_TOKENS} == SPECIAL_TOKENS
