"""Every admitted kind of model loads, with the vectors that transformers computes."""

import numpy as np
import pytest
import torch
from transformers import CONFIG_MAPPING, MODEL_MAPPING, AutoModel

from embedlab.encoders.embed import embed, embed_layers
from embedlab.encoders.from_corpus import train_vocabulary
from embedlab.encoders.load import seeded_model
from embedlab.encoders.safe_loading import load_folder
from embedlab.encoders.transformer_folder import MODEL_TYPES
from embedlab.errors import UnfitError

SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 64,
    "initializer_range": 0.5,
    "pad_token_id": 0,
}
SPECIAL = {
    "distilbert": {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32},
    "electra": {"embedding_size": 8},
    "albert": {"embedding_size": 8},
    "deberta-v2": {
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
        "position_buckets": 8,
    },
    "modernbert": {"global_attn_every_n_layers": 2, "local_attention": 8},
}


@pytest.fixture(params=MODEL_TYPES)
def folder(request, tmp_path, sentences):
    """A saved random model of this kind, with the head's prefix that a masked language model would have."""
    tokenizer = train_vocabulary(sentences, 300)
    values = SIZES | SPECIAL.get(request.param, {}) | {"vocab_size": tokenizer.get_vocab_size()}
    if request.param == "distilbert":
        values = {k: v for k, v in values.items() if k not in {"hidden_size", "num_hidden_layers", "intermediate_size"}}
    config = CONFIG_MAPPING[request.param](**values)
    seeded_model(MODEL_MAPPING[type(config)], config, seed=0, attention="eager").save_pretrained(tmp_path / "model")
    tokenizer.save(str(tmp_path / "model" / "tokenizer.json"))
    return tmp_path / "model"


def test_vectors_are_those_of_transformers(folder, sentences):
    encoder = load_folder(folder, reference="folder", max_length=40)
    theirs = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    tokens = encoder.collate(encoder.tokenize(sentences))
    with torch.no_grad():
        hidden = theirs(**tokens).last_hidden_state
    expected = encoder.pool(hidden, tokens).numpy()
    np.testing.assert_allclose(embed(encoder, sentences), expected, atol=2e-5)
    layers = embed_layers(encoder, sentences, poolings=("mean",))["mean"]
    assert layers.shape == (encoder.layers + 1, len(sentences), encoder.dim)
    np.testing.assert_allclose(layers[-1], expected, atol=2e-5)


def test_freezing_reaches_every_layer_or_is_refused(folder):
    encoder = load_folder(folder, reference="folder", max_length=40)
    if "albert" in str(type(encoder.model)).lower():
        with pytest.raises(UnfitError, match="share their weights"):
            encoder.freeze(1)
        return
    encoder.freeze(1)
    assert [all(not p.requires_grad for p in block) for block in encoder.blocks()] == [True, True, False]


def test_what_was_loaded_is_exported_and_loads_again(folder, tmp_path, sentences):
    encoder = load_folder(folder, reference="folder", max_length=40)
    encoder.save(tmp_path / "again")
    again = load_folder(tmp_path / "again", reference="again")
    assert again.weights_hash() == encoder.weights_hash()
    np.testing.assert_allclose(embed(again, sentences), embed(encoder, sentences), atol=1e-6)
