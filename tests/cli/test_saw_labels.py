"""What commands say and refuse of encoders that were trained with labels, themselves or before."""

from built_once import TOKEN
from doing import do

from embedlab.metrics.split import paper_split
from embedlab.runs.label_lineage import labels_of_training, write_labels_read


def test_ten_folds_are_refused_of_run_encoder_and_what_it_is_measured_against(
    call, supervised_run, token_run, toy_corpus
):
    labelled, plain = supervised_run.id, token_run.id
    corpus = ["--corpus", toy_corpus.fingerprint]
    for asked in (
        ["--run", labelled],
        ["--encoder", f"run:{labelled}", *corpus],
        ["--encoder", str(supervised_run.encoder), *corpus],
        ["--run", plain, "--against", f"run:{labelled}"],
    ):
        code, found = call("evaluate", *asked, "--protocol", "cv10")
        assert code != 0 and found["error"]["code"] == "E-SAW-LABELS", asked
    assert call("evaluate", "--run", plain, "--protocol", "cv10")[0] == 0


def test_evaluate_tests_no_text_whose_label_either_side_read(call, token_run, toy_corpus):
    encoder = token_run.encoder
    test = call("evaluate", "--run", token_run.id)[1]["metrics"]["knn"]["test_texts"]
    assert test == 12
    split = paper_split(toy_corpus.texts, toy_corpus.labels, toy_corpus.kept)
    write_labels_read(encoder, labels_of_training(toy_corpus, split.test[:5]))  # as if it had been trained by those
    code, found = call("evaluate", "--encoder", str(encoder), "--corpus", toy_corpus.fingerprint)
    assert code == 0 and found["metrics"]["knn"]["test_texts"] == 7
    assert [warning["code"] for warning in found["warnings"]] == ["I-SAW-LABELS"]


def test_classes_of_it_are_of_the_test_texts_and_no_label_is_suspicious(call, supervised_run):
    code, found = call("classes", supervised_run.id)
    assert code == 0 and found["of_test_texts"] and found["texts"] == 12 and found["suspicious"] is None


def test_runs_list_says_it_of_the_whole_lineage(call, supervised_run, token_run, toy_corpus):
    first, plain = supervised_run.id, token_run.id
    second = do("train", {**TOKEN, "corpus": toy_corpus.fingerprint, "epochs": 1, "encoder": f"run:{first}"}).id
    said = {run["run"]: run["saw_labels"] for run in call("runs", "list")[1]["runs"]}
    assert said == {first: True, second: True, plain: False}
