"""What a command refuses, by which sentence: one line for each refusal that no longer test of its command meets."""

import pytest
from builders import finished, leave_result

from embedlab.jobs.executors import EXECUTORS

REFUSED = {
    "runs without a measurement": (["compare", "{run}", "{other}"], "None of these runs has been measured"),
    "classes of an encoder trained with labels": (["classes", "{supervised}"], "has no stored predictions of them"),
    "no corpus to choose from": (["corpus", "subset", "--class", "law"], "A corpus is needed to choose from"),
    "embedding in a batch queue": (["embed", "--encoder", "token", "--corpus", "{corpus}", "--on", "slurm", "--out",
                                    "{folder}/x.npy"], "on a Ray cluster, but --on is slurm"),
    "a map onto another of no run": (["map", "--embeddings", "{folder}/x.npy", "--onto", "{run}", "--out",
                                      "{folder}/x.parquet"], "there is no --run. Give one with --run"),
    "a ranking without judgments": (["evaluate", "--ranking", "{folder}/x.trec"], "with the judgments of --on FILE"),
    "a ranking by another metric": (["evaluate", "--ranking", "{folder}/x.trec", "--on", "{folder}/q", "--metrics",
                                     "knn"], "with the judgments of --on FILE"),
    "an export of a run at work": (["runs", "export", "{running}", "--out", "{folder}/x.zip"], "is still running"),
    "neither corpus nor run": (["layers", "--encoder", "token"], "A corpus is needed: specify one with --corpus"),
    "a folder that is none": (["runs", "export", "{run}", "--out", "{folder}/none/x.zip"], "The folder of --out '"),
    "no run at once": (["study", "run", "temperature", "--corpus", "{corpus}", "--at-once", "0"], "1 or more, but"),
}  # fmt: skip


@pytest.fixture
def names(toy_corpus, tmp_path):
    """What the lines above name: runs on the toy corpus, the corpus, and a folder."""
    supervised = finished(toy_corpus, recipe="supervised")
    leave_result(supervised, toy_corpus, supervised=True)
    runs = {"run": finished(toy_corpus), "other": finished(toy_corpus), "supervised": supervised}
    runs["running"] = finished(toy_corpus, state="queued")
    return {name: run.id for name, run in runs.items()} | {"corpus": toy_corpus.fingerprint, "folder": tmp_path}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_command_cannot_do_is_refused_in_a_sentence(call, names, name, monkeypatch):
    monkeypatch.setattr(EXECUTORS["slurm"], "unreachable", lambda: None)
    arguments, sentence = REFUSED[name]
    code, printed = call(*(each.format(**names) for each in arguments))
    assert code == 2 and sentence in printed["error"]["message"], printed
