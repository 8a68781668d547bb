"""Length: opens in every state, shows both encoders and the copies that fit, and the bench is waited for."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from builders import length_facts
from doing import asked_of
from drawn_maps import write_maps
from seen import drawn, maps, words

from embedlab.damage import as_model
from embedlab.figures.length import copies_read, cosine_axis, over_copies
from embedlab.jobs.questions import ask_folder
from embedlab.jobs.requests.measuring import AttackLength
from embedlab.metrics.length_results import COPIES, AttackedPairs, Bench, Moments, Shift
from embedlab.report.length_words import answer, cosines, flight_table, truncation_sentence, way
from embedlab.runs.store import list_runs
from embedlab.runs.vectors import Flight
from embedlab.store_root import read_json, write_json


def write_length(run) -> None:
    """Four pairs of either kind: untouched rise by 0.2, fine-tuned stay."""
    parts = []
    for kind in ("random", "same_label"):
        for encoder, rise in (("untouched", 0.2), ("tuned", 0.0)):
            before = np.array([0.0, 0.1, 0.2, 0.3]) + 0.1 * (kind == "same_label")
            columns = {"before": before, "after": before + rise, "effective_copies": [8.0, 8.0, 10.0, 20.0]}
            parts.append(pa.table({"kind": [kind] * 4, "encoder": [encoder] * 4, **columns}))
    run.length.parent.mkdir()
    pq.write_table(pa.concat_tables(parts), run.similarities)
    write_json(run.length, length_facts(1.79, 0.0))


def bench_answer(most: float = 12.5) -> dict:
    """As ``ask`` gives it: m up to 12 fits."""
    part = {
        "copies": COPIES,
        "cosines": [0.06 + 0.002 * m for m in COPIES],
        "effective_copies": [min(m, most) for m in COPIES],
        "truncated_from": next((m for m in COPIES if m > most), None),
        "flat_because": None,
    }
    return {"before": part, "after": {**part, "cosines": [0.2] * len(COPIES)}}


@pytest.mark.parametrize(
    ("after", "said"),
    [(0.58, "makes unrelated texts look more similar: mean similarity 0.21 → 0.58 fine-tuned, 0.30 (unchanged) "
            "untouched."),
     (0.11, "makes unrelated texts look less similar: "), (0.22, "hardly changes how similar unrelated texts look: ")],
)  # fmt: skip
def test_the_pages_question_is_answered_in_a_sentence(made_run, after, said):
    means = {"untouched": (0.3, 0.3), "tuned": (0.21, after)}
    shifts = {
        encoder: Shift(before=Moments(mean=before, std=0.1), after=Moments(mean=later, std=0.1))
        for encoder, (before, later) in means.items()
    }
    found = AttackedPairs(pairs=4, **shifts)
    assert answer(made_run("scratch:bert-tiny"), found).startswith(f"Repeating a text {said}")


def test_without_a_run_it_says_what_to_do(open_page):
    at = open_page("length")
    assert not at.exception
    assert "There is no run yet" in words(at)


@pytest.mark.parametrize("state", ["queued", "failed", "interrupted"])
def test_a_run_without_a_result_is_explained(open_page, made_run, state):
    at = open_page("length", run=made_run("scratch:bert-tiny", state=state).id)
    assert not at.exception
    assert state != "failed" or "The loss became NaN or infinite" in words(at)


def test_measuring_starts_one_job_whose_copies_are_the_papers_unless_they_take_too_long(
    open_page, made_run, monkeypatch
):
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    run = made_run("scratch:bert-tiny")
    open_page("length", run=run.id).button("length.measure").click().run()
    (job,) = list_runs("jobs")
    assert asked_of(job) == AttackLength(run=run.id, settings={})  # empty: a hundred, or what fits a minute


def test_the_numbers_and_the_copies_that_fit_are_said(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_length(run)
    at = open_page("length", run=run.id)
    assert not at.exception
    said = words(at)
    assert "Moved, untouched 1.79 sd" in said and "AUC, untouched 0.75 → 0.70" in said
    assert "Moved, fine-tuned 0.00 sd" in said and "Copies m 11.5" in said
    assert "4 random pairs of titles. m is the largest number up to 100" in said
    assert "m = 8 … 20 times, 11.5 on average" in drawn(at)[0]["layout"]["title"]["subtitle"]["text"]


def test_the_pairs_of_one_label_are_a_switch_away(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_length(run)
    at = open_page("length", run=run.id)
    at.session_state["length.kind"] = "same_label"
    at.run()
    assert "4 pairs with the same label, titles." in words(at)
    assert cosines(pq.read_table(run.similarities), kind="same_label", encoder="tuned")["before"][0] == pytest.approx(
        0.1
    )


def test_pairs_of_a_file_are_named_and_have_no_pairs_of_one_label(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_length(run)
    write_json(run.length, {**read_json(run.length), "texts": "given", "file": "my *pairs*.csv", "same_label": None})
    at = open_page("length", run=run.id)
    assert not at.exception
    assert "4 pairs of my *pairs*.csv. m is" in words(at)


def test_the_bench_asks_once_waits_and_shows_the_answer(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.questions.submit", lambda request: None)
    run = made_run("scratch:bert-tiny")
    at = open_page("length", run=run.id)
    at.session_state["length.view"] = "bench"
    at.run()
    assert "The first answer takes a few seconds" in words(at)
    at.run()
    (question,) = ask_folder().glob("*.question.json")  # running the page again asks nothing again
    asked = read_json(question)
    assert (asked["kind"], asked["run"], asked["a"], asked["b"]) == (
        "length",
        run.id,
        "what is NLP?",
        "what is computer vision?",
    )
    write_json(ask_folder() / question.name.replace("question", "answer"), bench_answer())
    at.run()
    assert not at.exception
    said = words(at)
    assert "Untouched, m = 1 → 25 0.06 → 0.11" in said and "Copies read 12.5" in said
    assert "At m = 25 the encoder reads 12.5 copies of the longer text and truncates the rest" in said


def flight_answer(kept: int = 3) -> dict:
    """Rows 0 to 9 as it is; repeated, all but ``kept`` of them are others, and the text goes to the right."""
    near = [{"rows": [*range(kept), *range(20, 30 - kept)] if m > 1 else list(range(10)), "distances": [0.1] * 10}
            for m in COPIES]  # fmt: skip
    part = {
        "copies": COPIES,
        "effective_copies": [min(m, 12.5) for m in COPIES],
        "truncated_from": 15,
        "flat_because": None,
        "is_known": True,
        "near": near,
        "stays": [10 if m == 1 else kept for m in COPIES],
        "places": [[float(m), 0.5] for m in COPIES],
    }
    return {"before": part, "after": part | {"stays": [10] * len(COPIES), "near": [near[0]] * len(COPIES)}}


def test_a_text_flies_and_its_neighbors_are_listed_as_it_is_and_repeated(open_page, made_run, toy_corpus, monkeypatch):
    monkeypatch.setattr("embedlab.jobs.questions.submit", lambda request: None)
    run = made_run("scratch:bert-tiny")
    at = open_page("length", run=run.id)
    at.session_state["length.view"] = "flight"
    at.run()
    (question,) = ask_folder().glob("*.question.json")
    asked = read_json(question)
    assert (asked["kind"], asked["text"], asked["k"]) == ("flight", toy_corpus.titles[0], 10)
    write_json(ask_folder() / question.name.replace("question", "answer"), flight_answer())
    at.run()
    assert not at.exception and not maps(at)
    said = words(at)
    assert "Repeated 25 times, the text keeps 10 of its 10 nearest texts fine-tuned, and 3 of 10 untouched." in said
    assert "maps of this run are not drawn yet" in said and "the encoder reads 12.5 copies" in said
    lines = {trace["name"]: trace["y"] for trace in drawn(at)[0]["data"]}
    assert lines["untouched"][:2] == [10, 3] and lines["fine-tuned"][-1] == 10
    assert ":blue-badge[new]" not in said
    at.segmented_control(key="length.flown-by").set_value("Untouched").run()
    assert words(at).count(":gray-badge[left]") == words(at).count(":blue-badge[new]") == 7
    write_maps(run, toy_corpus)
    at.run()
    assert not at.exception and len(maps(at)) == 2
    assert all("25 times" in each and "as it is" in each for each in maps(at))


def test_the_flight_can_be_taken_along():
    table = flight_table(as_model(flight_answer(), dict[str, Flight])).to_pylist()
    assert len(table) == 2 * len(COPIES)
    assert table[1] == {"encoder": "before", "copies": 2, "x": 2.0, "y": 0.5, "kept": 3,
                        "nearest rows": "0 1 2 20 21 22 23 24 25 26"}  # fmt: skip
    nowhere = flight_answer()["before"] | {"places": [None] * len(COPIES)}
    assert flight_table(dict.fromkeys(("before", "after"), as_model(nowhere, Flight)))["x"].null_count == 2 * len(
        COPIES
    )


def test_the_way_of_a_text_has_a_dot_for_each_m_and_two_names():
    places = [[0.0, 1.0], None, [2.0, 3.0]]
    assert way(places, 2) == [("", 0, 1), ("", 2, 3), ("as it is", 0, 1), ("3 times", 2, 3)]
    assert way(places, 1) == [("", 0, 1), ("", 2, 3), ("as it is", 0, 1)]  # no place there
    assert way(places, 0)[2:] == [("as it is", 0, 1)]


def test_a_text_that_no_encoder_knows_has_no_place(open_page, made_run, monkeypatch):
    nowhere = flight_answer()["before"] | {"is_known": False}
    monkeypatch.setattr("embedlab.ui.frame.background.ask", lambda question: "number")
    both = {"before": nowhere, "after": nowhere}
    monkeypatch.setattr("embedlab.ui.frame.background.answer", lambda number, **wait: both)
    at = open_page("length", run=made_run("scratch:bert-tiny").id)
    at.session_state["length.view"] = "flight"
    at.run()
    assert not at.exception and "no token of this text" in words(at) and not drawn(at)


def test_a_refused_question_is_shown_as_its_sentence(open_page, made_run, monkeypatch):
    monkeypatch.setattr("embedlab.ui.frame.background.ask", lambda question: "number")
    monkeypatch.setattr(
        "embedlab.ui.frame.background.answer",
        lambda number, **wait: {"error": {"code": "E", "message": "The encoder is gone."}},
    )
    at = open_page("length", run=made_run("scratch:bert-tiny").id)
    at.session_state["length.view"] = "bench"
    at.run()
    assert [error.value for error in at.error] == ["The encoder is gone\\."]


@pytest.mark.parametrize(
    ("m", "most", "sentence"),
    [
        (10, 12.5, "At m = 10 the encoder reads every copy. Of the longer text it reads at most 12.5 copies."),
        (
            15,
            12.5,
            "At m = 15 the encoder reads 12.5 copies of the longer text and truncates the rest, so m is really 12.5.",
        ),
        (15, 500, "The encoder reads all 100 copies of both texts: nothing is truncated."),
    ],
)
def test_what_truncation_does_to_m_is_said(m, most, sentence):
    assert truncation_sentence(as_model(bench_answer(most)["before"], Bench), m) == sentence


def test_the_token_layer_says_why_it_is_flat(open_page, made_run):
    at = open_page("length", run=made_run("token").id)
    assert not at.exception
    assert "length changes nothing" in words(at)
    assert at.button("length.layered").label.startswith("Train the demo")


def test_a_cosine_that_is_not_known_leaves_its_line_out():
    axis = cosine_axis([0.5, 0.6, None, None])
    figure = over_copies(axis, copies=[1, 2], untouched=[0.5, 0.6], tuned=[None, None], at=2)
    assert [trace.name for trace in figure.data] == ["untouched"]


def test_the_copies_that_fit_are_counted_whole():
    figure = copies_read(np.array([2.0, 2.9, 5.0]))
    assert list(figure.data[0].x) == [2, 5] and list(figure.data[0].y) == [2, 1]


def test_other_runs_cosines_stand_in_the_same_picture_below(open_page, made_run):
    other, run = made_run("scratch:bert-mini", name="other"), made_run("scratch:bert-mini", name="mine")
    for each in (other, run):
        write_length(each)
    at = open_page("length", run=run.id)
    assert len(drawn(at)[0]["data"]) == 4
    at.multiselect(key="length.beside").set_value([other.id]).run()
    assert not at.exception, at.exception
    figure = drawn(at)[0]
    assert len(figure["data"]) == 6 and "other mean 0.15 as it is and 0.15 elongated" in figure["layout"]["meta"]["alt"]
    below = [trace for trace in figure["data"] if trace.get("legend", "legend") == "legend"]
    assert [trace["hovertemplate"].partition(",")[0] for trace in below] == ["other", "other"]  # the lowest row


def test_without_two_texts_of_one_label_there_is_no_auc(open_page, made_run):
    run = made_run("scratch:bert-tiny")
    write_length(run)
    facts = read_json(run.length)
    for measured in facts["robustness"].values():
        measured["auc_before"] = measured["auc_after"] = None
    write_json(run.length, facts)
    at = open_page("length", run=run.id)
    assert not at.exception
    labels = [each.label for each in at.metric]
    assert [label for label in labels if label.startswith("Moved")] and not [each for each in labels if "AUC" in each]
