"""A stranger's tokenizer that multiplies texts, searches for ever or panics is refused, in a process with limits."""

from dataclasses import replace

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from embedlab import limits
from embedlab.encoders.tokenizer_files import read_tokenizer
from embedlab.errors import EncoderError
from embedlab.reader_worker import Here
from embedlab.tokenizer_trial import panic_said, try_tokenizer

CATASTROPHE = Regex("(a+)+$")


def saved(folder, **parts) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    for name, part in parts.items():
        setattr(tokenizer, name, part)
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"normalizer": normalizers.Replace("€", "b" * 100)}, "makes 20,001 characters of 201"),
        ({"normalizer": normalizers.Sequence([normalizers.Replace("a", "aa")] * 6)}, "makes 12,801 characters of 201"),
        ({"normalizer": normalizers.Replace(CATASTROPHE, "b")}, "retry-limit-in-match"),
        ({"pre_tokenizer": pre_tokenizers.Split(CATASTROPHE, "isolated")}, "the fault is the encoder's"),
    ],
)
def test_a_tokenizer_that_multiplies_or_panics_is_refused(tmp_path, parts, sentence):
    saved(tmp_path, **parts)
    with pytest.raises(EncoderError, match=sentence) as refused:
        read_tokenizer(tmp_path)
    assert refused.value.code == "E-TOKENIZER"


def test_one_that_would_fill_the_memory_is_ended_there(tmp_path, monkeypatch, limited_readers):
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, reading_seconds=1))
    saved(tmp_path, normalizer=normalizers.Sequence([normalizers.Replace("a", "aaaa")] * 16))
    with pytest.raises(EncoderError, match="takes more than .* of memory|processor time") as refused:
        read_tokenizer(tmp_path)
    assert refused.value.code == "E-READ-LIMIT"


def test_usual_parts_are_not_tried_and_usual_patterns_pass(tmp_path, monkeypatch, limited_readers):
    saved(
        tmp_path,
        normalizer=normalizers.Replace(" ", "▁"),
        pre_tokenizer=pre_tokenizers.Split(Regex(r"\w+"), "isolated"),
    )
    read_tokenizer(tmp_path)
    monkeypatch.setattr("embedlab.tokenizer_trial.read_limited", None)
    saved(tmp_path, normalizer=normalizers.BertNormalizer(), pre_tokenizer=pre_tokenizers.BertPreTokenizer())
    read_tokenizer(tmp_path)
    saved(tmp_path, normalizer=normalizers.Sequence([normalizers.NFC(), normalizers.Replace("a", "b")]))
    with pytest.raises(TypeError):
        try_tokenizer(tmp_path / "tokenizer.json")
    assert not Here.is_reader


def test_a_tokenizer_that_only_reading_could_make_too_large_is_read_there(tmp_path, monkeypatch, limited_readers):
    """Twenty-five bytes of memory for each byte of it: 200 million of ``{},`` would take five gigabytes."""
    monkeypatch.setattr("embedlab.tokenizer_trial._READ_HERE", 10_000)
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, reading_bytes=2**20, reading_bytes_per_byte=0))
    saved(tmp_path)
    read_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("[" + " " * 10_000 + "}", encoding="utf-8")
    with pytest.raises(EncoderError, match="cannot be read"):
        read_tokenizer(tmp_path)
    (tmp_path / "tokenizer.json").write_text("[" + "{}," * 2_000_000 + "{}]", encoding="utf-8")
    with pytest.raises(EncoderError, match="takes more than .* of memory") as refused:
        read_tokenizer(tmp_path)
    assert refused.value.code == "E-READ-LIMIT"


def test_a_panic_on_a_text_is_the_encoders_fault():
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Replace(CATASTROPHE, "b")
    with pytest.raises(EncoderError, match="The tokenizer of mine fails on a text"), panic_said("mine"):
        tokenizer.encode_batch_fast(["a" * 40 + "!"])
    with pytest.raises(KeyError), panic_said("mine"):
        raise KeyError("ours")
