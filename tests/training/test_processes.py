"""Two processes that share each batch train as one process does with the whole batch."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.distributed as dist
import two_processes
from two_processes import CASES, everything, meet, trained

from embedlab.corpora.base import Draft, store_corpus
from embedlab.device import Device, line_of
from embedlab.encoders.processes import Processes
from embedlab.errors import EmbedlabError, SettingsError

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow  # two processes start for each; tests/tasks/test_several_processes.py has a fast one


@pytest.fixture(scope="module")
def both(tmp_path_factory, device) -> dict:
    """What this process finds together with a second one, and alone while that one starts."""
    from toy_corpora import toy_pairs, toy_texts

    place = tmp_path_factory.mktemp("processes") / "meeting"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(place.with_name("store")))
        patch.setenv("PYTHONPATH", os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "training"))))
        texts, labels = toy_texts()
        summaries = [[" ".join(text.split()[start : start + 8]) for start in (4, 12, 20)] for text in texts]
        draft = Draft("toy", "toy", texts, labels, titles=[text[:20] for text in texts], summaries=summaries)
        corpus = store_corpus(draft)
        pairs = toy_pairs()
        command = [sys.executable, two_processes.__file__, str(place), corpus.info.fingerprint, pairs.fingerprint]
        second = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        alone = {name: trained((corpus, pairs), None, **case) for name, case in CASES.items()}
        try:
            processes = meet(place, rank=0)
            found = everything((corpus, pairs), processes, place.with_name("checkpoints"))
            _, said = second.communicate(timeout=60)
            with pytest.raises(EmbedlabError) as lost:
                processes.agree()
        finally:
            second.kill()
            dist.destroy_process_group()
    assert second.returncode == 0, said
    return {"together": found, "alone": alone, "lost": lost.value}


def differ(one: torch.Tensor, other: torch.Tensor) -> float:
    """Relative L2."""
    return float((one - other).norm() / other.norm())


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_losses_gradients_and_weights_are_those_of_one_process_with_the_whole_batch(both, case):
    together, alone = both["together"][case], both["alone"][case]
    assert differ(together["losses"], alone["losses"]) <= 1e-5
    for ours, theirs in zip(together["gradients"], alone["gradients"], strict=True):
        assert theirs.norm() > 0 and differ(ours, theirs) <= 2e-5
    assert differ(together["weights"], alone["weights"]) <= 1e-5
    assert together["hashes"][0] == together["hashes"][1]


def test_too_little_memory_in_one_process_makes_the_parts_of_both_smaller(both):
    assert both["together"]["short of memory"]["told"] == [8, 4]


def test_a_resumed_run_of_two_processes_ends_with_the_bits_of_an_uninterrupted_one(both):
    whole, again = both["together"]["resumed"]
    assert again == whole


def test_each_process_reads_its_share_with_its_own_dropout(both):
    (one, other), read = both["together"]["twice"]
    assert read == [1] and differ(one, other) > 1e-3


def test_an_error_in_the_second_process_is_raised_in_the_first(both):
    error = both["together"]["failure"]
    assert (error.code, error.message) == ("E-TEST", "The second process has had enough.") and error.exit_code == 2


def test_a_process_that_is_gone_is_a_sentence(both):
    assert both["lost"].code == "E-PROCESSES" and "ended without an error message" in both["lost"].message


def test_a_device_that_two_processes_cannot_share_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    two = SimpleNamespace(count=2)
    with pytest.raises(SettingsError, match="has 1 GPU for 2 processes"):
        Processes.require(two, Device("cuda", "GPU", True))
    with pytest.raises(SettingsError, match="MPS trains with one"):
        Processes.require(two, Device("mps", "GPU", False))
    Processes.require(two, Device("cpu", "2 cores", False))


def test_the_line_of_a_device_says_how_many_processes_use_it():
    assert line_of(Device("cuda", "GPU, 9 of 9 GB free", True), 2) == "2 × GPU, 9 of 9 GB free"
    assert line_of(Device("cpu", "2 cores", False), 2) == "2 processes on 2 cores"
    assert line_of(Device("cpu", "2 cores", False)) == "2 cores"
