"""What broke or contradicted itself in a newcomer's first ten minutes, each as it is met in a browser."""

import csv
import io
import re
import zipfile

import pytest
from hostile_texts import written_corpus
from looking import idle, no_failure, open_page, until

from embedlab.corpora import load_corpus
from embedlab.jobs.runner import submit, wait
from embedlab.runs.result import read_result
from embedlab.runs.state import State
from embedlab.training.settings import RunSettings

QUICK = {"encoder": "token", "vocabulary_size": 300, "batch_size": 16, "max_steps": 6, "evaluate_every": 3}


@pytest.fixture(scope="module")
def two_runs(home, app, tmp_path_factory):
    """Two finished runs on one corpus, the newer one last."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(home))
        corpus = load_corpus(str(written_corpus(tmp_path_factory.mktemp("two") / "two.csv", per_class=15)))
        asked = {**QUICK, "corpus": corpus.fingerprint, "recipe": "crops", "maps": False, "inside": False}
        runs = [submit(RunSettings(**{**asked, "seed": seed}), name=f"seed {seed}") for seed in (0, 1)]
        for run in runs:
            assert wait(run).state is State.FINISHED
    return runs


def upload(page, app, name: str, content: bytes) -> None:
    page.goto(f"{app.url}/corpus?corpus.source=Your+file")
    idle(page)
    picker = page.locator('input[type="file"]:not([accept*=".npy"])')
    picker.set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})


@pytest.mark.slow
def test_a_large_csv_with_line_breaks_in_its_cells_is_proposed(page, app):
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(["text", "label"])
    for row in range(12_000):
        writer.writerow([f"Row {row} says\nsomething, in “quotes”\n" + "of many words " * 26, "ab"[row % 2]])
    content = written.getvalue().encode()
    assert len(content) > 4 * 2**20
    upload(page, app, "posts.csv", content)
    page.get_by_role("button", name="Read these texts").wait_for()
    assert "never closes" not in page.locator("body").inner_text()
    no_failure(page)


@pytest.mark.slow
def test_a_damaged_workbook_is_one_sentence_that_names_it(page, app):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook>" + "<sheet/>" * 500 + "</workbook>")
    content = bytearray(packed.getvalue())
    content[60:70] = b"\xff" * 10
    upload(page, app, "marks.xlsx", bytes(content))
    page.get_by_test_id("stAlert").get_by_text("'marks.xlsx' cannot be read").wait_for()
    no_failure(page)


@pytest.mark.slow
def test_the_picked_run_stays_and_an_unknown_one_is_said(page, app, two_runs):
    first, second = two_runs
    page.goto(f"{app.url}/evaluate?run={first.id}")
    idle(page)
    for name in ("Runs", "Data", "Run"):
        open_page(page, name)
        until(page, lambda: f"run={first.id}" in page.url)
    assert page.get_by_role("combobox", name="Run").input_value().startswith("seed 0")
    page.goto(f"{app.url}/evaluate?run=nosuchrun1")
    page.get_by_text("is not in this store").wait_for()
    no_failure(page)


@pytest.mark.slow
def test_evaluate_opens_on_what_training_measured_and_the_numbers_are_those_of_home(page, app, two_runs):
    run = two_runs[1]
    after = f"{100 * read_result(run).knn.after.cosine.value:.1f}"
    page.goto(f"{app.url}/?run={run.id}")
    page.get_by_text(re.compile("Helped|No clear change|Hurt|Too few test texts")).first.wait_for()
    number = page.get_by_test_id("stMetric").filter(has_text=re.compile(r"^\s*after"))  # numbers are drawn in any order
    number.get_by_text(re.compile(rf"\b{re.escape(after)}.%")).first.wait_for()
    page.goto(f"{app.url}/evaluate?run={run.id}")
    idle(page)
    page.get_by_test_id("stDataFrame").wait_for()
    said = page.locator('[data-testid="stDataFrame"] table').inner_text()
    assert "kNN accuracy (cosine)" in said and after in said


@pytest.mark.slow
def test_a_run_is_taken_away_with_its_encoder_and_its_command(page, app, two_runs):
    page.goto(f"{app.url}/train?run={two_runs[1].id}")
    page.get_by_role("tab", name="Export", exact=True).click()
    made = page.get_by_role("button", name=re.compile("ZIP"))
    made.click()
    saved = page.get_by_role("button", name=re.compile("Download.*ZIP|Save.*ZIP|\\.zip", re.I)).last
    with page.expect_download() as loading:
        saved.click()
    names = zipfile.ZipFile(loading.value.path()).namelist()
    assert any(name.endswith("README.md") for name in names) and any(name.endswith(".safetensors") for name in names)
    page.get_by_role("radio", name="Result and settings", exact=True).click()
    page.get_by_role("button", name="Copy these settings").click()
    page.get_by_text("python -m embedlab train").first.wait_for()


@pytest.mark.slow
def test_one_time_and_one_state_while_a_run_works(page, app, home, monkeypatch, tmp_path):
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    corpus = load_corpus(str(written_corpus(tmp_path / "works.csv")))
    asked = {**QUICK, "max_steps": 100_000, "epochs": 1000, "corpus": corpus.fingerprint, "recipe": "crops"}
    run = submit(RunSettings(**asked), name="works")
    page.goto(f"{app.url}/train?run={run.id}")
    page.locator(".chart").first.wait_for()
    until(page, lambda: "queued" not in page.get_by_test_id("stSidebar").inner_text())
    assert page.get_by_role("button", name="Stop", exact=True).count() == 0  # Streamlit's own
    page.get_by_role("button", name="Stop and keep the best").click()
    assert wait(run).state is State.STOPPED


@pytest.mark.slow
def test_the_chosen_encoder_stays_while_corpora_change_its_label(page, app, two_runs, home, monkeypatch, tmp_path):
    """How long an encoder took stands in its label, on one corpus and not on the other."""
    monkeypatch.setenv("EMBEDLAB_HOME", str(home))
    timed, other = "two", load_corpus(str(written_corpus(tmp_path / "never timed.csv"))).info.name
    encoder, corpus = (page.get_by_role("combobox", name=name, exact=True) for name in ("Encoder", "Corpus"))

    def choose(box, option: str) -> None:
        entry = page.get_by_role("option", name=option).first

        def is_open() -> bool:
            if not entry.is_visible():
                box.press("ArrowDown")  # a rerun, such as that of a finished timing, closes the list
            return entry.is_visible()

        until(page, is_open)
        entry.click()
        idle(page)

    page.goto(f"{app.url}/train")
    idle(page)
    choose(corpus, timed)
    choose(encoder, "Token embeddings")
    for name, is_timed in ((other, False), (timed, True), (other, False), (timed, True)):
        choose(corpus, name)
        until(page, lambda is_timed=is_timed: ("about" in encoder.input_value()) == is_timed)
        assert encoder.input_value().startswith("Token embeddings")
        until(page, lambda: page.get_by_text("safetensors of a BERT-like encoder").count() == 0)
    no_failure(page)
