"""Reading a text once for all prompts gives what reading it anew for each gives; and it is the text that decides."""

import pytest
import torch
from tiny_language_models import saved_model
from transformers import AutoModelForCausalLM

from embedlab.device import choose_device
from embedlab.errors import EncoderError, SettingsError
from embedlab.summaries.base import PROMPTS, SourceText, joined
from embedlab.summaries.generation import _until_end, prompted
from embedlab.summaries.local import LocalConfig, LocalLanguageModel
from embedlab.summaries.safe_causal_loading import load_causal

SOURCES = [
    SourceText(4, "the map show the texts of one research", "our map"),
    SourceText(9, "butter and onion in the oven with a sauce that is better for the court and the judge", ""),
    SourceText(2, "keel", "anchor"),
    SourceText(7, "star galaxy orbit planet", ""),
    SourceText(1, "these results show that a model of texts includes a verdict", "verdict"),
]


def ready(folder, *, n: int = 3, **settings) -> LocalLanguageModel:
    """A summariser with its model loaded, in float32."""
    config = LocalConfig(model=str(folder), max_new_tokens=12, precision="fp32", texts_at_once=2, **settings)
    made = LocalLanguageModel(config, continuations=n)
    made.prepare()
    return made


@pytest.mark.parametrize("kind", ["gpt2", "llama", "opt", "gemma3_text"])
@pytest.mark.parametrize("size", [0, 2])
def test_the_likeliest_words_are_those_of_plain_generation(tmp_path, kind, size):
    """With one token to draw from it is a greedy search, which transformers does by itself, prompt by prompt."""
    folder = saved_model(tmp_path / "writer", kind, begins=kind == "llama")
    made = ready(folder, n=1, top_k=1, no_repeat_ngram_size=size)
    model = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    tokenizer = made._loaded.tokenizer
    (line_break,) = made._loaded.break_ids
    for found in made.summarise(SOURCES):
        source = next(each for each in SOURCES if each.row == found.row)
        expected = []
        for prompt in PROMPTS:
            ids = torch.tensor([tokenizer.encode(joined(source.text, source.title, prompt)).ids])
            ends = {"eos_token_id": [2, line_break], "pad_token_id": 0, "no_repeat_ngram_size": size}
            out = model.generate(ids, max_new_tokens=12, do_sample=False, **ends)
            expected.append(tokenizer.decode(out[0, ids.shape[1] :].tolist()).strip())
        assert found.summaries == [line for line in expected if line]


def test_what_is_read_and_written_is_words_and_counted(language_model):
    found = list(ready(language_model).summarise(SOURCES[:2]))
    for made, source in zip(found, SOURCES, strict=False):
        assert 10 <= len(made.summaries) <= 15 and made.requests == 5
        assert all(line and "\n" not in line for line in made.summaries)
        assert made.tokens_written <= 15 * 12
        words = len(joined(source.text, source.title).split())
        assert made.tokens_read == words + 3 * sum(len(p.replace(",", " ,").split()) for p in PROMPTS)
    assert len(set(found[0].summaries)) > 5  # they are drawn, not the same again


def test_the_text_and_the_seed_decide_not_the_place(language_model):
    def summaries(sources, **settings):
        return {made.row: made.summaries for made in ready(language_model, **settings).summarise(sources)}

    once = summaries(SOURCES)
    assert summaries(SOURCES) == once
    assert summaries(SOURCES[2:4]) == {row: once[row] for row in (2, 7)}  # a group of its own
    moved = summaries([SourceText(50, SOURCES[0].text, SOURCES[0].title), SOURCES[1]])
    assert moved[50] == once[4]
    assert summaries(SOURCES, seed=1) != once


def test_summaries_end_at_a_line_break_or_the_end_of_the_text(language_model):
    made = ready(language_model)
    assert made._loaded.tokenizer.token_to_id("\n") in made._loaded.break_ids and len(made._loaded.break_ids) == 1
    assert made._loaded.end_ids == {2}
    assert _until_end([5, 6, 2, 7], frozenset({2}), {9}) == [5, 6]
    assert _until_end([5, 9, 7, 2], frozenset({2}), {9}) == [5, 9]
    assert _until_end([5, 6], frozenset({2}), {9}) == [5, 6]


@pytest.mark.parametrize("begins", [False, True])
def test_a_divided_text_is_the_whole_one_and_a_long_one_loses_its_beginning(tmp_path, begins):
    folder = saved_model(tmp_path / "writer", "llama", begins=begins)
    tokenizer = load_causal(folder, device=choose_device("cpu"), dtype=torch.float32).tokenizer
    found = prompted(tokenizer, SOURCES[1].text, PROMPTS, longest=400)
    for rest, prompt in zip(found.rests, PROMPTS, strict=True):
        assert found.common + rest == tokenizer.encode(f"{SOURCES[1].text} {prompt}").ids
    most = max(map(len, found.rests)) + 4 + begins
    cut = prompted(tokenizer, SOURCES[1].text, PROMPTS, longest=most)
    assert cut.rests == found.rests
    assert cut.common == found.common[:begins] + found.common[-4:]


def test_a_model_with_few_positions_is_refused_with_what_to_do(tmp_path):
    folder = saved_model(tmp_path / "writer", max_position_embeddings=70)
    with pytest.raises(SettingsError, match="Lower max_new_tokens") as caught:
        ready(folder)
    assert caught.value.code == "E-POSITIONS"


def test_a_name_that_is_no_folder_says_how_models_are_named():
    with pytest.raises(EncoderError, match="hf:owner/name") as caught:
        ready("gpt2")
    assert caught.value.code == "E-UNKNOWN-MODEL"


def test_settings_that_change_only_the_speed_are_no_other_summaries(language_model):
    def key(**settings):
        made = LocalLanguageModel(LocalConfig(model=str(language_model), **settings))
        made.prepare()
        return made.fingerprint()

    assert key() == key(texts_at_once=3)
    assert len({key(), key(seed=1), key(top_k=5), key(max_new_tokens=20)}) == 4
    before = key()
    saved_model(language_model, seed=3)  # another model of the same shape in the same place
    assert key() != before
