"""Hostile and damaged folders: refused with a code and a next step, and nothing in them runs."""

import json
import os
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hostile_files import HOSTILE_SETTINGS, Payload, change
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from warm_worker import warm_python

from embedlab.encoders import folder_files, tokenizer_files
from embedlab.encoders.embed import embed
from embedlab.encoders.folder_files import shapes_in
from embedlab.encoders.folder_format import Dense
from embedlab.encoders.safe_loading import load_folder
from embedlab.encoders.transformer import ATTENTION
from embedlab.encoders.transformer_config import read_config
from embedlab.errors import EmbedlabError, EncoderError
from embedlab.limits import LIMITS


@pytest.fixture
def folder(tmp_path, tiny_bert) -> Path:
    tiny_bert().save(tmp_path / "encoder")
    return tmp_path / "encoder"


def refused(folder: Path, code: str, says: str = "") -> None:
    with pytest.raises(EncoderError) as caught:
        load_folder(folder, reference="folder")
    assert caught.value.code == code, caught.value.message
    assert says in caught.value.message and caught.value.message.endswith(".")


def test_pickled_weights_are_never_opened(folder):
    canary = folder / "canary"
    for name in ("pytorch_model.bin", "rng_state.pth", "optimizer.pt", "training_args.bin"):
        torch.save({"x": Payload(canary)}, folder / name)
    load_folder(folder, reference="folder")  # safetensors beside them: they are ignored
    (folder / "model.safetensors").unlink()
    refused(folder, "E-NOT-SAFETENSORS", "pytorch_model.bin")
    assert not canary.exists()


HOSTILE = HOSTILE_SETTINGS | {
    "auto_map": {"AutoModel": "evil.Evil", "AutoConfig": "evil.Evil"},
    "_attn_implementation_internal": "evil/repo",
    "custom_pipelines": {"evil": {"impl": "evil.Evil"}},
    "_commit_hash": "x",
    "return_dict": False,
    "output_hidden_states": False,
    "pruned_heads": {"0": [0]},
    "chunk_size_feed_forward": 1,
    "__class__": "evil",
    "text_config": {"auto_map": {"AutoModel": "evil.Evil"}},
}


@pytest.mark.parametrize("key", HOSTILE)
def test_hostile_keys_of_config_change_nothing(folder, sentences, key):
    expected = embed(load_folder(folder, reference="folder"), sentences)
    (folder / "evil.py").write_text("raise SystemExit('ran')", encoding="utf-8")
    change(folder / "config.json", **{key: HOSTILE[key]})
    encoder = load_folder(folder, reference="folder")
    assert encoder.model.config._attn_implementation == ATTENTION and not hasattr(encoder.model.config, "auto_map")
    assert abs(embed(encoder, sentences) - expected).max() < 1e-6


@pytest.mark.parametrize("is_warm", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_loading_opens_no_connection_and_imports_nothing_from_the_folder(folder, is_warm):
    change(folder / "config.json", **HOSTILE)
    (folder / "modeling_evil.py").write_text("", encoding="utf-8")
    code = """
import sys
seen = []
from embedlab.encoders.load import load_encoder
def watch(event, arguments):
    if event.startswith("socket.") or event in ("os.system", "subprocess.Popen"):
        seen.append(event)
    if event == "open" and str(arguments[0]).startswith(sys.argv[1]) and "evil" in str(arguments[0]):
        seen.append(str(arguments[0]))
sys.addaudithook(watch)
load_encoder(sys.argv[1])
assert not [name for name in sys.modules if "evil" in name]
print(seen)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [*(warm_python(code) if is_warm else (sys.executable, "-c", code)), str(folder)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "changes",
    [
        {"model_type": "gpt2"},
        {"model_type": "evil"},
        {"model_type": None},
        {"hidden_act": "__import__"},
        {"hidden_act": ["gelu"]},
        {"num_attention_heads": 0},
        {"num_attention_heads": 3},
        {"num_hidden_layers": -1},
        {"hidden_size": "many"},
        {"vocab_size": 1.5},
        {"position_embedding_type": "relative_key"},
    ],
    ids=str,
)
def test_impossible_configurations_are_refused(folder, changes):
    change(folder / "config.json", **changes)
    refused(folder, "E-CONFIG")


@pytest.mark.parametrize(
    "changes",
    [
        {"vocab_size": 1_000_000_000},
        {"hidden_size": 10_000_000},
        {"num_hidden_layers": 10**9},
        {"intermediate_size": 10**12},
        {"max_position_embeddings": 10**12},
        {"vocab_size": 5_000},  # possible, but not what the file holds
    ],
    ids=str,
)
def test_sizes_are_compared_before_anything_is_allocated(folder, changes):
    change(folder / "config.json", **changes)
    refused(folder, "E-MODEL-SIZE")


@pytest.mark.parametrize("content", ["", "[1", '"text"', "\ud83d", "{" * 100_000, " " * (2**20 + 1)])
def test_a_config_that_is_no_json_object_is_refused(folder, content):
    (folder / "config.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    refused(folder, "E-CONFIG")


def test_missing_pieces_are_named(folder):
    weights = load_file(folder / "model.safetensors")
    weights.pop("encoder.layer.1.output.dense.weight")
    save_file(weights, folder / "model.safetensors")
    refused(folder, "E-WEIGHTS", "encoder.layer.1.output.dense.weight")
    (folder / "tokenizer.json").unlink()
    refused(folder, "E-TOKENIZER")
    (folder / "config.json").unlink()
    refused(folder, "E-CONFIG")
    (folder / "adapter_config.json").write_text('{"base_model_name_or_path": "evil/base"}', encoding="utf-8")
    refused(folder, "E-ADAPTER")


@pytest.mark.parametrize("prefix", ["bert.", "model."])
def test_weights_of_a_masked_language_model_are_found_under_their_prefix(folder, sentences, prefix):
    expected = embed(load_folder(folder, reference="folder"), sentences)
    weights = load_file(folder / "model.safetensors")
    for now, then in ((".weight", ".gamma"), (".bias", ".beta")):
        weights = {name.replace("LayerNorm" + now, "LayerNorm" + then): weight for name, weight in weights.items()}
    weights = {prefix + name: weight for name, weight in weights.items()} | {"cls.predictions.bias": torch.zeros(3)}
    save_file(weights, folder / "model.safetensors")
    assert abs(embed(load_folder(folder, reference="folder"), sentences) - expected).max() == 0


def test_half_precision_weights_become_float32(folder):
    weights = {name: weight.half() for name, weight in load_file(folder / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors")
    (folder / "embedlab.json").unlink()  # a folder of others, which names no hash of its weights
    encoder = load_folder(folder, reference="folder")
    assert {parameter.dtype for parameter in encoder.parameters()} == {torch.float32}


@pytest.mark.parametrize(
    ("modules", "says"),
    [
        ([{"type": "sentence_transformers.models.WordEmbeddings", "path": ""}], "WordEmbeddings"),
        ([{"type": "sentence_transformers.models.Router", "path": ""}], "Router"),
        ([{"type": "sentence_transformers.models.Transformer", "path": "../other"}], "../other"),
        ([{"type": "sentence_transformers.models.Transformer", "path": "/etc"}], "/etc"),
        ([{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}], "order is Pooling"),
        ([], "empty"),
        ({"type": "x"}, "empty"),
        ([1], "''"),
    ],
)
def test_modules_that_are_not_ours_to_run_are_refused(folder, modules, says):
    (folder / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    refused(folder, "E-MODULES", says)


def test_a_dense_layer_with_another_activation_is_refused(tmp_path, tiny_bert):
    identity = "torch.nn.modules.linear.Identity"
    tiny_bert(after_pooling=[Dense(16, 4, bias=False, activation=identity)]).save(tmp_path / "e")
    change(tmp_path / "e" / "2_Dense" / "config.json", activation_function="os.system")
    refused(tmp_path / "e", "E-MODULES", "os.system")


def test_a_tokenizer_larger_than_the_embedding_is_refused(folder):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.add_tokens([f"extra{i}" for i in range(5)])
    tokenizer.save(str(folder / "tokenizer.json"))
    refused(folder, "E-VOCAB", "has only")


def test_a_git_lfs_pointer_is_called_one(folder):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123\n"
    (folder / "model.safetensors").write_text(pointer, encoding="utf-8")
    refused(folder, "E-LFS-POINTER", "git lfs pull")


def test_an_index_lists_only_files_beside_it(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
    names = shapes_in([folder / "model-00001-of-00001.safetensors"])
    index = folder / "model.safetensors.index.json"
    index.write_text(
        json.dumps({"weight_map": dict.fromkeys(names, "model-00001-of-00001.safetensors")}), encoding="utf-8"
    )
    load_folder(folder, reference="folder")
    for evil in ("../evil.safetensors", "/etc/passwd", "evil.bin", "a\\b.safetensors", "absent.safetensors", 7):
        index.write_text(json.dumps({"weight_map": dict.fromkeys(names, evil)}), encoding="utf-8")
        refused(folder, "E-NOT-SAFETENSORS")


def test_a_vocabulary_file_alone_gives_berts_tokenizer(folder, sentences):
    expected = load_folder(folder, reference="folder").tokenize(sentences)
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n", encoding="utf-8")
    (folder / "tokenizer.json").unlink()
    assert load_folder(folder, reference="folder").tokenize(sentences) == expected


def test_damaged_headers_are_refused(folder):
    whole = (folder / "model.safetensors").read_bytes()
    length = struct.unpack("<Q", whole[:8])[0]
    for damaged in (
        b"",
        whole[:4],
        whole[:100],
        whole[:-1],
        whole + b"x",
        struct.pack("<Q", 2**63) + whole[8:],
        struct.pack("<Q", 0) + whole[8:],
        whole[:8] + b"[" * length + whole[8 + length :],
        whole[:8] + b'"' + b"a" * (length - 2) + b'"' + whole[8 + length :],
    ):
        (folder / "model.safetensors").write_bytes(damaged)
        refused(folder, "E-SAFETENSORS")
        with pytest.raises(EncoderError):  # already from the header, before a tensor is read
            shapes_in([folder / "model.safetensors"])


def test_shards_may_not_share_a_header_among_them_that_one_may_not_have(folder, monkeypatch):
    """A thousand shards of 20 million bytes of header each would fill the memory before a tensor is read."""
    whole = (folder / "model.safetensors").read_bytes()
    length = struct.unpack("<Q", whole[:8])[0]
    monkeypatch.setattr(folder_files, "LIMITS", replace(LIMITS, safetensors_header_bytes=2 * length))
    files = [folder / f"model-{number}.safetensors" for number in range(3)]
    for file in files:
        file.write_bytes(whole)
    assert len(shapes_in(files[:2])) == len(shapes_in(files[:1]))
    with pytest.raises(EncoderError, match=f"model-2.safetensors .* would need {3 * length:,} bytes"):
        shapes_in(files)


@pytest.mark.parametrize("name", ["vocab.txt", "merges.txt"])
def test_a_vocabulary_of_millions_of_lines_is_refused_before_it_is_read(folder, monkeypatch, name):
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.json").write_text("{}", encoding="utf-8")
    with open(folder / name, "wb") as file:
        file.truncate(tokenizer_files._LARGEST_LIST + 1)
    (folder / "merges.txt").touch()
    monkeypatch.setattr("pathlib.Path.read_text", lambda path, **_: pytest.fail(f"{path.name} was read"))
    with pytest.raises(EncoderError, match=f"{name} has more than 8,388,608 bytes"):
        tokenizer_files._from_files(folder, {})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_mutated_weights_end_in_a_code_or_load(folder, data):
    """Whatever byte changes, the outcome is an encoder or one of our sentences, never another error."""
    original = folder / "original"
    if not original.exists():
        original.write_bytes((folder / "model.safetensors").read_bytes())
    content = bytearray(original.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, min(len(content) - 1, 6_000)))] = data.draw(st.integers(0, 255))
    (folder / "model.safetensors").write_bytes(content)
    try:
        load_folder(folder, reference="folder")
    except EmbedlabError as error:
        assert error.code.startswith("E-")


SIZES = [
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "vocab_size",
    "type_vocab_size",
    "max_position_embeddings",
    "intermediate_size",
    "pad_token_id",
    "layer_norm_eps",
    "hidden_dropout_prob",
    "initializer_range",
]


@example(key="intermediate_size", value=0)
@example(key="type_vocab_size", value=0)
@example(key="max_position_embeddings", value=0)
@example(key="vocab_size", value=-1)
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    key=st.sampled_from(SIZES),
    value=st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([1, 2])),
)
def test_any_value_in_config_ends_in_a_code_or_loads(folder, key, value):
    original = folder / "original.json"
    if not original.exists():
        original.write_bytes((folder / "config.json").read_bytes())
    (folder / "config.json").write_bytes(original.read_bytes())
    change(folder / "config.json", **{key: value})
    try:
        load_folder(folder, reference="folder")
    except EmbedlabError as error:
        assert error.code.startswith("E-")


def test_a_config_is_read_without_the_weights(folder):
    assert read_config(folder).num_hidden_layers == 2
