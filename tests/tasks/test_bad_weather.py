"""What may go wrong while training is one sentence, and nothing that was there before is lost."""

import errno

import pytest
import torch
from doing import do, result_of
from safetensors import SafetensorError
from safetensors.torch import load_file

from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import EmbedlabError, NonFiniteError
from embedlab.machine_refusals import is_disk_full
from embedlab.runs.folder import RunFolder
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, list_runs, read_rows
from embedlab.tasks import TASKS
from embedlab.training import checkpoints
from embedlab.training.checkpoints import newest_checkpoint
from embedlab.training.settings import RunSettings
from embedlab.worker.work import main

FULL = [
    OSError(errno.ENOSPC, "No space left on device"),
    SafetensorError("I/O error: No space left on device (os error 28)"),
]


@pytest.fixture
def short(toy_corpus) -> dict:
    """Settings of a few steps of a token layer."""
    return {
        "corpus": toy_corpus.info.fingerprint,
        "encoder": "token",
        "batch_size": 16,
        "vocabulary_size": 300,
        "max_steps": 4,
        "evaluate_every": 2,
        "checkpoint_every": 1,
        "maps": False,
        "inside": False,
    }


def notices(folder: RunFolder) -> list[dict]:
    return [notice for row in read_rows(folder.metrics) for notice in row.get("notices", ())]


@pytest.mark.parametrize("error", FULL, ids=["ours", "of safetensors"])
def test_no_room_for_a_checkpoint_is_said_and_the_run_goes_on(short, monkeypatch, error):
    save, whole = checkpoints.save_file, do("train", short)

    def full_at_step_three(tensors, path):
        if "step-000003" in str(path):
            path.write_bytes(b"half")
            raise error
        save(tensors, path)

    monkeypatch.setattr(checkpoints, "save_file", full_at_step_three)
    folder = do("train", short)
    (notice,) = notices(folder)
    assert notice["code"] == "E-DISK" and "step 3" in notice["message"] and "resumes from step 2" in notice["message"]
    assert newest_checkpoint(folder.checkpoints).steps == 2
    assert not list(folder.checkpoints.glob(".*"))  # nothing half written stays
    assert result_of(folder)["weights_hash"] == result_of(whole)["weights_hash"]


def test_another_error_at_a_checkpoint_is_not_taken_for_a_full_disk(short, monkeypatch):
    def broken(tensors, path):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(checkpoints, "save_file", broken)
    with pytest.raises(OSError, match="Input/output"):
        do("train", short)
    assert not is_disk_full(OSError(errno.EIO, "Input/output error")) and all(map(is_disk_full, FULL))


def test_a_disk_full_elsewhere_ends_the_run_with_a_sentence(short, monkeypatch):
    def full(task, folder, settings, progress):
        raise FULL[0]

    monkeypatch.setattr("embedlab.worker.work.go_offline", lambda: None)
    monkeypatch.setattr(type(TASKS["train"]), "run", full, raising=False)
    folder = create_run("train", short)
    assert main(str(folder.path)) == 1
    facts = read_state(folder)
    assert (
        facts.state is State.FAILED
        and facts.failure.code == "E-DISK"
        and "free some space, then resume" in facts.failure.message
    )


def test_a_batch_larger_than_the_corpus_is_the_whole_corpus(short):
    result = result_of(do("train", {**short, "batch_size": 4096, "max_steps": 2, "epochs": 2}))
    assert result["steps"] == 2 and result["knn"]["after"] is not None


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_learning_rate_that_overflows_is_a_sentence_and_the_encoder_stays_a_number(short, precision, monkeypatch):
    monkeypatch.setattr(RunSettings, "learning_rate_for", lambda settings, encoder: 1e30)  # 10 is the most one can ask
    asked = {**short, "encoder": "scratch:bert-tiny", "warmup": 0.0, "precision": precision}
    asked |= {"max_steps": 40, "gradient_clipping": None, "training_length": 16, "max_length": 32, "decay": "constant"}
    with pytest.raises(NonFiniteError, match="Try a smaller learning rate"):
        do("train", asked)
    (folder,) = list_runs()
    kept = load_file(folder.encoder / "model.safetensors")
    assert kept and all(torch.isfinite(weights).all() for weights in kept.values())


def test_a_corpus_of_one_word_texts_has_a_sentence_or_a_result(short):
    words = [f"word{row}" for row in range(60)]
    corpus = store_corpus(Draft(name="words", source="words", texts=words, labels=[str(row % 3) for row in range(60)]))
    asked = {**short, "corpus": corpus.info.fingerprint}
    with pytest.raises(EmbedlabError) as refused:
        do("train", asked)
    assert "words" in refused.value.message and refused.value.message.endswith(".")
    assert result_of(do("train", {**asked, "encoder": "scratch:bert-tiny", "recipe": "elongation-self"}))["steps"] > 0
