"""What an encoder folder asks for and is not followed is said wherever its numbers stand."""

import json
from pathlib import Path

import pytest
from tiny_models import tiny_encoder

from embedlab.cli import main
from embedlab.comparison.rows import not_followed_by
from embedlab.encoders.load import load_encoder, remarks_on
from embedlab.jobs.progress import FolderProgress
from embedlab.report.methods import methods_of
from embedlab.report.model_card import model_card
from embedlab.runs.result import read_result
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS

SAID = {"W-ENCODER-SIMILARITY": "the dot product", "I-ENCODER-PROMPTS": "'search_document: '"}


def laid_out(folder: Path, texts: list[str], *, prompts=None, default=None, truncate=None, similar="cosine", own=True):
    """A sentence-transformers folder of a tiny random BERT, and what its configuration says besides."""
    tiny_encoder(texts).save(folder)
    (folder / "embedlab.json").unlink()
    said = {"prompts": prompts or {}, "default_prompt_name": default, "similarity_fn_name": similar}
    write(folder / "config_sentence_transformers.json", said | ({} if truncate is None else {"truncate_dim": truncate}))
    pooling = {"embedding_dimension": 16, "pooling_mode": "mean", "include_prompt": own}
    write(folder / "1_Pooling" / "config.json", pooling)
    return folder


def write(file: Path, value: dict) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


PROMPTED = {"prompts": {"document": "search_document: "}, "default": "document"}
ALL = {**PROMPTED, "truncate": 8, "similar": "dot", "own": False}


@pytest.fixture
def odd(tmp_path, toy_corpus) -> Path:
    return laid_out(tmp_path / "odd", list(toy_corpus.texts)[:40], **ALL)


@pytest.mark.parametrize(
    ("told", "codes"),
    [
        ({}, []),
        ({"prompts": {"query": "", "document": ""}, "default": "query"}, []),
        ({"prompts": {"query": "query: "}}, ["I-ENCODER-PROMPTS"]),
        ({"prompts": {"query": "query: "}, "default": "query"}, ["I-ENCODER-PROMPTS"]),  # followed, and how
        ({"own": False, "truncate": 8}, []),
        ({"similar": "dot"}, ["W-ENCODER-SIMILARITY"]),
        ({"similar": "euclidean"}, ["W-ENCODER-SIMILARITY"]),
        ({"similar": "manhattan"}, ["W-ENCODER-SIMILARITY"]),
        (ALL, list(SAID)),
    ],
)
def test_each_is_a_fact_of_the_encoder(told, codes, tmp_path, sentences):
    folder = laid_out(tmp_path / "encoder", sentences, **told)
    found = load_encoder(str(folder)).remarks
    assert [each.code for each in found] == codes
    assert remarks_on(str(folder)) == found
    if told is ALL:
        assert all(SAID[each.code] in each.message for each in found)


def test_it_stays_said_of_what_is_saved_from_it(tmp_path, odd):
    load_encoder(str(odd)).save(tmp_path / "saved")
    assert load_encoder(str(tmp_path / "saved")).not_followed == load_encoder(str(odd)).not_followed


def test_a_run_says_it_in_its_result_methods_card_and_commands(odd, toy_corpus, tmp_path, capsys):
    asked = {"corpus": toy_corpus.fingerprint, "encoder": str(odd), "recipe": "crops", "batch_size": 16, "epochs": 1}
    asked |= {"max_steps": 2, "maps": False, "inside": False, "live_map": False, "device": "cpu"}
    run = create_run("train", asked)
    TASKS["train"].run(run, TASKS["train"].read(asked), FolderProgress(run))
    result = read_result(run)
    assert [each.code for each in result.warnings if each.code in SAID] == list(SAID)
    told = result.not_followed
    assert len(told) == 2
    written = (methods_of(run).text, model_card(run))
    assert all(sentence in text for sentence in told for text in written)
    assert not_followed_by([run], {run.id: "mine"}) == [f"mine: {sentence}" for sentence in told]
    drawn = ["map", "--run", run.id, "--method", "pca", "--out", str(tmp_path / "map.parquet")]
    for command in (["evaluate", "--run", run.id], ["compare", run.id], drawn):
        capsys.readouterr()
        assert main([*command, "--json"]) == 0, command
        codes = [each["code"] for each in json.loads(capsys.readouterr().out)["warnings"]]
        assert [code for code in codes if code in SAID] == list(SAID)


@pytest.mark.parametrize(
    "command",
    [
        "embed --encoder {odd} --corpus {corpus} --out {out}.npy",
        "evaluate --encoder {odd} --corpus {corpus}",
        "evaluate --baseline tfidf --corpus {corpus} --against {odd}",
        "layers --encoder {odd} --corpus {corpus}",
        "length --encoder {odd} --corpus {corpus} --copies 2",
        "diagnose --encoder {odd} --corpus {corpus} --only norms",
    ],
)
def test_every_command_with_that_encoder_says_it(command, odd, toy_corpus, tmp_path, capsys):
    command = command.format(odd=odd, corpus=toy_corpus.fingerprint, out=tmp_path / "out").split()
    assert main([*command, "--json"]) == 0
    said = capsys.readouterr()
    codes = [each["code"] for each in json.loads(said.out)["warnings"]]
    assert [code for code in codes if code in SAID] == list(SAID)
    assert all(sentence in said.err for sentence in SAID.values())
