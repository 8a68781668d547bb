"""Find on the page Train: nothing yet, what it asks, at work, finished, beaten by counting words, ended early."""

import pyarrow as pa
import pytest
from builders import change_result
from drawn_maps import write_maps
from filelock import FileLock
from made_finds import CHEAPEST, WINNER, made_find, over, working
from seen import drawn, maps, words

from embedlab.corpora.base import Draft, store_corpus
from embedlab.corpora.sets.stored import store_set
from embedlab.finds.curves import curves_of, seconds_left
from embedlab.finds.model import FindResults
from embedlab.finds.store import Find, write_results
from embedlab.jobs.campaigns import asked_of, job_of
from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.requests.base import read_request
from embedlab.jobs.requests.working import RunFind
from embedlab.runs.state import State, read_state
from embedlab.session import working_for
from embedlab.ui.train.find_view import find_line


@pytest.fixture
def train(open_page, monkeypatch):
    """The view Find of the page; a started worker is only noted."""
    monkeypatch.setattr("embedlab.jobs.runner.start", lambda folder, on=None: folder)
    return lambda **address: open_page("train", **{"train.view": "Find", **address})


@pytest.fixture
def at_work(toy_corpus):
    """``at_work(results)``: a Find whose job a living worker holds."""
    locks = []

    def made(results=None, **facts):
        find = made_find(toy_corpus.fingerprint, "running", results, **facts)
        locks.append(FileLock(job_of(find).lock))
        locks[-1].acquire()
        return find

    yield made
    for lock in locks:
        lock.release()


def button(at, label: str):
    return next((each for each in at.button if each.label == label), None)


def press(at, label: str):
    return button(at, label).click().run()


def test_without_a_corpus_it_says_what_to_do(train):
    at = train()
    assert not at.exception
    assert "Find needs a corpus" in words(at) and button(at, "Choose a corpus") is not None


def test_one_click_starts_a_find_of_five_minutes(train, toy_corpus):
    at = train()
    assert not at.exception
    press(at, "Find the best encoder")
    (find,) = Find.all()
    asked = asked_of(find)
    assert (asked.corpus, asked.minutes, asked.seed) == (toy_corpus.fingerprint, 5.0, 0)
    assert read_request(job_of(find), RunFind).find == find.id
    assert find.id in at.query_params["find"] and "Waiting for its worker" in str(at.get("progress")[0].proto)


def test_a_budget_of_one_s_own_and_a_judging_file_are_taken(train, store):
    texts = [f"text {number} of several words" for number in range(8)]
    store_corpus(Draft(name="mine", source="x", texts=texts))
    pairs = {"sentence1": texts[:4], "sentence2": texts[4:], "score": [5.0, 2.0, 4.0, 1.0]}
    table = pa.table({**pairs, "same": pa.array([None] * 4, pa.bool_())})
    judge = store_set({"pairs": table}, name="judged", source="x", kind="pairs", serves=("sts",))
    at = train()
    at.segmented_control("find.minutes").set_value("other").run()
    at.number_input("find.own_minutes").set_value(8.0).run()
    at.selectbox("find.judge").set_value(judge.fingerprint).run()
    press(at, "Find the best encoder")
    assert not at.exception
    asked = asked_of(Find.all()[0])
    assert (asked.minutes, asked.judge) == (8.0, judge.fingerprint)


def test_without_labels_it_says_what_to_do_in_place_of_the_button(train, store):
    texts = [f"text {number} of several words" for number in range(8)]
    store_corpus(Draft(name="<b>mine</b>", source="x", texts=texts))
    at = train()
    assert not at.exception
    assert button(at, "Find the best encoder") is None
    assert "the corpus '<b>mine</b>' has no labels" in words(at) and "pairs or queries" in words(at)
    assert button(at, "Add an evaluation set") is not None


def test_of_one_class_the_class_is_named(train, store):
    store_corpus(Draft(name="mine", source="x", texts=["one text", "another text"], labels=["only", "only"]))
    at = train()
    assert not at.exception
    assert button(at, "Find the best encoder") is None and "only one class, 'only'" in words(at)


def test_at_work_the_leader_the_curves_and_the_leaderboard_are_shown(train, at_work):
    find = at_work(working())
    at = train(find=find.id)
    assert not at.exception
    assert f"{WINNER} (batch size 64, length 1, temperature 0.05) leads." in words(at)
    assert "kNN accuracy (cosine) 63.0 % ± 2.4" in words(at)
    assert "Candidates tried 8" in words(at) and "Rung 2 of 3" in words(at)
    table = at.dataframe[0].value
    assert table["candidate"].tolist()[:3] == [WINNER, CHEAPEST, "SVD of TF-IDF"]
    assert table["rank"].tolist()[:2] == [1, 2] and table["state"][2] == "reference"
    assert "deletion on token failed: The loss became NaN or infinite." in words(at)
    assert "Text crops on MiniLM (packaged): It would take about 1500 seconds" in words(at)
    assert {trace["name"] for trace in drawn(at)[0]["data"]} >= {"best", "not pruned", "pruned here", "untouched"}


def test_a_training_begins_where_its_encoder_as_it_is_stands(toy_corpus):
    late = working().candidate("c")
    results = working().having(late.model_copy(update={"points": late.points[1:]}))
    (row,) = [row for row in curves_of(results, "euclidean") if row.key == "c"]
    assert [(point.steps, point.value) for point in row.points] == [(0, 0.52), (60, 0.54)]
    assert row.points[1].share == pytest.approx(1 / 9) and row.role == "pruned"


def test_the_table_sorts_itself_as_values_arrive(train, at_work):
    find = at_work(working())
    at = train(find=find.id)
    second = working().candidate("b")
    better = second.points[-1].model_copy(update={"value": over().candidate("a").value})
    write_results(find, working().having(second.model_copy(update={"points": (*second.points, better)})))
    at.run()
    assert at.dataframe[0].value["candidate"][0] == CHEAPEST


def test_time_left_never_grows_on_an_open_page(train, at_work):
    find = at_work(working())  # 300 s, 75 of them gone
    at = train(find=find.id)
    key = f"find.left-{job_of(find).id}"
    first = at.session_state[key]
    assert 215 < first <= 225
    write_results(find, working().model_copy(update={"spent": 10.0}))
    at.run()
    assert at.session_state[key] <= first
    write_results(find, working().model_copy(update={"spent": 400.0}))
    at.run()
    assert at.session_state[key] == 0.0 and "the winner is being trained in full" in str(at.get("progress")[0].proto)


def test_seconds_left_are_the_minutes_less_what_was_spent(toy_corpus):
    settings = asked_of(made_find(toy_corpus.fingerprint, "finished", minutes=2))
    assert seconds_left(settings, FindResults(spent=30.0)) == 90.0
    assert seconds_left(settings, FindResults(spent=30.0), since_written=10.0) == 80.0
    assert seconds_left(settings, FindResults(spent=500.0)) == 0.0


def test_stop_of_one_s_own_find_is_taken_at_once(train, at_work):
    find = at_work(working())
    at = press(train(find=find.id), "Stop the search")
    assert job_of(find).stop.exists() and button(at, "Stopping").disabled


def test_a_find_of_another_session_is_stopped_after_one_question(train, at_work, monkeypatch):
    with working_for("0123456789abcdef"):
        find = at_work(working())
    at = train(find=find.id)
    assert button(at, "Stop the search") is None and "Started elsewhere just now. Stop it anyway?" in words(at)
    press(at, "Stop it")
    assert job_of(find).stop.exists()


def test_a_finished_find_begins_with_its_verdict(train, made_run, toy_corpus):
    run = made_run("words")
    find = made_find(toy_corpus.fingerprint, "finished", over(winner=run.id))
    at = train(find=find.id)
    assert not at.exception
    assert at.subheader[0].value.replace("\\", "") == f"The winner, {WINNER}, beats counting words on these texts."
    assert "+4.1 points (95 %: 1.2 … 7.0) against TF-IDF" in words(at) and "chosen among 8 candidates" in words(at)
    assert f"1 other candidate is not separable from it; the cheapest is {CHEAPEST}" in words(at)
    marks = at.dataframe[0].value.set_index("candidate")["against the best"]
    assert marks[WINNER] == "chosen" and marks[CHEAPEST] == "cheapest not separable"
    assert marks["Words of the corpus, untouched"] == "worse" and marks["SVD of TF-IDF"] == ""
    assert "against TF-IDF +4.1 points" in words(at)


def test_the_winner_s_maps_stand_below_its_verdict(train, made_run, toy_corpus):
    run = made_run("words")
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over(winner=run.id)).id)
    assert not at.exception and button(at, "Draw the maps") is not None
    write_maps(run, toy_corpus)
    at.run()
    assert not at.exception and len(maps(at)) == 2 and button(at, "Draw the maps") is None


def test_an_encoder_that_was_not_trained_has_one_map(train, made_run, toy_corpus):
    run = made_run("words")
    change_result(run, steps=0)
    write_maps(run, toy_corpus)
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over(winner=run.id)).id)
    (only,) = maps(at)
    assert not at.exception and "The encoder as it is" in only and "fine-tuned" not in only


def test_methods_stand_below_what_was_chosen(train, toy_corpus):
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over()).id)
    assert "searched for in 5 minutes with seed 0" in at.code[0].value
    at = train(find=made_find(toy_corpus.fingerprint, "stopped", working()).id)
    assert not at.code


def test_what_was_being_trained_when_it_ended_waits(train, toy_corpus):
    at = train(find=made_find(toy_corpus.fingerprint, "stopped", working()).id)
    states = at.dataframe[0].value["state"].tolist()
    assert "training" not in states and "waiting" in states


def test_the_foot_of_the_frame_says_the_same_time_left(train, at_work):
    find = at_work(working())
    FolderProgress(job_of(find))("Fine-tuning", 121, 143)  # of one training
    at = train(find=find.id)
    bars = [each.proto.text for each in at.get("progress")]
    assert len(bars) == 2 and all("about 4 min left" in bar for bar in bars)


def test_the_winner_becomes_the_picked_run(train, made_run, toy_corpus):
    winner = made_run("words", name="winner")
    made_run("token", name="newer")
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over(winner=winner.id)).id)
    press(at, "Use this encoder")
    assert not at.exception
    assert at.session_state["run"] == winner.id


def test_the_winner_is_opened_where_it_is_the_picked_run_already(train, made_run, toy_corpus):
    winner = made_run("words", name="winner")
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over(winner=winner.id)).id)
    assert at.session_state["run"] == winner.id
    press(at, "Use this encoder")
    assert at.session_state["tab"] == "Result"


def test_a_deleted_winner_cannot_be_used(train, toy_corpus):
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over(winner="0mwwrrik7xwdd")).id)
    assert not at.exception and button(at, "Use this encoder").disabled


def test_nothing_beats_counting_words_is_a_result(train, toy_corpus):
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over(beats=False)).id)
    assert not at.exception
    assert at.subheader[0].value.replace("\\", "") == "Nothing here beats counting words on these texts."
    assert words(at).count("Nothing here beats") == 1
    assert "Differences under about 2.8 points could not be detected." in words(at)
    assert "against TF-IDF −1.2 points" in words(at)


def test_run_longer_is_the_same_find_with_more_minutes(train, toy_corpus):
    at = train(find=made_find(toy_corpus.fingerprint, "finished", over()).id)
    press(at, "Run longer")
    newest = Find.all()[0]
    assert asked_of(newest).minutes == 15.0 and asked_of(newest).corpus == toy_corpus.fingerprint
    assert newest.id in at.query_params["find"]


def test_too_few_development_texts_are_said_and_not_ranked(train, toy_corpus):
    sentence = "The interval on 12 development texts is 28 points wide. Label more, or judge by pairs"
    results = over(too_few=f"{sentence} (--judge FILE).", verdict=None)
    at = train(find=made_find(toy_corpus.fingerprint, "finished", results).id)
    assert not at.exception
    assert at.subheader[0].value.replace("\\", "") == f"{sentence}."
    assert at.dataframe[0].value["rank"].isna().all()
    assert button(at, "Run longer") is None


@pytest.mark.parametrize(
    ("state", "facts", "sentence"),
    [
        ("failed", {"error": {"code": "E-X", "message": "The disk is <b>full</b>."}}, "The disk is <b>full</b>."),
        ("stopped", {}, "Stopped on request."),
        ("interrupted", {}, "Interrupted: the process ended early."),
    ],
)
def test_one_that_ended_early_says_how_and_goes_on(train, toy_corpus, state, facts, sentence):
    find = made_find(toy_corpus.fingerprint, state, working(), **facts)
    before = job_of(find)
    at = train(find=find.id)
    assert not at.exception
    assert sentence in words(at) and "8 candidates have been measured; nothing is lost. 4 min of its 5 min" in words(at)
    press(at, "Continue")
    assert job_of(find).id != before.id and read_state(job_of(find)).state is State.QUEUED


def test_one_that_ended_in_the_winner_s_training_says_what_remains(train, toy_corpus):
    find = made_find(toy_corpus.fingerprint, "stopped", over().model_copy(update={"verdict": None}))
    at = train(find=find.id)
    assert not at.exception and button(at, "Continue") is not None
    assert "The search is over; the winner's full training and the verdict remain." in words(at)


def test_a_search_that_was_too_short_for_any_encoder_is_offered_more_minutes(train, toy_corpus):
    short = FindResults(rung=3, spent=14.0, ended="The budget ended before a training could be measured.")
    error = {"code": "E-FIND-EMPTY", "message": "No encoder could be measured."}
    find = made_find(toy_corpus.fingerprint, "failed", short, minutes=0.1, error=error)
    at = train(find=find.id)
    assert not at.exception and not [each for each in at.button if each.label == "Continue"]
    press(at, "Run longer")
    assert asked_of(Find.all()[0]).minutes == 2.0


def test_a_verdict_says_what_the_budget_was_too_short_for(train, toy_corpus):
    ended = "The last rung was shortened to 41 steps to stay within the budget."
    find = made_find(toy_corpus.fingerprint, "finished", over().model_copy(update={"ended": ended}))
    assert ended in words(train(find=find.id))


def test_one_that_failed_before_anything_was_measured(train, toy_corpus):
    find = made_find(toy_corpus.fingerprint, "failed", error={"code": "E-X", "message": "Too short a budget."})
    at = train(find=find.id)
    assert not at.exception
    assert "Too short a budget." in words(at) and "Nothing has been measured yet." in words(at)


def test_earlier_finds_of_the_corpus_alone_are_listed(train, toy_corpus):
    other = store_corpus(Draft(name="other", source="x", texts=["one text", "another"], labels=["a", "b"]))
    first = made_find(toy_corpus.fingerprint, "finished", over())
    second = made_find(toy_corpus.fingerprint, "stopped", working(), minutes=2)
    made_find(other.fingerprint, "finished", over())
    at = train(corpus=toy_corpus.fingerprint)
    box = next(each for each in at.selectbox if each.label == "Shown")
    assert len(box.options) == 3 and at.session_state["find.shown"] == second.id
    box.set_value(find_line(first)).run()
    assert at.session_state["find.shown"] == first.id and at.subheader


def test_a_find_is_deleted_after_one_question(train, toy_corpus):
    find = made_find(toy_corpus.fingerprint, "finished", over())
    at = press(train(find=find.id), "Delete it")
    assert not at.exception and Find.all() == [] and button(at, "Find the best encoder") is not None


def test_a_damaged_find_says_so_and_can_be_deleted(train, toy_corpus):
    find = made_find(toy_corpus.fingerprint, "finished", over())
    find.results.write_text('{"candidates": 5}', encoding="utf-8")
    at = train(find=find.id)
    assert not at.exception and "cannot be read" in words(at)
    press(at, "Delete it")
    assert Find.all() == []


def test_an_unknown_find_in_the_address_is_said(train, toy_corpus):
    at = train(find="0mwwrrik7xwdd")
    assert not at.exception
    assert "There is no Find with the id" in words(at) and button(at, "Find the best encoder") is not None
