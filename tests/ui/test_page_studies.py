"""Studies: empty, form, running, finished and failed; the curve and the table grow with the runs."""

import json

import numpy as np
import pytest
from builders import development, in_words, knn, leave_predictions, leave_result, leave_state, lines
from seen import drawn, words

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.jobs.campaigns import asked_of
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.working import RunStudy
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run, list_runs, stored_request
from embedlab.store_root import read_json, write_json
from embedlab.studies.plan import cells
from embedlab.studies.request import asked_study
from embedlab.studies.store import Study, add_run
from embedlab.studies.summary import study_line

SETTING = {"key": "crops", "title": "Text crops", "objective": "infonce"}


@pytest.fixture
def open_studies(open_page, monkeypatch):
    """The page with all parts known; a started worker is only noted."""
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    return lambda **address: open_page("studies" if Study.all() else "sweep", **address)


@pytest.fixture
def study(toy_corpus):
    """Two values and two seeds of the temperature."""
    return Study.create(asked_study("temperature", toy_corpus.info, values=(0.05, 0.5), seeds=(0, 1), layers=0))


def finish(study, *, count: int = 4, failed: int = 0) -> None:
    """The first so many runs, the last ``failed`` of them failed; by cosine all but one text are right."""
    for number, cell in enumerate(cells(asked_of(study))[:count]):
        corpus = open_corpus(asked_of(study).corpus)
        run, state = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"}), {}
        if number >= count - failed:
            state = {"state": "failed", "error": {"code": "E-X", "message": "The loss stopped <b>being</b> a number."}}
        else:
            right = np.arange(20) < 10 + number
            by_cosine = (["b"] * 20, ["b"] + ["a"] * 19)
            leave_predictions(run, ["a"] * 20, (["b"] * 20, in_words(right)), by_cosine)
            leave_result(
                run, corpus, steps=8, usable_texts=120, seconds=30.0,
                knn=knn((0.4, float(right.mean()), 0.9), (0.45, 0.95), n=20),
                development=development(0.1, (min(0.3 + 0.1 * number, 0.9), 0.8), n=10, step=8),
                references=lines(n=20, tfidf=0.7, svd=0.65),
            )  # fmt: skip
        leave_state(run, **state)
        add_run(study, cell, run)


def test_without_a_corpus_it_says_what_to_do(open_studies):
    at = open_studies()
    assert not at.exception
    assert "A sweep needs a corpus with labels" in words(at)


def test_the_form_says_the_paper_s_figure_and_how_many_runs_it_makes(open_studies, toy_corpus):
    at = open_studies()
    assert not at.exception
    said = words(at)
    assert "Figure S2a" in said and "Start 12 runs" in said
    assert at.text_input("studies.values-temperature").value == "0.005, 0.05, 0.5, 5"
    at.selectbox("studies.kind").set_value("corpus-size").run()
    assert at.text_input("studies.values-corpus-size").value == "120"
    assert "Figures 3 and 6" in words(at) and "Start 3 runs" in words(at)


def test_values_are_proposed_anew_for_another_corpus_but_what_was_typed_stays(open_studies, toy_corpus):
    texts = [f"Text {number} tells of something else. It has two sentences." for number in range(50)]
    other = store_corpus(Draft(name="other", source="other", texts=texts, labels=["a", "b"] * 25))
    at = open_studies(corpus=toy_corpus.fingerprint)
    at.selectbox(key="studies.kind").set_value("corpus-size").run()
    assert at.text_input("studies.values-corpus-size").value == "120"
    at.selectbox(key="studies.corpus").set_value(other.fingerprint).run()
    assert at.text_input("studies.values-corpus-size").value == "50"
    at.text_input("studies.values-corpus-size").set_value("20, 40").run()
    at.selectbox(key="studies.corpus").set_value(toy_corpus.fingerprint).run()
    assert not at.exception and at.text_input("studies.values-corpus-size").value == "20, 40"


def test_starting_makes_one_study_and_one_job_and_shows_it(open_studies, toy_corpus):
    at = open_studies()
    at.text_input("studies.values-temperature").set_value("0.05, 0.5").run()
    at.text_input("studies.seeds").set_value("0").run()
    at.text_area("studies.settings").set_value("epochs=2\naugmentation.sentences=1").run()
    assert "Start 2 runs" in words(at)
    at.button("studies.start").click().run()
    assert not at.exception
    (made,) = Study.all()
    asked = asked_of(made)
    assert (asked.values, asked.seeds) == ((0.05, 0.5), (0,))
    assert asked.settings == {"epochs": 2, "augmentation": {"sentences": 1}}
    (job,) = (job for job in list_runs("jobs") if stored_request(job).task == "study")
    assert read_request(job, RunStudy) == RunStudy(study=made.id)
    assert at.query_params["study"] in (made.id, [made.id]) and "0 of 2" in words(at)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("frozen-layers", "needs an encoder with layers"),
        ("domain-transfer", "Two phases need another corpus"),
        ("own", "Give the setting with its values"),
    ],
)
def test_what_cannot_be_started_says_why_and_has_no_button(open_studies, toy_corpus, kind, said):
    at = open_studies()
    at.selectbox("studies.kind").set_value(kind).run()
    assert not at.exception
    assert said in words(at) and at.button("studies.start").disabled


def test_series_of_recipes_own_combinations_among_them_make_so_many_runs_more(open_studies, toy_corpus):
    at = open_studies()
    at.selectbox("studies.series-temperature").set_value("recipe").run()
    assert not at.exception and "The series needs values" in words(at) and at.button("studies.start").disabled
    at.session_state["studies.series-Recipes-temperature"] = ["crops", "infonce+sentence-pairs"]
    at.run()
    assert not at.exception and "Start 24 runs" in words(at)
    at.button("studies.start").click().run()
    (made,) = Study.all()
    assert (asked_of(made).series, asked_of(made).series_values) == ("recipe", ("crops", "infonce+sentence-pairs"))
    assert study_line(made, {"temperature": "Temperature"}, {}).startswith("Temperature by recipe · ")


def test_another_setting_as_series_is_typed_as_a_command_has_it(open_studies, toy_corpus):
    at = open_studies()
    at.selectbox("studies.series-temperature").set_value("another setting").run()
    assert "give the setting of the series" in words(at) and at.button("studies.start").disabled
    at.text_input("studies.series-path-temperature").set_value("batch_size").run()
    assert not at.exception and "A series must be SETTING=VALUE" in words(at)
    at.text_input("studies.series-path-temperature").set_value("batch_size=16,32").run()
    assert not at.exception and "Start 24 runs" in words(at)


def test_a_study_of_two_series_shows_a_line_each_and_a_column(open_studies, toy_corpus):
    series = {"series": "recipe", "series_values": ("crops", "vicreg+crop")}
    study = Study.create(asked_study("temperature", toy_corpus.info, values=(0.05, 0.5), seeds=(0,), **series))
    finish(study)
    at = open_studies(study=study.id)
    assert not at.exception
    (figure,) = drawn(at)
    assert [each["name"] for each in figure["data"] if each["name"] != "one seed"] == [
        "Text crops",
        "VICReg + Text crops",
    ]
    assert list(at.dataframe[-1].value["series"]) == ["Text crops"] * 2 + ["VICReg + Text crops"] * 2
    assert "Of each by development texts: Text crops" in words(at)


def test_what_is_up_the_y_axis_is_chosen_and_two_settings_are_lines_or_a_heat_map(open_studies, toy_corpus):
    series = {"series": "batch_size", "series_values": (16, 32)}
    study = Study.create(asked_study("temperature", toy_corpus.info, values=(0.05, 0.5), seeds=(0,), **series))
    finish(study)
    at = open_studies(study=study.id)
    assert "Seconds in all" in at.selectbox("studies.measure_picker").options
    assert "Final loss" not in at.selectbox("studies.measure_picker").options
    assert "Final loss: no loss was recorded." in at.selectbox("studies.measure_picker").help
    at.selectbox("studies.measure_picker").set_value("Seconds in all").run()
    assert not at.exception
    (figure,) = drawn(at)
    assert figure["layout"]["yaxis"]["title"]["text"] == "Seconds in all (s)" and figure["data"][1]["y"] == [30, 30]
    assert "One seed each: no error." in words(at)
    at.button_group("study_view").set_value("heat").run()
    assert not at.exception
    (figure,) = drawn(at)
    assert figure["data"][0]["type"] == "heatmap" and figure["data"][0]["z"] == [[30, 30], [30, 30]]
    assert "Cells: the mean" in words(at)


def test_a_study_is_listed_with_the_name_of_its_corpus(study, toy_corpus):
    fingerprint = toy_corpus.fingerprint
    assert study_line(study, {"temperature": "Temperature"}, {fingerprint: "toy"}).startswith("Temperature · toy · ")
    assert study_line(study, {}, {}).startswith(f"temperature · {fingerprint} · ")


def test_a_wrong_value_or_seed_is_a_sentence_on_the_page(open_studies, toy_corpus):
    at = open_studies()
    at.text_input("studies.seeds").set_value("one").run()
    assert not at.exception
    assert "Seeds must be whole numbers" in words(at) and at.button("studies.start").disabled


def test_a_finished_study_shows_curve_sentence_table_and_downloads_by_cosine(open_studies, study):
    finish(study)
    at = open_studies(study=study.id)
    assert not at.exception
    (figure,) = drawn(at)
    mean = next(trace for trace in figure["data"] if trace.get("name") == "mean of the seeds")
    assert mean["x"] == [0.05, 0.5] and mean["y"] == [0.95, 0.95]
    assert "(Euclidean distance) 52.5 %" in mean["customdata"][0]
    table = at.dataframe[-1].value
    assert list(table["value"]) == ["0.05", "0.5"] and list(table["steps"]) == [8, 8]
    assert list(table["kNN after, cosine (%)"]) == [95.0, 95.0] and not [c for c in table if "Euclidean" in c]
    said = words(at)
    assert "kNN accuracy (cosine), paper's split 95.0 … 95.0 %" in said and "temperature 0.05 (80.0 %" in said
    assert "0.5 is not separable from it there" in said
    assert "Runs 4 of 4" in said and "one standard error of the mean" in said and "Continue" not in said
    assert len(at.get("download_button")) == 2


def test_the_switch_shows_the_same_study_by_euclidean_distance(open_studies, study):
    finish(study)
    at = open_studies(study=study.id, distance="euclidean")
    assert not at.exception
    (figure,) = drawn(at)
    mean = next(trace for trace in figure["data"] if trace.get("name") == "mean of the seeds")
    assert mean["y"] == [0.525, 0.625] and "(Euclidean distance)" in figure["layout"]["title"]["text"]
    assert list(at.dataframe[-1].value["kNN after, Euclidean distance (%)"]) == [52.5, 62.5]
    said = words(at)
    assert (
        "kNN accuracy (Euclidean distance), paper's split 52.5 … 62.5 %" in said and "temperature 0.5 (55.0 %" in said
    )


def test_a_failed_run_is_a_gap_with_its_reason_and_the_study_can_go_on(open_studies, study):
    finish(study, failed=1)
    job = create_run("study", {"study": study.id})
    write_state(job, State.FINISHED)
    at = open_studies(study=study.id)
    assert not at.exception
    said = words(at)
    assert "Gap at 0.5, seed 1: The loss stopped <b>being</b> a number." in said and "1 of 4 runs are missing" in said
    at.button(f"go-on-{study.id}").click().run()
    assert [read_request(each, RunStudy) for each in list_runs("jobs")] == [RunStudy(study=study.id)] * 2


def test_a_study_whose_worker_failed_says_why(open_studies, study):
    job = create_run("study", {"study": study.id})
    message = "Setting 'objective.temperature' is 50, but it should be less than 10."
    write_state(job, State.FAILED, error={"code": "E-SETTING", "message": message})
    at = open_studies(study=study.id)
    assert not at.exception
    assert message in words(at) and "4 of 4 runs are missing" in words(at)


def test_while_it_works_the_curve_has_what_is_there_and_stop_asks_the_worker(open_studies, study):
    finish(study, count=2)
    job = create_run("study", {"study": study.id})
    at = open_studies(study=study.id)
    assert not at.exception
    assert "Runs 2 of 4" in words(at) and "Time left 60 s" in words(at)
    at.button(f"stop-{job.id}").click().run()
    assert job.stop.exists()


def test_a_damaged_study_is_a_sentence_and_the_others_stay(open_studies, study, toy_corpus):
    other = Study.create(asked_study("sentences", toy_corpus.info, layers=0))
    assert json.loads(other.file.read_text(encoding="utf-8")) == read_json(other.file)
    other.file.write_text("{", encoding="utf-8")
    at = open_studies(study=other.id)
    assert not at.exception
    assert "cannot be read" in words(at)
    at = open_studies(study=study.id)
    assert not at.exception and "Runs 0 of 4" in words(at)


def test_the_methods_of_a_run_can_be_copied_and_downloaded(open_page, toy_corpus, made_run, monkeypatch):
    from streamlit.testing.v1 import AppTest

    def page(run_id):
        from embedlab.runs.store import open_run
        from embedlab.ui.run.views import show_methods

        show_methods(open_run(run_id))

    at = AppTest.from_function(page, args=(made_run(state="queued").id,)).run()
    assert not at.exception and "has no result to describe" in words(at)


def test_its_time_is_found_out_before_the_start_one_setting_after_another(open_studies, toy_corpus):
    at = open_studies()
    assert "Estimating the time" in words(at) and len(list_runs("jobs")) == 1
    timed = {"verdict_seconds": 60.0, "peak_bytes": 1_500_000_000, "disk_bytes": 10**7, "steps": 7}
    for number in range(3):
        job = list_runs("jobs")[0]
        write_json(
            job.result,
            timed
            | {"usable_texts": 90, "seconds_per_step": 0.5, "seconds": 3.5, "schedule": "fitted", "held_bytes": {}},
        )
        write_state(job, State.FINISHED)
        at.run()
        assert not at.exception
        known = f"{number + 1} of 4 settings timed on this computer"
        assert f"About 12 min for 12 runs, up to 1.5 GB of memory, 120 MB on the disk, estimated from {known}" in words(
            at
        )
    assert len(list_runs("jobs")) == 3 and "Estimating the time" not in words(at)


def test_a_study_is_deleted_with_its_runs_after_a_second_look(open_studies, study):
    finish(study)
    at = open_studies(study=study.id)
    assert "Its 4 runs too" in at.checkbox(f"studies.with-runs-{study.id}").label
    at.checkbox(f"studies.with-runs-{study.id}").check().run()
    at.button(f"studies.delete-{study.id}").click().run()
    assert not at.exception and not Study.all() and not list_runs()
    assert "There is no run yet" in words(at)


def test_corpora_are_a_series_and_their_mean_a_view(open_studies, toy_corpus):
    texts = [f"{name} number {number} of a list." for number in range(20) for name in ("apple", "engine")]
    other = store_corpus(Draft(name="lists", source="lists.csv", texts=texts, labels=["fruit", "machine"] * 20))
    at = open_studies()
    at.selectbox("studies.corpus").set_value(toy_corpus.fingerprint).run()
    at.selectbox("studies.series-temperature").set_value("corpus").run()
    assert "The series needs values. Choose under Advanced which corpora" in words(at)
    at.multiselect("studies.series-corpora-temperature").set_value([other.fingerprint]).run()
    assert not at.exception and "Start 24 runs" in words(at)
    at.button("studies.start").click().run()
    (made,) = Study.all()
    assert asked_of(made).series_values == (toy_corpus.fingerprint, other.fingerprint)
    finish(made, count=24)
    at = open_studies(study=made.id)
    at.session_state["study_view"] = "mean"
    at.run()
    assert not at.exception and "Points: means over the corpora" in words(at)
    dots = drawn(at)[0]["data"][0]["customdata"]
    assert {said.partition(":")[0] for said in dots} == {"toy", "lists"}
