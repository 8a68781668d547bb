"""The second door: every admitted kind loads as transformers loads it, and nothing else gets in or runs."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hostile_files import HOSTILE_SETTINGS, Payload, change
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from tiny_language_models import saved_model, tiny_model
from transformers import AutoConfig, AutoModelForCausalLM

from embedlab.device import choose_device
from embedlab.encoders.transformer_config import read_config
from embedlab.errors import EncoderError
from embedlab.summaries import safe_causal_loading
from embedlab.summaries.safe_causal_loading import CAUSAL, load_causal

TOKENS = torch.tensor([[1, 5, 9, 12, 30, 4, 17]])
SCORE_ERROR = 1e-4  # the scores are up to 10; float32 alone differs from float64 by 2e-5


def load(folder: Path, dtype: torch.dtype = torch.float32):
    return load_causal(folder, device=choose_device("cpu"), dtype=dtype)


def scores(folder: Path) -> torch.Tensor:
    with torch.no_grad():
        return load(folder).model(TOKENS).logits


def refused(folder: Path, code: str, says: str = "") -> None:
    with pytest.raises(EncoderError) as caught:
        load(folder)
    assert caught.value.code == code, caught.value.message
    assert says in caught.value.message and caught.value.message.endswith(".")


@pytest.mark.parametrize("kind", CAUSAL.types)
def test_every_admitted_kind_gives_the_scores_that_transformers_computes(tmp_path, kind):
    folder = saved_model(tmp_path / "model", kind)
    theirs = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        torch.testing.assert_close(scores(folder), theirs(TOKENS).logits, atol=SCORE_ERROR, rtol=0)


@pytest.mark.parametrize("kind", CAUSAL.types)
def test_tied_and_untied_words_load_alike(tmp_path, kind):
    for tied in (True, False):
        folder = saved_model(tmp_path / str(tied), kind, tie_word_embeddings=tied)
        theirs = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
        with torch.no_grad():
            torch.testing.assert_close(scores(folder), theirs(TOKENS).logits, atol=SCORE_ERROR, rtol=0)


# As config.json is written on the hub by transformers 4: the names of the fields are not today's.
OLDER = {
    "llama": {
        "rope_theta": 500000.0,
        "rope_scaling": {
            "factor": 32.0,
            "high_freq_factor": 4.0,
            "low_freq_factor": 1.0,
            "original_max_position_embeddings": 64,
            "rope_type": "llama3",
        },
    },
    "mistral": {"rope_theta": 1000000.0},
    "qwen2": {"rope_theta": 1000000.0, "rope_scaling": None, "use_sliding_window": False, "max_window_layers": 2},
    "qwen3": {"rope_theta": 1000000, "rope_scaling": None},
    "gemma2": {"rope_theta": 10000.0, "hidden_activation": "gelu_pytorch_tanh", "hidden_act": "gelu_pytorch_tanh"},
    "gemma3_text": {"rope_theta": 1000000, "rope_local_base_freq": 10000, "sliding_window_pattern": 6},
    "gpt_neox": {"rotary_pct": 0.5, "rotary_emb_base": 5000},
    "phi": {"rope_theta": 20000.0, "partial_rotary_factor": 0.25},
    "phi3": {
        "rope_theta": 20000.0,
        "original_max_position_embeddings": 64,
        "rope_scaling": {"type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3], "long_factor": [2.0, 2.1, 2.2, 2.3]},
    },
    "stablelm": {"rope_theta": 20000, "partial_rotary_factor": 0.5},
    "smollm3": {"rope_theta": 5000000.0},
    "olmo2": {"rope_theta": 500000},
    "granite": {"rope_theta": 20000.0},
    "gemma": {"rope_theta": 20000.0},
}


@pytest.mark.parametrize("kind", OLDER)
def test_older_names_of_fields_are_read_as_transformers_reads_them(tmp_path, kind):
    folder = saved_model(tmp_path / "model", kind)
    before = scores(folder)
    found = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    found.pop("rope_parameters", None)
    found.pop("layer_types", None)
    (folder / "config.json").write_text(json.dumps(found | OLDER[kind]), encoding="utf-8")
    ours, theirs = read_config(folder, CAUSAL), AutoConfig.from_pretrained(folder)
    assert ours.rope_parameters == theirs.rope_parameters
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        torch.testing.assert_close(scores(folder), model(TOKENS).logits, atol=SCORE_ERROR, rtol=0)
    assert kind in ("gemma2", "gemma3_text") or not torch.allclose(scores(folder), before, atol=1e-3)


def test_the_names_of_older_files_are_found(tmp_path):
    folder = saved_model(tmp_path / "gpt2", "gpt2")  # on the hub without the prefix, and with masks as buffers
    expected = scores(folder)
    weights = load_file(folder / "model.safetensors")
    bare = {name.removeprefix("transformer."): weight for name, weight in weights.items()}
    save_file(bare | {"h.0.attn.bias": torch.ones(1, 1, 4, 4)}, folder / "model.safetensors")
    assert torch.equal(scores(folder), expected)

    folder = saved_model(tmp_path / "neox", "gpt_neox")
    expected = scores(folder)
    weights = load_file(folder / "model.safetensors")
    save_file({n.replace("lm_head.", "embed_out."): w for n, w in weights.items()}, folder / "model.safetensors")
    assert torch.equal(scores(folder), expected)


def test_shards_are_read_one_after_the_other(tmp_path):
    folder = saved_model(tmp_path / "whole", "llama")
    tiny_model("llama").save_pretrained(tmp_path / "parts", max_shard_size="20KB")
    (tmp_path / "parts" / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    assert len(list((tmp_path / "parts").glob("model-*.safetensors"))) > 1
    assert torch.equal(scores(tmp_path / "parts"), scores(folder))


def test_bf16_is_taken_where_it_is_asked_for(tmp_path):
    model = load(saved_model(tmp_path / "model", "qwen2"), torch.bfloat16).model
    assert {parameter.dtype for parameter in model.parameters()} == {torch.bfloat16}
    assert not any(parameter.requires_grad for parameter in model.parameters()) and not model.training


def test_pickled_weights_are_never_opened(language_model):
    canary = language_model / "canary"
    torch.save({"x": Payload(canary)}, language_model / "pytorch_model.bin")
    load(language_model)  # safetensors beside them: they are ignored
    (language_model / "model.safetensors").unlink()
    refused(language_model, "E-NOT-SAFETENSORS", "pytorch_model.bin")
    assert not canary.exists()


HOSTILE = HOSTILE_SETTINGS | {
    "auto_map": {"AutoModelForCausalLM": "modeling_evil.Evil", "AutoConfig": "modeling_evil.Evil"},
    "custom_generate": "evil/repo",
    "use_cache": False,
}


@pytest.mark.parametrize("key", HOSTILE)
def test_hostile_keys_of_config_change_nothing(language_model, key):
    expected = scores(language_model)
    change(language_model / "config.json", **{key: HOSTILE[key]})
    model = load(language_model).model
    assert model.config._attn_implementation == "sdpa" and not hasattr(model.config, "auto_map")
    assert torch.equal(scores(language_model), expected)


@pytest.mark.slow
def test_loading_opens_no_connection_and_imports_nothing_from_the_folder(language_model):
    change(language_model / "config.json", **HOSTILE)
    (language_model / "modeling_evil.py").write_text("raise SystemExit('ran')", encoding="utf-8")
    (language_model / "custom_generate").mkdir()
    (language_model / "custom_generate" / "generate.py").write_text("raise SystemExit('ran')", encoding="utf-8")
    code = """
import sys
seen = []
import torch
from embedlab.device import choose_device
from embedlab.summaries.safe_causal_loading import load_causal
import embedlab.summaries.generation
def watch(event, arguments):
    if event.startswith("socket.") or event in ("os.system", "subprocess.Popen"):
        seen.append(event)
    if event == "open" and "evil" in str(arguments[0]):
        seen.append(str(arguments[0]))
sys.addaudithook(watch)
from pathlib import Path
load_causal(Path(sys.argv[1]), device=choose_device("cpu"), dtype=torch.float32)
assert not [name for name in sys.modules if "evil" in name]
print(seen)
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code, str(language_model)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "changes",
    [
        {"model_type": "bert"},
        {"model_type": "evil"},
        {"model_type": None},
        {"model_type": ["gpt2"]},
        {"activation_function": "__import__"},
        {"n_head": 3},
        {"n_layer": -1},
        {"n_embd": "many"},
        {"vocab_size": 1.5},
    ],
    ids=str,
)
def test_other_kinds_and_impossible_configurations_are_refused(language_model, changes):
    change(language_model / "config.json", **changes)
    refused(language_model, "E-CONFIG")


@pytest.mark.parametrize(
    "changes", [{"vocab_size": 10**9}, {"n_embd": 10**7}, {"n_layer": 10**9}, {"n_positions": 10**12}, {"n_embd": 64}]
)
def test_sizes_are_compared_before_anything_is_allocated(language_model, changes):
    change(language_model / "config.json", **changes)
    refused(language_model, "E-MODEL-SIZE")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    key=st.sampled_from(["hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
                         "vocab_size", "max_position_embeddings", "rope_theta", "rope_scaling", "rope_parameters",
                         "eos_token_id", "pad_token_id", "rms_norm_eps", "tie_word_embeddings", "hidden_act"]),
    value=st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.just([1, 2]),
                    st.just({"rope_type": "yarn", "factor": "many"}), st.just({"type": "dynamic", "factor": 2.0})),
)  # fmt: skip
def test_any_value_in_config_ends_in_a_code_or_loads(tmp_path, key, value):
    folder = tmp_path / "model"
    if not folder.exists():
        saved_model(folder, "llama")
        (folder / "original.json").write_bytes((folder / "config.json").read_bytes())
    (folder / "config.json").write_bytes((folder / "original.json").read_bytes())
    change(folder / "config.json", **{key: value})
    try:
        load(folder)
    except EncoderError as error:
        assert error.code.startswith("E-")


def test_a_model_beyond_the_memory_is_refused_before_it_is_read(language_model, monkeypatch):
    device = replace(choose_device("cpu"), free_bytes=1000)
    with pytest.raises(EncoderError, match="GB are free") as caught:
        load_causal(language_model, device=device, dtype=torch.float32)
    assert caught.value.code == "E-MEMORY"
    monkeypatch.setattr(
        safe_causal_loading, "LIMITS", replace(safe_causal_loading.LIMITS, language_model_parameters=10)
    )
    refused(language_model, "E-MODEL-SIZE")


def test_missing_pieces_are_named(language_model):
    weights = load_file(language_model / "model.safetensors")
    weights.pop("transformer.h.1.mlp.c_fc.weight")
    save_file(weights, language_model / "model.safetensors")
    refused(language_model, "E-WEIGHTS", "transformer.h.1.mlp.c_fc.weight")
    (language_model / "tokenizer.json").write_text("{", encoding="utf-8")
    refused(language_model, "E-TOKENIZER")
    (language_model / "tokenizer.json").unlink()
    refused(language_model, "E-TOKENIZER", "tokenizer.json is needed")
    (language_model / "config.json").unlink()
    refused(language_model, "E-CONFIG", "a causal language model")


def test_a_tokenizer_larger_than_the_model_is_refused(language_model, tmp_path):
    saved_model(tmp_path / "small", vocab_size=20)
    (tmp_path / "small" / "tokenizer.json").write_bytes((language_model / "tokenizer.json").read_bytes())
    refused(tmp_path / "small", "E-VOCAB", "only 20 rows")
