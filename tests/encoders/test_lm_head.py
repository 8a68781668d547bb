"""A checkpoint's masked-LM head is found under each kind's names, and with the encoder it predicts what theirs does."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_models import MASKED_KINDS, tiny_config
from transformers import MODEL_FOR_MASKED_LM_MAPPING, MODEL_FOR_PRETRAINING_MAPPING

from embedlab.encoders.from_corpus import train_vocabulary
from embedlab.encoders.load import seeded_model
from embedlab.encoders.safe_loading import load_folder
from embedlab.encoders.token_prediction import lm_head_of
from embedlab.errors import EncoderError, UnfitError

OURS = {"dense.weight", "dense.bias", "norm.weight", "norm.bias", "bias"}


def saved(path, sentences, kind: str, classes=MODEL_FOR_MASKED_LM_MAPPING, **values):
    """A random masked language model of this kind, biases and norms included, saved with a tokenizer."""
    tokenizer = train_vocabulary(sentences, 300)
    config = tiny_config(kind, tokenizer.get_vocab_size(), **values)
    model = seeded_model(classes[type(config)], config, seed=0).eval()
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    model.save_pretrained(path)
    tokenizer.save(str(path / "tokenizer.json"))
    return model


def change(path, **tensors) -> None:
    """Replace tensors of the folder's weights; None takes one away."""
    file = path / "model.safetensors"
    kept = load_file(file) | tensors
    save_file({name: tensor for name, tensor in kept.items() if tensor is not None}, file, metadata={"format": "pt"})


@pytest.mark.parametrize("kind", MASKED_KINDS)
def test_the_scores_are_those_of_transformers(kind, tmp_path, sentences):
    """With another activation than the usual one, which some kinds' heads follow and others do not."""
    field = {"distilbert": "activation", "modernbert": "classifier_activation"}.get(kind, "hidden_act")
    theirs = saved(tmp_path, sentences, kind, **{field: "relu"})
    encoder = load_folder(tmp_path, reference="folder", max_length=40).eval()
    assert set(encoder.head_weights) == ({"weight", "bias"} if kind == "eurobert" else OURS)
    tokens = encoder.collate(encoder.tokenize(sentences))
    real = tokens["attention_mask"].bool()
    with torch.no_grad():
        ours = lm_head_of(encoder)(encoder.token_vectors(tokens))
        torch.testing.assert_close(ours[real], theirs(**tokens).logits[real], rtol=1e-5, atol=2e-5)


def test_eurobert_without_a_head_of_its_own_predicts_by_its_word_embeddings(tmp_path, sentences):
    saved(tmp_path, sentences, "eurobert")
    change(tmp_path, **{"lm_head.weight": None})
    encoder = load_folder(tmp_path, reference="folder")
    head = lm_head_of(encoder)
    words = encoder.model.get_input_embeddings().weight
    assert encoder.head_weights == {} and [name for name, _ in head.named_parameters()] == ["bias"]
    torch.testing.assert_close(head(torch.eye(16)), words.T)


def test_gamma_and_beta_of_old_files_are_read(tmp_path, sentences):
    saved(tmp_path, sentences, "bert")
    expected = load_folder(tmp_path, reference="folder").head_weights
    norm = "cls.predictions.transform.LayerNorm"
    tensors = load_file(tmp_path / "model.safetensors")
    change(
        tmp_path,
        **{f"{norm}.gamma": tensors[f"{norm}.weight"], f"{norm}.beta": tensors[f"{norm}.bias"]},
        **{f"{norm}.weight": None, f"{norm}.bias": None},
    )
    found = load_folder(tmp_path, reference="folder").head_weights
    assert all(torch.equal(found[name], expected[name]) for name in OURS)


@pytest.mark.parametrize(
    "tensors",
    [
        {"cls.predictions.transform.dense.weight": torch.zeros(16, 15)},
        {"cls.predictions.bias": torch.zeros(7)},
        {"cls.predictions.transform.LayerNorm.weight": None},
        {"cls.predictions.bias": None},
    ],
    ids=["another width", "another vocabulary", "no norm", "no bias"],
)
def test_a_head_that_does_not_fit_is_no_head(tmp_path, sentences, tensors):
    saved(tmp_path, sentences, "bert")
    change(tmp_path, **tensors)
    encoder = load_folder(tmp_path, reference="folder")
    assert encoder.head_weights == {}
    fresh = lm_head_of(encoder)
    assert not fresh.bias.any() and fresh.dense.weight.std().item() == pytest.approx(0.5, rel=0.2)


def test_an_activation_that_nobody_knows_is_refused(tmp_path, sentences):
    saved(tmp_path, sentences, "modernbert")
    config = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(config | {"classifier_activation": "evil"}), encoding="utf-8")
    encoder = load_folder(tmp_path, reference="folder")
    with pytest.raises(UnfitError, match="'evil', which is not a known activation"):
        lm_head_of(encoder)


def test_a_checkpoint_that_tells_real_tokens_from_replaced_ones_has_no_such_head(tmp_path, sentences):
    saved(tmp_path, sentences, "electra", classes=MODEL_FOR_PRETRAINING_MAPPING)
    assert load_folder(tmp_path, reference="folder").head_weights == {}


def test_an_encoder_that_was_saved_here_has_none_and_a_damaged_file_is_refused(tmp_path, tiny_bert):
    tiny_bert().save(tmp_path / "encoder")
    assert load_folder(tmp_path / "encoder", reference="folder").head_weights == {}
    file = tmp_path / "encoder" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(EncoderError):
        load_folder(tmp_path / "encoder", reference="folder")


def test_the_head_is_tied_to_the_word_embeddings_and_does_not_own_them(tiny_bert):
    encoder = tiny_bert()
    head = lm_head_of(encoder)
    assert {name for name, _ in head.named_parameters()} == OURS == set(head.state_dict())
    words = encoder.model.get_input_embeddings().weight
    vectors = torch.randn(3, 16)
    before = head(vectors)
    with torch.no_grad():
        words *= 2
    torch.testing.assert_close(head(vectors), 2 * before)
    head(vectors).sum().backward()
    assert words.grad is not None


def test_a_token_layer_has_neither_head_nor_token_vectors(token_layer):
    assert not token_layer.provides & {"mlm_head", "decoder"}
    with pytest.raises(UnfitError, match="token is not one"):
        lm_head_of(token_layer)
    with pytest.raises(UnfitError, match="token has none"):
        token_layer.token_vectors(token_layer.collate([[5]]))
