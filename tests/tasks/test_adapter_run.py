"""A run that trains an adapter: its result, card and methods say so, it resumes, and its cost is the adapter's."""

import json
import zipfile
from copy import deepcopy
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from doing import do, result_of
from peft import PeftModel
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from torch import nn

from embedlab.cli import main
from embedlab.config import validated
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.encoders.transformer import model_inputs
from embedlab.errors import SettingsError, UnfitError
from embedlab.report.methods import methods_of
from embedlab.report.model_card import model_card
from embedlab.report.settings_file import command_line
from embedlab.runs.store import settings_of
from embedlab.store_root import read_json
from embedlab.tasks.adapter_export import hub_base, low_rank_changes
from embedlab.training.settings import RunSettings


@pytest.fixture
def short(toy_corpus) -> dict:
    return {
        "corpus": toy_corpus.fingerprint, "encoder": "scratch:bert-tiny", "recipe": "crops", "batch_size": 8,
        "max_steps": 3, "vocabulary_size": 300, "max_length": 32, "maps": False, "inside": False,
        "adapter": {"rank": 4},
    }  # fmt: skip


def test_a_run_with_an_adapter_says_so_everywhere(short):
    folder = do("train", short)
    result = result_of(folder)
    trained = 2 * 4 * 2 * 128 * 4  # layers · linear layers of attention · matrices · dim · rank
    assert result["trained_parameters"] == trained and result["learning_rate"] == pytest.approx(5e-3)
    encoder = load_encoder(f"run:{folder.id}")
    assert encoder.weights_hash() == result["weights_hash"] and encoder.adapter is None
    said = f"rank 4, alpha 16, {trained:,} parameters"
    assert "(Hu et al., 2022)" in methods_of(folder).text
    for text in (methods_of(folder).text, model_card(folder)):
        assert said in text and "merged into the saved encoder" in text
    assert "--set adapter.kind=lora --set adapter.rank=4" in command_line(settings_of(folder))


def test_the_estimate_counts_gradients_and_moments_of_the_adapter_alone(short):
    of_adapter, of_all, of_half = (
        read_json(do("estimate", {**short, "adapter": each}).result)["held_bytes"]
        for each in ({"rank": 4}, {}, {"rank": 4, "base_weights": "bf16"})
    )
    assert {name: of_half[name] for name in ("gradients", "moments")} == {
        name: of_adapter[name] for name in ("gradients", "moments")
    }
    assert of_half["weights"] < 0.51 * of_all["weights"] + of_half["gradients"]
    assert of_adapter["gradients"] == 4 * 2 * 4 * 2 * 128 * 4
    assert 2 * of_adapter["gradients"] <= of_adapter["moments"] < 2.01 * of_adapter["gradients"]
    assert of_all["gradients"] == of_all["weights"] == of_adapter["weights"] - of_adapter["gradients"]


def test_a_rank_alone_chooses_lora_and_none_leaves_no_trace(short):
    chosen = validated(RunSettings, short).adapter
    assert (chosen["kind"], chosen["rank"], chosen["alpha"]) == ("lora", 4, 16)
    assert validated(RunSettings, {**short, "adapter": {"kind": "none", "rank": 4}}).adapter == {}
    assert validated(RunSettings, {**short, "recipe": "untouched"}).adapter == {}
    with pytest.raises(SettingsError, match="'adapter.rank' is 0"):
        validated(RunSettings, {**short, "adapter": {"rank": 0}})
    with pytest.raises(SettingsError, match="'adapter.ranks'"):
        validated(RunSettings, {**short, "adapter": {"ranks": 1}})


def test_the_adapter_is_exported_apart_from_its_base_and_both_libraries_read_it(short, tmp_path, capsys):
    folder = do("train", {**short, "max_steps": 2, "adapter": {"rank": 4, "base_weights": "bf16"}})
    out = tmp_path / "adapter.zip"
    capsys.readouterr()
    assert main(["runs", "export", folder.id, "--adapter", "separate", "--out", str(out), "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["base"] == "base" and result["compared"]["cosine_lowest"] > 0.999999
    with zipfile.ZipFile(out) as archive:
        archive.extractall(tmp_path)
    adapter = tmp_path / f"adapter-{folder.id}"
    shapes = {tuple(each.shape) for each in load_file(adapter / "adapter_model.safetensors").values()}
    assert shapes == {(4, 128), (128, 4)}
    texts = ["the star above the comet", "flour and butter"]
    merged, base = load_encoder(str(folder.encoder)), load_encoder(str(adapter / "base"))
    np.testing.assert_allclose(embed(load_encoder(str(adapter)), texts), embed(merged, texts), atol=1e-6)
    assert not np.allclose(embed(base, texts), embed(merged, texts), atol=1e-6)
    theirs = SentenceTransformer(str(adapter / "base"), device="cpu", local_files_only=True)
    theirs.load_adapter(str(adapter))
    np.testing.assert_allclose(theirs.encode(texts, show_progress_bar=False), embed(merged, texts), atol=1e-5)
    assert "load_adapter" in (adapter / "README.md").read_text(encoding="utf-8")
    theirs = PeftModel.from_pretrained(base.model, str(adapter)).eval()
    inputs = model_inputs(merged.collate(merged.tokenize(texts)))
    with torch.no_grad():
        expected = merged.eval().model(**inputs).last_hidden_state
        np.testing.assert_allclose(theirs(**inputs).last_hidden_state, expected, atol=1e-5)


def test_without_an_adapter_there_is_none_to_export(token_run, tmp_path, capsys):
    asked = ["runs", "export", token_run.id, "--out", str(tmp_path / "adapter.zip"), "--json", "--adapter", "separate"]
    assert main(asked) == 2 and json.loads(capsys.readouterr().out)["error"]["code"] == "E-NO-ADAPTER"
    assert main([*asked, "--format", "fp16"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "E-COMMAND"


def test_a_change_of_more_than_its_rank_is_no_adapter():
    torch.manual_seed(1)
    base = SimpleNamespace(model=nn.Sequential(nn.Linear(16, 12), nn.Linear(12, 4)))
    tuned, outward, inward = deepcopy(base), torch.randn(12, 2), torch.randn(2, 16)
    with torch.no_grad():
        tuned.model[0].weight += outward @ inward
    factors = low_rank_changes(base, tuned, 2)
    assert factors.keys() == {"0"}
    torch.testing.assert_close(factors["0"]["B"] @ factors["0"]["A"], outward @ inward, atol=1e-5, rtol=1e-5)
    with pytest.raises(UnfitError, match="adapter of rank 1"):
        low_rank_changes(base, tuned, 1)


@pytest.mark.parametrize(
    ("changed", "base"),
    [
        ({}, "sentence-transformers/all-MiniLM-L6-v2"),
        ({"encoder": "hf:owner/name@v2"}, "owner/name"),
        ({"encoder": "run:1"}, None),
        ({"max_length": 32}, None),
        ({"prompts": {"query": "query: "}}, None),
    ],
)
def test_the_base_is_named_where_the_hub_s_copy_reads_texts_as_the_run_did(changed, base):
    assert hub_base(validated(RunSettings, {"corpus": "?", "encoder": "minilm", "recipe": "crops", **changed})) == base
