"""Corpora and runs from a notebook: read, trained, stopped, failed, opened, and seen by the command line."""

import json
import sys
from functools import partial

import pandas as pd
import pytest
import tqdm
from builders import finished

import embedlab as el
from embedlab.api import following
from embedlab.cli import main
from embedlab.errors import CorpusError, EmbedlabError, RunError, SettingsError, StoreError, UnknownPartError, UserError
from embedlab.jobs.requests.drawing import DrawMaps
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, stored_request
from embedlab.session import NOTEBOOK


def test_a_data_frame_and_its_csv_file_are_the_same_corpus(store, frame, tmp_path, capsys):
    frame = frame.drop(columns="year")  # a number in the one, text in the other
    from_frame = el.load_corpus(frame, text="abstract", label="topic", name="toy")
    frame.to_csv(tmp_path / "toy.csv", index=False)
    from_file = el.load_corpus(tmp_path / "toy.csv", text="abstract", label="topic")
    assert from_frame.fingerprint == from_file.fingerprint == el.load_corpus(from_file.fingerprint).fingerprint
    assert from_frame.name == "toy" and list(from_frame.texts) == list(frame["abstract"])
    assert from_frame.labels.tolist() == list(frame["topic"])
    err = capsys.readouterr().err  # how it was read is never silent
    assert "Read as DataFrame; text is 'abstract', label is 'topic'; 120 rows" in err and "Read as CSV" in err


def test_further_columns_of_a_data_frame_are_kept_and_its_index_is_not(store, frame):
    corpus = el.load_corpus(frame.set_index(frame.index + 7), text="abstract", label="topic", progress=False)
    assert corpus.info.columns == ("year",) and corpus.column("year")[:2] == [0, 1]


def test_without_a_label_column_a_corpus_has_no_labels(store, frame):
    assert el.load_corpus(frame[["abstract"]], progress=False).labels is None
    assert el.load_corpus(frame, text="abstract", label="", progress=False).labels is None


@pytest.mark.parametrize(
    ("source", "reading", "error", "sentence"),
    [
        ("nowhere.csv", {}, CorpusError, "There is no file or folder 'nowhere.csv'"),
        ("doks", {}, CorpusError, "Did you mean 'docs'"),
        (pd.DataFrame({"a": ["x y z"]}), {"text": "b"}, CorpusError, "'b'"),
        (pd.DataFrame({"text": ["", "  "]}), {"text": "text"}, CorpusError, "all without text"),
        (pd.DataFrame({"text": ["a b", 3, {"c": 1}]}), {}, CorpusError, "cannot be stored as a table"),
        (pd.DataFrame({"text": ["a b"]}), {"txt": "text"}, SettingsError, "no setting called 'txt'"),
        (["a text"], {}, CorpusError, "but a list was given"),
        (None, {}, CorpusError, "but a NoneType was given"),
    ],
)
def test_a_wrong_source_is_one_sentence(store, source, reading, error, sentence):
    with pytest.raises(el.EmbedlabError, match=sentence) as failure:
        el.load_corpus(source, progress=False, **reading)
    assert type(failure.value) is error


def test_odd_texts_pass_unchanged(store):
    texts = [
        'He said "no",\nthen left.',
        "tab\there",
        "<b>bold</b> & $x$",
        "Ünïcode 文字 🙂",
        "again again",
        "again again",
    ]
    corpus = el.load_corpus(pd.DataFrame({"text": texts}), text="text", label="", progress=False)
    assert list(corpus.texts) == texts


def test_a_run_of_a_notebook_is_on_the_command_line_and_says_where_it_began(toy_corpus, tiny, capfd):
    run = el.train(toy_corpus, **{**tiny, "epochs": 1}, name="from a notebook")
    assert run.state is State.FINISHED and run.name == "from a notebook"
    assert stored_request(run.folder).session == NOTEBOOK
    capfd.readouterr()
    assert main(["runs", "show", run.id, "--json"]) == 0
    printed = json.loads(capfd.readouterr().out)
    assert printed["name"] == "from a notebook" and printed["state"] == "finished"
    assert printed["result"]["knn"]["after"] == run.knn.euclidean.after
    assert printed["result"]["knn"]["cosine"]["before"] == run.knn.cosine.before
    assert run.settings["batch_size"] == 16 and run.corpus.fingerprint == toy_corpus.fingerprint
    assert len(run.to_pandas("terms")) == run.result.steps == 8


def test_a_run_of_the_command_line_is_in_the_notebook(token_run):
    (run,) = el.list_runs()
    assert run == el.open_run(token_run.id) == el.Run(token_run) and run.id == token_run.id


def test_settings_of_parts_are_dicts_and_wrong_ones_are_said_before_a_corpus_is_read(store, monkeypatch):
    with pytest.raises(SettingsError, match="no setting called 'objective.temprature'"):
        el.train("nowhere.csv", recipe="crops", objective={"temprature": 1})
    with pytest.raises(SettingsError, match="batch_size"):
        el.train("nowhere.csv", batch_size=1)
    with pytest.raises(UnknownPartError, match="Did you mean 'crops'"):
        el.train("nowhere.csv", recipe="crop")
    with pytest.raises(UserError, match="slurmm"):
        el.train("nowhere.csv", on="slurmm")
    assert el.list_runs() == []


def test_without_encoder_and_recipe_the_corpus_decides(toy_corpus, monkeypatch):
    requests = []

    def submitted(request, *, name="", on=None):
        requests.append(request)
        return create_run(request.task, request.stored, name=name)

    monkeypatch.setattr("embedlab.api.training.submit", submitted)
    el.train(toy_corpus, wait=False)
    el.train(toy_corpus, wait=False, encoder="token", seed=3, objective={"temperature": 0.2})
    first, second = requests
    assert (first.encoder, first.recipe, first.seed) == ("words", "sentences", 0)
    assert (second.encoder, second.recipe, second.seed) == ("token", "crops", 3)
    assert second.objective["temperature"] == 0.2


def test_a_run_that_fails_raises_what_its_worker_raised(store, tiny):
    short = pd.DataFrame({"text": ["One short text.", "Another one."], "label": ["a", "b"]})
    with pytest.raises(UserError, match="crops") as failure:
        el.train(short, **tiny)
    (run,) = el.list_runs()
    assert run.state is State.FAILED and run.id in failure.value.__notes__[0]
    assert read_state(run.folder).failure.message == failure.value.message
    with pytest.raises(UserError) as again:
        run.knn  # noqa: B018
    assert again.value.message == failure.value.message and again.value.code == failure.value.code
    assert failure.value.message in repr(run)


def test_a_corpus_without_labels_trains_and_has_no_knn(store, frame, tiny):
    run = el.train(frame[["abstract"]], **{**tiny, "epochs": 1})
    assert run.knn is None and run.verdict == "" and "needs labels" in run.result.why_no_knn
    assert run.encoder.encode(["star and moon"]).shape == (1, run.encoder.get_sentence_embedding_dimension())
    assert run.to_pandas().empty and len(run.to_pandas("terms")) == 8
    with pytest.raises(UserError, match="label"):
        el.layers(run, progress=False)


def test_an_interrupt_stops_the_run_keeps_its_encoder_and_goes_on(toy_corpus, tiny, monkeypatch):
    stages = []

    def interrupted(self, stage, done=0, total=0):
        stages.append(stage)
        if stage == "Fine-tuning":
            monkeypatch.setattr(following.Bar, "__call__", lambda *_: None)
            raise KeyboardInterrupt

    monkeypatch.setattr(following.Bar, "__call__", interrupted)
    settings = {**tiny, "progress": True, "epochs": 1000, "evaluate_every": 50}
    with pytest.raises(KeyboardInterrupt) as interrupt:
        el.train(toy_corpus, **settings)
    (run,) = el.list_runs()
    assert run.state is State.STOPPED and f"open_run({run.id!r})" in interrupt.value.__notes__[0]
    assert 0 < run.result.steps < 8000 and run.result.stopped and run.knn.cosine.after >= 0
    assert run.encoder.encode(["star"]).shape[0] == 1
    with pytest.raises(RunError, match="nothing to stop"):
        run.stop()


@pytest.mark.parametrize(
    ("state", "sentence"),
    [(State.INTERRUPTED, "was interrupted. Continue with"), (State.STOPPED, "stopped before anything was measured")],
)
def test_a_run_that_ended_without_a_result_says_how_to_continue(toy_corpus, state, sentence):
    run = el.Run(finished(toy_corpus, state=state))
    for question in (run.wait, lambda: run.knn, lambda: run.encoder):
        with pytest.raises(EmbedlabError, match=sentence):
            question()


def test_a_queued_run_says_that_it_has_no_result_yet(toy_corpus):
    run = el.Run(create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token", "recipe": "crops"}))
    with pytest.raises(RunError, match=r"is queued and has no result yet. Wait for it: run.wait\(\)"):
        run.verdict  # noqa: B018
    assert "This run is queued." in repr(run) and run.to_pandas().empty


def test_an_unknown_run_and_a_job_are_refused(toy_corpus):
    with pytest.raises(RunError, match="There is no run with the id 'nonsense'"):
        el.open_run("nonsense")
    job = create_run("map", DrawMaps(run="x").stored)
    with pytest.raises(RunError, match=f"A run is needed, but {job.id} is a job \\(map\\)"):
        el.open_run(job.id)


def test_a_run_that_cannot_be_read_is_a_warning_not_an_end(token_run):
    damaged = create_run("train", {"corpus": "x"})
    damaged.settings.write_text("{", encoding="utf-8")
    with pytest.warns(UserWarning, match=damaged.id):
        assert [run.id for run in el.list_runs()] == [token_run.id]


def test_what_the_system_refuses_is_a_store_error(store, frame, monkeypatch):
    file = store.parent / "file"
    file.touch()
    monkeypatch.setenv("EMBEDLAB_HOME", str(file / "store"))
    with pytest.raises(StoreError, match="is a file"):
        el.load_corpus(frame, text="abstract", label="topic", progress=False)


def test_progress_is_a_bar_and_without_tqdm_a_line_for_each_stage(store, monkeypatch, capsys):
    monkeypatch.setattr("tqdm.tqdm", partial(tqdm.tqdm, mininterval=0, miniters=1))  # draws each time
    with following.progress_bar(True) as says:
        for done in (2, 3, 6):
            says("Embedding 8 texts", done, 8)
    drawn = capsys.readouterr().err
    assert all(f"{done}/8" in drawn for done in (2, 3, 6)) and "Embedding 8 texts" in drawn
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with following.progress_bar(True) as says:
        for done in (1, 2):
            says("Embedding 8 texts", done, 8)
    assert capsys.readouterr().err == "Embedding 8 texts\n"
    with following.progress_bar(False) as says:
        says("Embedding 8 texts", 4, 8)
    assert capsys.readouterr().err == ""
