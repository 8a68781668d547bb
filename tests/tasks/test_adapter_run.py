"""A run that trains an adapter: its result, card and methods say so, it resumes, and its cost is the adapter's."""

import pytest
from doing import do, result_of

from embedlab.config import validated
from embedlab.encoders.load import load_encoder
from embedlab.errors import SettingsError
from embedlab.report.methods import methods_of
from embedlab.report.model_card import model_card
from embedlab.report.settings_file import command_line
from embedlab.runs.store import settings_of
from embedlab.store_root import read_json
from embedlab.training.settings import RunSettings


@pytest.fixture
def short(toy_corpus) -> dict:
    return {
        "corpus": toy_corpus.fingerprint, "encoder": "scratch:bert-tiny", "recipe": "crops", "batch_size": 8,
        "max_steps": 3, "vocabulary_size": 300, "max_length": 32, "maps": False, "adapter": {"rank": 4},
    }  # fmt: skip


def test_a_run_with_an_adapter_says_so_everywhere(short):
    folder = do("train", short)
    result = result_of(folder)
    trained = 2 * 4 * 2 * 128 * 4  # layers · linear layers of attention · matrices · dim · rank
    assert result["trained_parameters"] == trained and result["learning_rate"] == pytest.approx(2e-4)
    encoder = load_encoder(f"run:{folder.id}")
    assert encoder.weights_hash() == result["weights_hash"] and encoder.adapter is None
    said = f"rank 4, alpha 16, {trained:,} parameters"
    assert "(Hu et al., 2022)" in methods_of(folder).text
    for text in (methods_of(folder).text, model_card(folder)):
        assert said in text and "merged into the saved encoder" in text
    assert "--set adapter.kind=lora --set adapter.rank=4" in command_line(settings_of(folder))


def test_the_estimate_counts_gradients_and_moments_of_the_adapter_alone(short):
    of_adapter, of_all = (
        read_json(do("estimate", {**short, "adapter": each}).result)["held_bytes"] for each in ({"rank": 4}, {})
    )
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
