"""Take away: what a run offers in each state, and a sentence where it has no encoder."""

from types import SimpleNamespace

import numpy as np
import pytest
from builders import leave_state
from doing import asked_of, queued
from drawn_maps import write_maps
from seen import words

from embedlab.errors import RunError
from embedlab.jobs.requests.drawing import DrawFigure, DrawMaps, ExportEncoder, PushRun
from embedlab.report.exports import without_encoder
from embedlab.runs.example import example_run
from embedlab.runs.state import State, read_state
from embedlab.runs.store import list_runs
from embedlab.session import current_session
from embedlab.store_root import write_json
from embedlab.ui.frame.progress import awaited_job


def with_encoder(run):
    """As if it had been saved, as far as the page looks."""
    run.encoder.mkdir()
    write_json(run.encoder / "modules.json", [])
    write_json(run.encoder / "embedlab.json", {"layers": 2})
    return run


def with_embeddings(run):
    run.embeddings("before").parent.mkdir()
    for side in ("before", "after"):
        np.save(run.embeddings(side), np.zeros((120, 2), np.float32))
    return run


def offered(at) -> list[str]:
    return [button.label.partition(" (")[0] for button in at.get("download_button")]


def test_a_finished_run_offers_encoder_embeddings_and_result(open_page, made_run, monkeypatch):
    made = []
    monkeypatch.setattr("embedlab.report.exports.encoder_zip", lambda *asked: made.append(asked))
    monkeypatch.setattr("embedlab.report.exports.embeddings_parquet", lambda *asked: made.append(asked))
    run = with_embeddings(with_encoder(made_run()))
    at = open_page("export", run=run.id)
    assert not at.exception and offered(at) == ["Download the encoder as ZIP"]
    assert any("SentenceTransformer" in code.value for code in at.code)
    at = open_page("embeddings", run=run.id)
    files = at.selectbox(key="export.embeddings")
    assert files.options == [
        "After, array (.npy)", "Before, array (.npy)", "After, table (Parquet)", "Before, table (Parquet)",
    ]  # fmt: skip
    files.set_value("before.parquet").run()
    assert not at.exception and offered(at) == ["Download"]
    assert not made  # nothing is made before a button is pressed
    at = open_page("settings", run=run.id)
    assert offered(at) == ["Download the result as JSON"] and f"away.{run.id}.copy" in at.session_state


def test_a_large_encoder_is_not_sent(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.ui.run.export_section.MOST_ZIP", 1)
    run = with_encoder(made_run())
    at = open_page("export", run=run.id)
    assert "Download the encoder as ZIP" not in offered(at) and "bytes, is here:" in words(at)


@pytest.mark.parametrize(
    ("state", "has_encoder", "said"),
    [
        ("finished", True, None),
        ("stopped", True, None),
        ("finished", False, "saved no encoder"),
        ("stopped", False, "saved no encoder"),
        ("failed", True, "This run failed"),
        ("failed", False, "This run failed"),
        ("queued", True, "as soon as it is measured"),
    ],
)
def test_without_an_encoder_there_is_a_sentence_and_no_button(open_page, made_run, state, has_encoder, said):
    run = made_run(state=state)
    if has_encoder:
        with_encoder(run)
    at = open_page("export", run=run.id)
    assert not at.exception
    assert ("Download the encoder as ZIP" in offered(at)) == (said is None)
    assert said is None or said in words(at)


def test_a_brought_run_has_embeddings_but_no_encoder_and_no_settings_to_copy(open_page, made_run):
    run = with_embeddings(made_run("own embeddings", files={"before": "a.npy"}))
    at = open_page("export", run=run.id)
    assert not at.exception and "imported from files" in words(at) and not offered(at)
    at = open_page("embeddings", run=run.id)
    assert "Before, array (.npy)" in at.selectbox(key="export.embeddings").options and offered(at) == ["Download"]
    at = open_page("settings", run=run.id)
    assert f"away.{run.id}.copy" not in at.session_state


def test_the_packaged_example_says_that_its_encoder_stayed_behind(store):
    run = example_run()
    assert "comes without its encoder" in without_encoder(run) and read_state(run).is_over


def test_another_format_is_written_by_a_job_and_offered_with_its_comparison(open_page, token_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = open_page("export", run=token_run.id)
    formats = at.selectbox(key=f"formats.which-{token_run.id}")
    assert len(formats.options) == 2  # a token layer has no ONNX, and this run no adapter
    formats.set_value("bf16").run()
    dimensions = next(each for each in at.selectbox if each.label == "Dimensions kept")
    dimensions.set_value(dimensions.options[1]).run()
    at.button(key=f"formats.write-{token_run.id}").click().run()
    (job,) = list_runs("jobs")
    assert asked_of(job) == ExportEncoder(run=token_run.id, format="bf16", dimensions=int(dimensions.options[1]))
    (job.path / "encoder.zip").write_bytes(b"x")
    exported = {"run": token_run.id, "out": "encoder.zip", "files": 1, "bytes": 9}
    exported |= {"compared": {"texts": 0, "difference": 0}}
    exported |= {"file": "encoder.zip", "format": "bf16", "sentence": "Its weights are bf16."}
    write_json(job.result, exported)
    leave_state(job, State.FINISHED)
    at.run()
    assert not at.exception and "Download it as ZIP" in offered(at) and "Its weights are bf16." in words(at)
    (job.path / "encoder.zip").unlink()  # as a job that is pruned
    at.run()
    assert not at.exception and "Download it as ZIP" not in offered(at)


def test_a_push_is_listed_before_its_button_and_starts_one_job(open_page, token_run, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_not_a_token")
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = open_page("export", run=token_run.id)
    assert not at.exception and not any(button.key == "push.start" for button in at.button)
    at.text_input(key=f"push.to-{token_run.id}").set_value("anna/docs-encoder").run()
    assert "model.safetensors" in words(at) and "License of the corpus" in words(at)
    assert at.button(key="push.start").label.endswith("readable by its owner alone")
    at.button(key="push.start").click().run()
    (job,) = list_runs("jobs")
    assert asked_of(job) == PushRun(run=token_run.id, to="anna/docs-encoder")


@pytest.mark.parametrize(
    ("to", "token", "sentence"), [("docs", "hf_not_a_token", "owner/name"), ("anna/docs", "", "HF_TOKEN")]
)
def test_a_push_that_cannot_be_is_a_sentence(open_page, token_run, monkeypatch, tmp_path, to, token, sentence):
    monkeypatch.setenv("HF_TOKEN", token)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    at = open_page("export", run=token_run.id)
    at.text_input(key=f"push.to-{token_run.id}").set_value(to).run()
    assert not at.exception and sentence in at.error[0].value.replace("\\", "")
    assert not any(button.key == "push.start" for button in at.button)


def test_where_people_sign_in_nothing_is_pushed_by_the_host_s_token(open_page, token_run, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_BEHIND_PROXY", "1")
    at = open_page("export", run=token_run.id)
    assert not at.exception and not [each for each in at.text_input if each.key.startswith("push.")]


def test_a_result_offers_its_figure_and_its_encoder_below_the_maps(open_page, made_run, toy_corpus):
    run = with_encoder(made_run())
    at, both = open_page("result", run=run.id), ["Download this figure as PDF", "Download the encoder as ZIP"]
    assert offered(at) == both and at.get("download_button")[0].proto.disabled
    assert "needs both maps: draw them first." in words(at)
    write_maps(run, toy_corpus)
    at.run()
    assert offered(at) == both and not at.get("download_button")[0].proto.disabled and "The figure" not in words(at)
    assert not list_runs("jobs")  # nothing is drawn before a button is pressed


def test_a_figure_says_that_it_waits_for_maps_being_drawn(open_page, made_run, toy_corpus):
    run = made_run()
    job = queued(DrawMaps(run=run.id))
    at = open_page("result", run=run.id)
    assert at.get("download_button")[0].proto.disabled and "as soon as both maps are drawn" in words(at)
    write_maps(run, toy_corpus)
    at.run()
    assert not at.get("download_button")[0].proto.disabled and "as they are above" in words(at)
    leave_state(job, State.FINISHED)
    assert "The figure" not in words(at.run())


@pytest.fixture
def draw(monkeypatch):
    """``draw.ended``: how the next job ends; ``draw.jobs``: those that were started, with the session of each."""
    begun = SimpleNamespace(ended="finished", jobs=[])

    def submitted(request):
        job = queued(request)
        begun.jobs.append((job, current_session()))
        leave_state(job, begun.ended)
        return job

    monkeypatch.setattr("embedlab.ui.frame.progress.submit_once", submitted)
    return begun


def test_a_download_waits_for_its_job_and_takes_the_newest_one_again(draw, made_run):
    request = DrawFigure(run=made_run().id)
    job = awaited_job(request, "a session", lambda job: False)
    assert draw.jobs == [(job, "a session")]
    assert awaited_job(request, "another", lambda job: False) == job and len(draw.jobs) == 1
    again = awaited_job(request, "another", lambda job: True)  # what it was made of has changed
    assert again != job and draw.jobs[1:] == [(again, "another")]


def test_a_download_whose_job_fails_is_refused_and_tried_again(draw, made_run):
    request, draw.ended = DrawFigure(run=made_run().id), "failed"
    with pytest.raises(RunError, match="is failed. Press the button again"):
        awaited_job(request, "a session", lambda job: False)
    draw.ended = "finished"
    assert awaited_job(request, "a session", lambda job: False) == draw.jobs[1][0]
