"""What commands say and refuse of encoders that were trained by labels, themselves or before."""

import pytest

from embedlab.jobs.progress import FolderProgress
from embedlab.metrics.split import paper_split
from embedlab.runs.labels_read import labels_of_training, write_labels_read
from embedlab.runs.state import write_state
from embedlab.runs.store import create_run, open_run
from embedlab.tasks import TASKS

TINY = {"batch_size": 16, "vocabulary_size": 300, "live_texts": 0, "maps": False}


@pytest.fixture
def train(toy_corpus):
    """``train("supervised", "token")``: the id of a run of a second, made in this process."""

    def made(recipe: str, encoder: str = "token") -> str:
        asked = {"corpus": toy_corpus.fingerprint, "encoder": encoder, "recipe": recipe, **TINY}
        run = create_run("train", asked)
        write_state(run, TASKS["train"].run(run, asked, FolderProgress(run)))
        return run.id

    return made


def test_ten_folds_are_refused_of_run_encoder_and_what_it_is_measured_against(call, train, toy_corpus):
    labelled, plain = train("supervised"), train("crops")
    corpus = ["--corpus", toy_corpus.fingerprint]
    for asked in (
        ["--run", labelled],
        ["--encoder", f"run:{labelled}", *corpus],
        ["--encoder", str(open_run(labelled).encoder), *corpus],
        ["--run", plain, "--against", f"run:{labelled}"],
    ):
        code, found = call("evaluate", *asked, "--protocol", "cv10")
        assert code != 0 and found["error"]["code"] == "E-SAW-LABELS", asked
    assert call("evaluate", "--run", plain, "--protocol", "cv10")[0] == 0


def test_evaluate_tests_no_text_whose_label_either_side_read(call, train, toy_corpus):
    plain = train("crops")
    encoder = open_run(plain).encoder
    test = call("evaluate", "--run", plain)[1]["metrics"]["knn"]["test_texts"]
    assert test == 12
    split = paper_split(toy_corpus.texts, toy_corpus.labels, toy_corpus.kept)
    write_labels_read(encoder, labels_of_training(toy_corpus, split.test[:5]))  # as if it had been trained by those
    code, found = call("evaluate", "--encoder", str(encoder), "--corpus", toy_corpus.fingerprint)
    assert code == 0 and found["metrics"]["knn"]["test_texts"] == 7
    assert [warning["code"] for warning in found["warnings"]] == ["I-SAW-LABELS"]


def test_classes_of_it_are_of_the_test_texts_and_no_label_is_suspicious(call, train):
    run = train("supervised")
    code, found = call("classes", run)
    assert code == 0 and found["of_test_texts"] and found["texts"] == 12 and found["suspicious"] is None


def test_runs_list_says_it_of_the_whole_lineage(call, train):
    first = train("supervised")
    second, plain = train("crops", f"run:{first}"), train("crops")
    said = {run["run"]: run["saw_labels"] for run in call("runs", "list")[1]["runs"]}
    assert said == {first: True, second: True, plain: False}
