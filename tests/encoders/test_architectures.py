"""Every admitted kind, laid out as on the hub: read, exported and read again as sentence-transformers reads it."""

import json
import logging

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from tiny_models import DECODERS, KINDS, byte_pairs, hub_folder

from embedlab.encoder_catalog.architectures import ARCHITECTURES
from embedlab.encoders import tokenizer_files
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.encoders.token_prediction import lm_head_of
from embedlab.errors import EncoderError, SettingsError, UnfitError
from embedlab.reader_worker import Here

sentence_transformers = pytest.importorskip("sentence_transformers")
ATOL = 1e-4


@pytest.fixture(autouse=True)
def few_words():
    logging.getLogger("transformers").setLevel(logging.ERROR)


def theirs(folder, texts) -> np.ndarray:
    model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return model.encode(texts, show_progress_bar=False, batch_size=4)


@pytest.mark.parametrize("kind", KINDS)
def test_vectors_are_those_of_sentence_transformers_before_and_after_export(kind, tmp_path, sentences):
    folder = hub_folder(tmp_path / "hub", kind, sentences, pooling="lasttoken" if kind in DECODERS else "mean")
    encoder = load_encoder(str(folder))
    ours = embed(encoder, sentences)
    np.testing.assert_allclose(ours, theirs(folder, sentences), atol=ATOL)
    assert np.abs(ours - ours[:1]).max() > 100 * ATOL, "texts differ visibly"
    encoder.save(tmp_path / "export")
    np.testing.assert_allclose(theirs(tmp_path / "export", sentences), ours, atol=ATOL)
    again = load_encoder(str(tmp_path / "export"))
    assert again.weights_hash() == encoder.weights_hash() and again.max_length == encoder.max_length == 48
    np.testing.assert_allclose(embed(again, sentences), ours, atol=1e-6)


@pytest.fixture(scope="module", params=KINDS)
def built(request, tmp_path_factory, sentences):
    return load_encoder(str(hub_folder(tmp_path_factory.mktemp("hub"), request.param, sentences))).eval()


def test_what_is_offered_is_there_and_what_is_not_is_refused(built, sentences):
    kind = built.model.config.model_type
    tokens = built.collate(built.tokenize(sentences[:3]))
    states = built.hidden_states(tokens)
    assert len(states) == built.layers + 1 == 3 and all(state.shape[2] == 16 for state in states)
    torch.testing.assert_close(states[-1], built.token_vectors(tokens), atol=1e-5, rtol=1e-5)
    built.train()
    twice = [built(tokens) for _ in range(2)]
    built.eval()
    assert ("dropout" in built.provides) != torch.equal(*twice)
    assert ("mlm_head" in built.provides) == ARCHITECTURES[kind].has_mlm_head
    if "mlm_head" in built.provides:
        assert lm_head_of(built)(states[-1]).shape[2] == built.model.config.vocab_size
    else:
        with pytest.raises(UnfitError, match="predict tokens"):
            lm_head_of(built)


def test_layers_freeze_or_it_is_said_why_not(built):
    if built.model.config.model_type == "albert":
        with pytest.raises(UnfitError, match="share their weights"):
            built.freeze(1)
        return
    built.freeze(1)
    frozen = {id(p) for p in built.parameters() if not p.requires_grad}
    blocks = built.blocks()
    assert len(blocks) == 3 and all(block for block in blocks)
    assert [{id(p) in frozen for p in block} for block in blocks] == [{True}, {True}, {False}]
    assert id(built.model.get_input_embeddings().weight) in frozen
    built.freeze(0)


def test_a_token_of_a_decoder_sees_nothing_behind_it(built, sentences):
    tokens = built.collate([[5, 6, 7, 8, 9, 10]])
    before = built.hidden_states(tokens)[-1]
    tokens["input_ids"][0, 4] = 20
    moved = (built.hidden_states(tokens)[-1] - before).abs().amax(dim=(0, 2))  # (tokens,)
    assert (moved[:4] < 1e-6).all() == built.is_causal and moved[4] > 1e-4


@pytest.mark.parametrize("ends", [True, False])
def test_left_padding_changes_nothing_where_the_last_token_is_read(tmp_path, sentences, ends):
    """Qwen3-Embedding's folder: its tokenizer pads on the left, ours on the right."""
    tokenizer = byte_pairs(sentences, ends=ends)
    settings = {"padding_side": "left", "tokenizer_class": "Qwen2Tokenizer"}
    legacy = {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": False, "pooling_mode_lasttoken": True}
    folder = hub_folder(tmp_path / "hub", "qwen3", sentences, tokenizer=tokenizer, settings=settings, pooling=legacy)
    encoder = load_encoder(str(folder))
    assert encoder.pooling == "last" and encoder.is_causal
    np.testing.assert_allclose(embed(encoder, sentences), theirs(folder, sentences), atol=ATOL)


@pytest.mark.parametrize("kind", ["llama", "qwen3", "eurobert"])
def test_the_base_of_rotations_is_read_where_older_files_have_it(tmp_path, sentences, kind):
    folder = hub_folder(tmp_path / "hub", kind, sentences)
    config = json.loads((folder / "config.json").read_text())
    del config["rope_parameters"]
    (folder / "config.json").write_text(json.dumps(config | {"rope_theta": 7.0}))
    encoder = load_encoder(str(folder))
    assert encoder.model.config.rope_parameters["rope_theta"] == 7
    np.testing.assert_allclose(embed(encoder, sentences), theirs(folder, sentences), atol=ATOL)
    encoder.save(tmp_path / "export")
    np.testing.assert_allclose(theirs(tmp_path / "export", sentences), embed(encoder, sentences), atol=ATOL)


@pytest.mark.parametrize("kind", ["llama", "gemma", "qwen3"])
def test_without_a_padding_token_others_read_the_export(tmp_path, sentences, kind):
    tokenizer = byte_pairs(sentences, padding=False, begins=True)
    folder = hub_folder(tmp_path / "hub", kind, sentences, tokenizer=tokenizer, pad_token_id=None)
    encoder = load_encoder(str(folder))
    encoder.save(tmp_path / "export")
    np.testing.assert_allclose(theirs(tmp_path / "export", sentences), embed(encoder, sentences), atol=ATOL)


@pytest.mark.parametrize("kind", ["nomic_bert", "gte", "jina_embeddings_v3"])
def test_weights_under_their_authors_names_are_divided(tmp_path, sentences, kind):
    folder = hub_folder(tmp_path / "hub", kind, sentences)
    with safe_open(folder / "model.safetensors", framework="pt") as file:
        assert any("qkv" in name.lower() for name in file.keys())  # noqa: SIM118
    tensors = load_file(folder / "model.safetensors")
    lost = next(name for name in tensors if "qkv" in name.lower())
    save_file({name: tensor for name, tensor in tensors.items() if name != lost}, folder / "model.safetensors")
    with pytest.raises(EncoderError) as caught:
        load_encoder(str(folder))
    assert caught.value.code == "E-WEIGHTS"


def test_nomics_config_is_read_under_its_authors_names(tmp_path, sentences):
    folder = hub_folder(tmp_path / "hub", "nomic_bert", sentences)
    expected = embed(load_encoder(str(folder)), sentences)
    config = json.loads((folder / "config.json").read_text())
    turned = {ours: name for name, ours in ARCHITECTURES["nomic_bert"].now_called.items()}
    old = {turned.get(name, name): value for name, value in config.items() if name != "rope_parameters"}
    (folder / "config.json").write_text(json.dumps(old | {"rotary_emb_base": 1000, "activation_function": "swiglu"}))
    assert "n_embd" in old and "hidden_size" not in old
    np.testing.assert_allclose(embed(load_encoder(str(folder)), sentences), expected, atol=1e-6)


@pytest.mark.parametrize(
    "pooling", ["weightedmean", "mean_sqrt_len_tokens", ["cls", "mean"], ["lasttoken", "max", "weightedmean"]], ids=str
)
def test_every_pooling_of_sentence_transformers_is_read_and_kept(tmp_path, sentences, pooling):
    folder = hub_folder(tmp_path / "hub", "bert", sentences, pooling=pooling)
    encoder = load_encoder(str(folder))
    ours = embed(encoder, sentences)
    assert encoder.dim == ours.shape[1] == 16 * (len(pooling) if isinstance(pooling, list) else 1)
    np.testing.assert_allclose(ours, theirs(folder, sentences), atol=ATOL)
    encoder.save(tmp_path / "export")
    np.testing.assert_allclose(theirs(tmp_path / "export", sentences), ours, atol=ATOL)
    assert load_encoder(str(tmp_path / "export")).pooling == encoder.pooling


def test_pooling_flags_of_older_folders_are_joined_in_their_order(tmp_path, sentences):
    flags = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True, "pooling_mode_max_tokens": False}
    folder = hub_folder(tmp_path / "hub", "bert", sentences, pooling=flags)
    encoder = load_encoder(str(folder))
    assert encoder.pooling == "cls+mean"
    np.testing.assert_allclose(embed(encoder, sentences), theirs(folder, sentences), atol=ATOL)
    encoder.read_by("mean")
    assert encoder.dim == 16 and embed(encoder, sentences[:1]).shape == (1, 16)
    with pytest.raises(SettingsError, match="No pooling"):
        encoder.read_by("mean+mean")


@pytest.mark.parametrize("residual", [None, "same", "mapped"])
def test_dense_layers_of_any_activation_and_with_their_input_added(tmp_path, sentences, residual):
    from sentence_transformers.sentence_transformer.modules import Dense, Normalize

    torch.manual_seed(0)
    first = Dense(
        16, 16 if residual == "same" else 12, activation_function=torch.nn.GELU(), use_residual=bool(residual)
    )
    second = Dense(first.out_features, 5, bias=False, activation_function=torch.nn.Identity())
    folder = hub_folder(tmp_path / "hub", "gemma3_text", sentences, after=(first, second, Normalize()))
    encoder = load_encoder(str(folder))
    ours = embed(encoder, sentences)
    assert ours.shape[1] == encoder.dim == 5
    np.testing.assert_allclose(ours, theirs(folder, sentences), atol=ATOL)
    encoder.save(tmp_path / "export")
    np.testing.assert_allclose(theirs(tmp_path / "export", sentences), ours, atol=ATOL)
    with pytest.raises(UnfitError, match="the Dense layer"):
        encoder.read_by("cls+mean")


@pytest.mark.parametrize("activation", ["os.system", "torch.nn.modules.rnn.LSTM", "torch.load", "torch.nn.Bilinear"])
def test_an_activation_is_never_imported_by_its_name(tmp_path, sentences, activation):
    from sentence_transformers.sentence_transformer.modules import Dense

    folder = hub_folder(tmp_path / "hub", "bert", sentences, after=(Dense(16, 4),))
    file = folder / "2_Dense" / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"activation_function": activation}))
    with pytest.raises(EncoderError, match="not one of torch's") as caught:
        load_encoder(str(folder))
    assert caught.value.code == "E-MODULES"


@pytest.mark.parametrize("kind", ["t5", "umt5", "gemma3_text"])
def test_what_was_trained_is_what_is_exported(tmp_path, sentences, kind):
    """T5's token vectors have two names, of which one is trained and the other saved."""
    encoder = load_encoder(str(hub_folder(tmp_path / "hub", kind, sentences)))
    before = embed(encoder, sentences)
    optimiser = torch.optim.Adam(encoder.parameters(), lr=1e-2)
    encoder.train()
    for _ in range(2):
        optimiser.zero_grad()
        (encoder(encoder.collate(encoder.tokenize(sentences))) - 1).square().mean().backward()
        optimiser.step()
    ours = embed(encoder, sentences)
    assert np.abs(ours - before).max() > 100 * ATOL
    encoder.save(tmp_path / "export")
    np.testing.assert_allclose(theirs(tmp_path / "export", sentences), ours, atol=ATOL)


@pytest.mark.parametrize("kind", DECODERS)
def test_a_decoder_is_made_to_see_both_ways_and_others_read_the_export_so(tmp_path, sentences, kind):
    folder = hub_folder(tmp_path / "hub", kind, sentences)
    encoder = load_encoder(str(folder))
    before = embed(encoder, sentences)
    if not encoder.is_causal:
        with pytest.raises(UnfitError, match="Switch"):
            encoder.see_both_ways()
        np.testing.assert_array_equal(embed(encoder, sentences), before)
        return
    encoder.see_both_ways()
    ours = embed(encoder, sentences)
    assert not encoder.is_causal and np.abs(ours - before).max() > 100 * ATOL
    encoder.save(tmp_path / "export")
    np.testing.assert_allclose(theirs(tmp_path / "export", sentences), ours, atol=ATOL)
    again = load_encoder(str(tmp_path / "export"))
    assert not again.is_causal
    np.testing.assert_allclose(embed(again, sentences), ours, atol=1e-6)


def test_only_decoders_are_made_to_see_both_ways(token_layer, tiny_bert):
    for encoder in (token_layer, tiny_bert()):
        with pytest.raises(UnfitError, match="is for decoders") as caught:
            encoder.see_both_ways()
        assert caught.value.code == "E-BIDIRECTIONAL"


@pytest.mark.parametrize(("kind", "name"), [("llama", "LlamaTokenizerFast"), ("qwen2", "Qwen2Tokenizer")])
def test_tokenizer_json_decides_what_begins_and_ends_a_text(tmp_path, sentences, kind, name):
    """transformers 5 follows add_bos_token and add_eos_token only where there is no tokenizer.json."""
    settings = {"tokenizer_class": name, "add_bos_token": False, "add_eos_token": True}
    tokenizer = byte_pairs(sentences, begins=True, ends=False)
    folder = hub_folder(tmp_path / "hub", kind, sentences, tokenizer=tokenizer, settings=settings)
    encoder = load_encoder(str(folder))
    begins, ends = (tokenizer.token_to_id(token) for token in ("<s>", "</s>"))
    assert {ids[0] for ids in encoder.tokenize(sentences)} == {begins}
    assert ends not in {ids[-1] for ids in encoder.tokenize(sentences)}
    np.testing.assert_allclose(embed(encoder, sentences), theirs(folder, sentences), atol=ATOL)


def sentencepiece_folder(folder, kind: str, texts: list[str], file: str, **settings):
    """A folder whose tokenizer is a sentencepiece model alone, of the letters and words of some texts."""
    from transformers.utils.sentencepiece_model_pb2_new import ModelProto

    hub_folder(folder, kind, texts, vocab_size=600)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    words = sorted({f"▁{word}" for text in texts for word in text.split()})
    pieces = list(dict.fromkeys("".join(words))) + [word[:end] for word in words for end in range(2, len(word) + 1)]
    special = ["<unk>", "<s>", "</s>"] if kind == "llama" else ["<pad>", "</s>", "<unk>"]
    model = ModelProto()
    for number, piece in enumerate(dict.fromkeys([*special, *pieces])):
        kinds = {"<unk>": 2} | dict.fromkeys(special, 3)
        model.pieces.add(piece=piece, score=-float(number), type=kinds.get(piece, 1))
    model.trainer_spec.model_type, model.trainer_spec.unk_id = (2, 0) if kind == "llama" else (1, 2)
    (folder / file).write_bytes(model.SerializeToString())
    roles = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"} if kind == "llama" else {}
    (folder / "tokenizer_config.json").write_text(json.dumps(roles | {"model_max_length": 48} | settings))
    return folder


@pytest.fixture
def converting(monkeypatch):
    """transformers knows sentencepiece's format itself, but asks for the package."""
    monkeypatch.setattr("transformers.convert_slow_tokenizer.requires_backends", lambda *_: None)
    monkeypatch.setattr(tokenizer_files, "find_spec", lambda _: True)
    monkeypatch.setattr(Here, "is_reader", True)  # this process is the one that is so patched


@pytest.mark.parametrize("settings", [{}, {"add_bos_token": True, "add_eos_token": True}])
def test_a_sentencepiece_model_alone_is_converted_by_transformers(tmp_path, sentences, converting, settings):
    folder = sentencepiece_folder(tmp_path / "hub", "llama", sentences, "tokenizer.model", **settings, pad_token="</s>")
    encoder = load_encoder(str(folder))
    ids = encoder.tokenize(sentences[:1])[0]
    assert (ids[0] == 1, ids[-1] == 2) == (bool(settings), bool(settings)) and len(ids) > 2
    np.testing.assert_allclose(embed(encoder, sentences), theirs(folder, sentences), atol=ATOL)


def test_a_damaged_sentencepiece_model_is_one_sentence(tmp_path, sentences, converting):
    folder = sentencepiece_folder(tmp_path / "hub", "t5", sentences, "spiece.model")
    (folder / "spiece.model").write_bytes(b"no model")
    with pytest.raises(EncoderError, match="cannot convert the sentencepiece model of hub") as caught:
        load_encoder(str(folder))
    assert caught.value.code == "E-TOKENIZER"


def test_without_a_converter_it_is_said_how_a_sentencepiece_model_is_converted(tmp_path, sentences, monkeypatch):
    monkeypatch.setattr(tokenizer_files, "find_spec", lambda _: None)
    folder = hub_folder(tmp_path / "hub", "t5", sentences)
    (folder / "tokenizer.json").rename(folder / "spiece.model")
    with pytest.raises(EncoderError, match="save_pretrained") as caught:
        load_encoder(str(folder))
    assert caught.value.code == "E-TOKENIZER"
