"""What we save, others load with the same vectors, and our own door admits."""

import json

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from embedlab.encoder_catalog.facts import read_saved_facts
from embedlab.encoders.embed import embed
from embedlab.encoders.folder_format import Dense, Normalize
from embedlab.encoders.load import load_encoder
from embedlab.errors import EncoderError
from embedlab.prompts import Prompts
from embedlab.report.loading_code import transformers_lines

sentence_transformers = pytest.importorskip("sentence_transformers")


def their_vectors(folder, texts) -> np.ndarray:
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return model.encode(texts, show_progress_bar=False)


@pytest.mark.parametrize("pooling", ["mean", "cls", "last", "max"])
def test_a_transformer_loads_with_sentence_transformers(tmp_path, tiny_bert, sentences, pooling):
    encoder = tiny_bert(pooling=pooling, max_length=12)  # short, so that truncation is compared as well
    encoder.save(tmp_path / "encoder")
    ours = embed(encoder, sentences)
    np.testing.assert_allclose(their_vectors(tmp_path / "encoder", sentences), ours, atol=1e-5)
    again = load_encoder(str(tmp_path / "encoder"))
    assert (again.pooling, again.max_length, again.weights_hash()) == (pooling, 12, encoder.weights_hash())
    np.testing.assert_allclose(embed(again, sentences), ours, atol=1e-6)


def test_dense_and_normalize_travel_along(tmp_path, tiny_bert, sentences):
    torch.manual_seed(0)
    dense = Dense(16, 5, bias=True, activation="torch.nn.modules.activation.Tanh")
    encoder = tiny_bert(after_pooling=[dense, Normalize()])
    encoder.save(tmp_path / "encoder")
    ours = embed(encoder, sentences)
    assert encoder.dim == 5 and np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(their_vectors(tmp_path / "encoder", sentences), ours, atol=1e-5)
    again = load_encoder(str(tmp_path / "encoder"))
    assert again.weights_hash() == encoder.weights_hash()
    np.testing.assert_allclose(embed(again, sentences), ours, atol=1e-6)


def test_a_token_layer_loads_with_sentence_transformers(tmp_path, token_layer, sentences):
    token_layer.max_length = 6
    token_layer.save(tmp_path / "encoder")
    texts = [*sentences, ""]
    ours = embed(token_layer, texts)
    assert not ours[-1].any()
    np.testing.assert_allclose(their_vectors(tmp_path / "encoder", texts), ours, atol=1e-6)
    again = load_encoder(str(tmp_path / "encoder"))
    assert (again.max_length, again.layers, again.weights_hash()) == (6, 0, token_layer.weights_hash())
    np.testing.assert_array_equal(embed(again, texts), ours)


@pytest.mark.parametrize("pooling", ["mean", "distinct"])
def test_an_encoder_of_words_loads_with_sentence_transformers(tmp_path, token_layer, sentences, pooling):
    token_layer.read_by(pooling)
    token_layer.max_length, token_layer.has_unit_length = 6, True
    token_layer.save(tmp_path / "encoder")
    texts = [*sentences, "text text text of of a text"]
    ours = embed(token_layer, texts)
    np.testing.assert_allclose(their_vectors(tmp_path / "encoder", texts), ours, atol=1e-6)
    again = load_encoder(str(tmp_path / "encoder"))
    assert (again.pooling, again.max_length, again.has_unit_length) == (pooling, 6, True)
    assert again.weights_hash() == token_layer.weights_hash()
    np.testing.assert_array_equal(embed(again, texts), ours)


def test_counting_by_logarithms_is_exported_as_once_and_said_so(tmp_path, token_layer, sentences):
    token_layer.read_by("log-count")
    token_layer.has_unit_length = True
    token_layer.save(tmp_path / "encoder")
    facts = json.loads((tmp_path / "encoder" / "embedlab.json").read_text(encoding="utf-8"))
    assert facts["exported_pooling"] == "distinct" and "reads this encoder by log-count" in facts["note"]
    again = load_encoder(str(tmp_path / "encoder"))
    assert again.pooling == "log-count"
    np.testing.assert_array_equal(embed(again, sentences), embed(token_layer, sentences))
    again.read_by("distinct")
    np.testing.assert_allclose(their_vectors(tmp_path / "encoder", sentences), embed(again, sentences), atol=1e-6)


def by_transformers_alone(folder, dimensions: int | None = None) -> np.ndarray:
    names: dict = {}
    exec(transformers_lines(folder, folder, dimensions) or "", names)
    return names["embeddings"].numpy()


@pytest.mark.parametrize(
    "pooling", ["mean", "cls", "last", "max", "weighted-mean", "mean-sqrt", "mean+max", "last+cls+weighted-mean"]
)
def test_the_code_for_transformers_alone_gives_what_sentence_transformers_gives(tmp_path, tiny_bert, pooling):
    encoder = tiny_bert(pooling=pooling, after_pooling=[Normalize()])
    for name, prompts in (
        ("plain", Prompts()),
        ("prompted", Prompts(by_name={"of": 'a "quote": '}, default_name="of")),
    ):
        encoder.prompts = prompts
        encoder.save(tmp_path / name)
        theirs = their_vectors(tmp_path / name, ["A text.", "Another text."])
        np.testing.assert_allclose(by_transformers_alone(tmp_path / name), theirs, atol=1e-5)
        np.testing.assert_allclose(by_transformers_alone(tmp_path / name, 3), theirs[:, :3], atol=1e-5)


def test_there_is_no_code_for_transformers_alone_where_it_would_read_otherwise(tmp_path, tiny_bert):
    encoder = tiny_bert()
    encoder.save(tmp_path / "later")
    saved = read_saved_facts(tmp_path / "later")
    saved.model_copy(update={"exported_pooling": "mean+of-a-later-version"}).write(tmp_path / "later")
    assert transformers_lines(tmp_path / "later", "FOLDER") is None
    encoder.prompts = Prompts(by_name={"of": "of: "}, default_name="of", are_pooled=False)
    encoder.save(tmp_path / "encoder")
    assert transformers_lines(tmp_path / "encoder", "FOLDER") is None


def test_transformers_alone_loads_it(tmp_path, tiny_bert, sentences):
    encoder = tiny_bert()
    encoder.save(tmp_path / "encoder")
    model = AutoModel.from_pretrained(tmp_path / "encoder", local_files_only=True).eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "encoder", local_files_only=True)
    tokens = tokenizer(sentences, padding=True, truncation=True, return_tensors="pt")
    with torch.no_grad():
        theirs = model(**tokens).last_hidden_state
        ours = encoder.hidden_states(encoder.collate(encoder.tokenize(sentences)))[-1]
    real = tokens["attention_mask"].bool()
    torch.testing.assert_close(theirs[real], ours[real], atol=1e-6, rtol=0)


def test_the_nth_token_is_exported_as_mean_and_said_so(tmp_path, tiny_bert, sentences):
    encoder = tiny_bert(pooling="token-7")
    encoder.save(tmp_path / "encoder")
    facts = json.loads((tmp_path / "encoder" / "embedlab.json").read_text(encoding="utf-8"))
    assert facts["exported_pooling"] == "mean" and "reads this encoder by token-7" in facts["note"]
    again = load_encoder(str(tmp_path / "encoder"))
    assert again.pooling == "token-7"
    np.testing.assert_allclose(embed(again, sentences), embed(encoder, sentences), atol=1e-6)
    again.read_by("mean")
    np.testing.assert_allclose(their_vectors(tmp_path / "encoder", sentences), embed(again, sentences), atol=1e-5)


def test_saving_again_replaces_the_folder_and_leaves_no_other(tmp_path, tiny_bert):
    tiny_bert(seed=1).save(tmp_path / "encoder")
    tiny_bert(seed=2).save(tmp_path / "encoder")
    assert [path.name for path in tmp_path.iterdir()] == ["encoder"]
    assert load_encoder(str(tmp_path / "encoder")).weights_hash() == tiny_bert(seed=2).weights_hash()
    suffixes = {path.suffix for path in (tmp_path / "encoder").rglob("*") if path.is_file()}
    assert suffixes == {".json", ".safetensors", ".md"}


@pytest.mark.parametrize("kind", ["transformer", "token layer", "words read by distinct"])
def test_weights_that_changed_since_they_were_saved_are_refused(tmp_path, tiny_bert, token_layer, kind):
    encoder = tiny_bert() if kind == "transformer" else token_layer
    if kind == "words read by distinct":
        encoder.read_by("distinct")
    folder = tmp_path / "encoder"
    encoder.save(folder)
    assert load_encoder(str(folder)).weights_hash() == encoder.weights_hash()
    (file,) = (each for each in folder.rglob("*.safetensors") if each.stat().st_size == max(
        other.stat().st_size for other in folder.rglob("*.safetensors")))  # fmt: skip
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    with pytest.raises(EncoderError, match=r"have changed since they were saved.*Restore the file"):
        load_encoder(str(folder))
