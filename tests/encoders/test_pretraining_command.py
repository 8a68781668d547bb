"""The command from texts to folders of weights, in small: what it keeps out, writes, and does not do twice."""

import json
import random
import sys
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.encoders.pretraining import __main__ as command
from embedlab.encoders.pretraining.pretrain import Shape
from embedlab.encoders.pretraining.texts import Package

WORDS = [f"{first}{second}{third}" for first in "bdfgkl" for second in "aeiou" for third in "mnprst"]


def drawn(count: int, *, seed: int) -> list[str]:
    """Texts of forty random words, none of them like another."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=40)) for _ in range(count)]


ABSTRACTS, DOCUMENTED, DEMO = drawn(700, seed=1), drawn(700, seed=2), drawn(100, seed=3)
EXTRA = "the folder of extra packages"


@pytest.fixture
def called(tmp_path, monkeypatch):
    """``called()``: run the command; returns how often texts were gathered so far."""
    gathered = []

    def documentation(extra):
        gathered.append(str(extra))
        return [*DOCUMENTED, *DEMO[:50]], [Package("numpy", "2.0", "BSD-3-Clause")]

    corpora = {"docs-topics": SimpleNamespace(texts=DEMO)}
    monkeypatch.setattr(command, "documentation", documentation)
    monkeypatch.setattr(command, "load_corpus", corpora.__getitem__)
    monkeypatch.setattr(command, "SHAPES", {"small": Shape(1, 16, 2), "smaller": Shape(1, 8, 2)})
    monkeypatch.setattr(command, "VOCABULARY", 400)
    file = tmp_path / "abstracts.parquet"
    pq.write_table(pa.table({"text": ABSTRACTS}), file)
    words = ["--arxiv", str(file), "--work", str(tmp_path / "work"), "--extra", EXTRA, "--tokens", "8192"]

    def call() -> list[str]:
        monkeypatch.setattr(sys, "argv", ["pretraining", *words])
        command.main()
        return gathered

    return call


def test_the_command_ends_with_two_encoders_and_goes_on_where_it_ended(called, tmp_path):
    work = tmp_path / "work"
    assert called() == [EXTRA]
    assert sorted(json.loads((work / "documentation.json").read_text(encoding="utf-8"))) == sorted(DOCUMENTED)
    assert json.loads((work / "packages.json").read_text(encoding="utf-8"))[0]["licence"] == "BSD-3-Clause"
    encoders = [load_encoder(str(work / name / "encoder")) for name in ("small", "smaller")]
    assert [embed(each, DEMO[:3]).shape for each in encoders] == [(3, 16), (3, 8)]
    assert [each.vocabulary_size for each in encoders] == [len(encoders[0].tokenizer.get_vocab())] * 2
    before = [each.weights_hash() for each in encoders]
    log = (work / "small" / "log.jsonl").read_text(encoding="utf-8")
    assert json.loads(log.splitlines()[-1])["tokens"] == 8192
    assert called() == [EXTRA]  # texts are not gathered again
    assert [load_encoder(str(work / name / "encoder")).weights_hash() for name in ("small", "smaller")] == before
    assert (work / "small" / "log.jsonl").read_text(encoding="utf-8") == log  # nothing was trained again
