"""A search from start to end: rungs, leaderboard, budget, failures, a kill half way."""

import errno
import itertools
from dataclasses import replace
from types import SimpleNamespace

import pytest
from builders import shares

from embedlab.errors import EmbedlabError, StopRequested
from embedlab.finds import search as searching
from embedlab.finds.budget import furthest, steps_in_full, winner_seconds
from embedlab.finds.conclusion import value_of
from embedlab.finds.look import BudgetOver
from embedlab.finds.model import Candidate, CandidateState, FindSettings, RungResult
from embedlab.finds.search import Search
from embedlab.finds.store import Find, results_of
from embedlab.jobs.campaigns import asked_of
from embedlab.measurement import ByDistance, Measurement
from embedlab.statistics.separable import BEST, INSEPARABLE, NOT_COMPARED, REFERENCE


def searched(find, workshop):
    return Search(find, asked_of(find), workshop).run()


def table(results):
    return [(each.key, each.state, each.points) for each in results.candidates], results.leaderboard, results.chosen


def test_each_rung_keeps_the_better_third_and_goes_on_from_where_it_stood(find, workshop):
    made = workshop()
    results = searched(find, made)
    # 450 s of ten minutes are searched, 4 of them by looks; 10 s a training: 0.45 of 446 s is 20 trainings
    assert results.entrants == 20
    steps = [[key for key, at in made.trained if at == end] for end in (10, 30, 90)]
    assert [len(each) for each in steps] == [20, 6, 2]
    assert set(steps[2]) < set(steps[1]) < set(steps[0])
    values = {each.key: each.points[0].value.cosine.value for each in results.trained() if each.points}
    assert min(values[key] for key in steps[1]) >= max(values[key] for key in set(steps[0]) - set(steps[1]))
    assert results.spent == 4 + 20 * 10 + 6 * 20 + 2 * 60


def test_what_is_left_of_the_budget_tries_other_lengths_of_the_best_from_where_it_shared_their_steps(store, workshop):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=60))  # 81 enter, and minutes are left
    made = workshop()
    made.find = find
    results = searched(find, made)
    best = max((each for each in results.trained() if not each.branch_of and each.value), key=value_of)
    branches = [each for each in results.trained() if each.branch_of]
    assert {each.branch_of for each in branches} == {best.key}
    # values rise until twice the length that fits, and are for four times as they were at none
    assert [(each.length, each.planned, each.steps) for each in branches] == [
        (2, 180, 180),
        (0.5, 45, 45),
        (4, 360, 360),
    ]
    assert results.chosen == branches[0].key
    assert all(each.points[:-1] == best.points[:-1] for each in branches)
    assert branches[0].seconds == 180 and [at for key, at in made.trained if key == branches[0].key] == [180]


def test_the_best_is_chosen_and_what_cannot_be_told_from_it_is_marked(find, workshop):
    results = searched(find, workshop())
    marks = {row.key: row.mark for row in results.leaderboard}
    assert marks[results.chosen] == BEST
    assert results.candidate(results.chosen).rung == 2
    assert marks["tfidf"] == marks["svd"] == REFERENCE
    pruned = [each for each in results.candidates if each.state is CandidateState.PRUNED]
    assert len(pruned) == 18
    assert {marks[each.key] for each in pruned} == {NOT_COMPARED}
    level = [each for each in results.candidates if marks.get(each.key) in (BEST, INSEPARABLE)]
    assert results.cheapest == min(level, key=lambda each: (each.kind == "trained", each.seconds)).key


def test_losers_lose_their_weights_and_keep_settings_and_curve(find, workshop):
    made = workshop()
    results = searched(find, made)
    begun = [each for each in results.trained() if each.points]
    assert {each.key for each in begun} <= set(made.gone)
    assert len(begun) == 20 and all(each.settings for each in begun)


SLOWLY = [pytest.param(each, marks=pytest.mark.slow) for each in (1, 2, 19, 23, 26)]


@pytest.mark.parametrize("dies_at", [0, 6, 20, 27, *SLOWLY])
def test_a_search_killed_half_way_ends_with_the_same_table(store, find, workshop, dies_at):
    whole = Find.create(asked_of(find))
    once = workshop()
    once.find = whole
    expected = table(Search(whole, asked_of(whole), once).run())
    with pytest.raises(KeyboardInterrupt):
        searched(find, workshop(dies_at=dies_at))
    again = workshop()
    assert table(searched(find, again)) == expected
    assert len(again.trained) == len(once.trained) - dies_at


def test_the_same_seed_draws_the_same_settings_and_another_one_others(store, workshop):
    corpora = itertools.count()  # what one finds on a corpus changes what the next one draws there

    def drawn(seed: int):
        find = Find.create(FindSettings(corpus=f"{next(corpora):016}", minutes=10))
        made = workshop()
        made.find, sampler = find, made.sampler
        made.sampler = lambda budget: _seeded(sampler(budget), seed)
        return [each.settings for each in searched(find, made).candidates if each.kind == "trained"]

    assert drawn(0) == drawn(0) != drawn(1)


def _seeded(sampler, seed: int):
    sampler.seed = seed
    return sampler


def test_one_that_fails_is_named_and_the_others_go_on(find, workshop):
    results = searched(find, workshop(broken=("minilm as it is", "t03")))
    failed = {each.key: each.reason for each in results.candidates if each.state is CandidateState.FAILED}
    assert failed == dict.fromkeys(["u-minilm", "t03"], "RuntimeError: broken on purpose")
    assert results.chosen not in failed


def test_the_time_of_one_that_fails_counts(find, workshop, monkeypatch):
    clock = itertools.count(step=7)  # seconds between any two looks at it
    monkeypatch.setattr("embedlab.finds.look.time.perf_counter", lambda: next(clock))
    results = searched(find, workshop(broken=("minilm as it is",)))
    assert results.candidate("u-minilm").seconds == 7
    assert results.spent == pytest.approx(sum(each.seconds for each in results.candidates))


def test_stop_and_a_full_disk_end_the_search_and_fail_no_candidate(find, workshop):
    for error in (StopRequested(), OSError(errno.ENOSPC, "No space left on device")):
        made = workshop()
        made.train = _raising(error)
        with pytest.raises(type(error)):
            searched(find, made)
        assert not any(each.state is CandidateState.FAILED for each in results_of(find).candidates)


def _raising(error):
    def train(candidates, rung, begin, left):
        raise error

    return train


def test_what_does_not_fit_the_budget_is_listed_with_its_cost(store, workshop):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=1))  # one look may take 15 s, minilm would 30
    made = workshop()
    made.find = find
    minilm = searched(find, made).candidate("u-minilm")
    assert minilm.state is CandidateState.NOT_TRIED
    assert minilm.cost_seconds == 30
    assert "about 30 s;" in minilm.reason and "may take at most 15 s." in minilm.reason


def within(minutes: float, workshop, **how):
    """A search of so many minutes, and where its trainings stood."""
    find = Find.create(FindSettings(corpus="0" * 16, minutes=minutes))
    made = workshop(**how)
    made.find = find
    results = searched(find, made)
    assert results.spent <= 45 * minutes
    return results, [at for _, at in made.trained]


@pytest.mark.parametrize(
    ("minutes", "how", "steps"),
    [
        (2, {}, [10] * 4 + [30, 53]),  # 90 s: 4 of looks, 40, 20, and for 60 further steps 0.9 * 26 are left
        (1.2, {}, [10] * 2 + [30, 39]),  # 54 s
        (10, {"slower": 4}, [10] * 20 + [30, 67]),  # of 246 s after the first rung 80 a training
    ],
)
def test_the_last_rung_is_shortened_to_what_is_left_of_the_budget(store, workshop, minutes, how, steps):
    results, stood = within(minutes, workshop, **how)
    assert stood == steps
    winner = results.candidate(results.chosen)
    assert (winner.steps, winner.planned, winner.state) == (steps[-1], steps[-1], CandidateState.FINISHED)
    assert winner.reason == "Shortened from 90 steps: no more fit into the budget."
    assert results.candidate(winner.branch_of).state is CandidateState.PRUNED
    assert results.ended == f"The last rung was shortened to {steps[-1]} steps to stay within the budget."


def test_a_shortened_training_that_is_broken_off_leaves_the_one_that_it_branched_from(store, workshop):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=2))
    made = workshop()
    made.find, really = find, made.one

    def one(candidate, rung):
        return replace(really(candidate, rung), seconds=100.0) if rung == 2 else really(candidate, rung)

    made.one = one
    results = searched(find, made)
    (branch,) = (each for each in results.trained() if each.branch_of)
    assert branch.reason == "The budget ended while it was in training."
    assert branch.key not in {row.key for row in results.leaderboard}
    assert results.chosen == branch.branch_of and results.candidate(results.chosen).rung == 1


def test_where_none_can_reach_the_last_rung_the_best_of_the_furthest_is_taken(store, workshop):
    results, stood = within(1, workshop)  # 45 s: 2 of looks, two trainings, one of 20 s more, and 3 s
    assert stood == [10, 10, 30]
    assert results.candidate(results.chosen).rung == 1
    assert results.ended == (
        "No training reached the last rung within the budget: the best after rung 2 was taken, and trained in full for "
        "38 of 90 steps."
    )
    assert results.candidate(results.chosen).steps_in_full == 38, "a quarter more than 30; 14 more s are left in all"


def test_the_full_training_of_one_without_a_last_rung_takes_what_is_left_of_the_minutes():
    value = ByDistance.of(lambda _: Measurement(value=0.5))
    point = RungResult(rung=1, steps=200, seconds=30.0, value=value)
    trained = Candidate(key="t00", kind="trained", title="", planned=600, seconds=30.0, points=(point,))
    assert [steps_in_full(trained, left) for left in (0.0, 30.0, 60.0, 1000.0)] == [250, 250, 360, 600]
    assert winner_seconds(trained.model_copy(update={"full_steps": 250})) == 37.5
    assert steps_in_full(trained.model_copy(update={"points": ()}), 60.0) == 600, "nothing was timed"


def test_a_training_that_the_budget_ends_in_is_named_and_its_seconds_count(store, workshop):
    results, stood = within(0.25, workshop)  # 11 s, of which looks take 3
    (cut,) = [each for each in results.trained() if each.seconds]
    assert stood == [10] and (cut.state, cut.seconds) == (CandidateState.NOT_TRIED, 8.25)
    assert cut.reason == "The budget ended while it was in training."
    assert results.ended == "The budget ended before a training could be measured: give it more minutes."
    assert results.candidate(results.chosen).kind == "untouched"


def test_an_encoder_that_embeds_past_the_budget_is_broken_off_and_named(store, workshop):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=4))  # 180 s of search; a look may cost 60 s
    made = workshop()
    made.find, really, allowed = find, made.look, []

    def look(candidate, left):
        allowed.append(left)
        return time_over() if candidate.encoder == "minilm" else really(candidate, left)

    def time_over():
        raise BudgetOver

    made.look = look
    results = searched(find, made)
    minilm = results.candidate("u-minilm")
    assert (minilm.state, minilm.reason) == (CandidateState.NOT_TRIED, "The budget ended while it was being embedded.")
    assert allowed == [180.0, 179.0, 178.0, 177.0], "what is left of the search after each look of a second"
    assert results.chosen in {row.key for row in results.leaderboard}


def test_encoders_are_not_loaded_once_the_time_is_over(store, workshop):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=0.1))  # 4.5 s
    made = workshop()
    made.find, made.timed, really = find, None, made.look
    made.look = lambda candidate, left: replace(really(candidate, left), seconds=2.0)
    results = searched(find, made)
    minilm = results.candidate("u-minilm")
    assert results.spent == 6 and results.chosen == "u-words"
    assert (minilm.state, minilm.reason) == (CandidateState.NOT_TRIED, "The budget ended before it could be measured.")
    assert results.ended == "The budget ended before a training could be measured: give it more minutes."


def test_what_no_step_takes_leaves_more_of_the_search_to_the_first_rung(find, workshop):
    slow_start = searched(find, workshop(besides=10))  # 20 s each, half of it once a rung
    # of 446 s the first rung has 0.45 / (0.5 + 0.5 * 0.45 * 13 / 9) = 0.545: 12 trainings, not ten
    assert slow_start.entrants == 12
    assert slow_start.spent <= 450


def test_a_search_that_ends_before_its_time_says_why(store, workshop):
    results, _ = within(100, workshop)
    assert results.ended == (
        "The search took 41 min of its 75 min: all 81 trainings, the most that a search compares, were tried."
    )
    again, _ = within(10, workshop)  # takes over most of it
    assert again.ended == "The search took 5 min of its 8 min: all rungs were complete."


def test_a_search_that_used_its_time_says_nothing(find, workshop):
    assert searched(find, workshop()).ended == ""


def test_who_the_budget_leaves_behind_in_mid_rung_is_said(find, workshop):
    results = searched(find, workshop(slower=2))  # the second rung takes 40 s each: four of six, and 120 s of the last
    late = [each for each in results.trained() if each.reason == "The budget ended before it could continue."]
    late = [each for each in late if each.rung == 0]
    assert late and {each.state for each in late} == {CandidateState.PRUNED}
    reached = [each for each in results.trained() if len(each.points) > 1 and not each.branch_of]
    assert max(map(value_of, late)) <= min(each.points[0].value.cosine.value for each in reached)  # the best went first
    assert results.candidate(results.chosen).rung == 2


def test_a_budget_too_short_for_one_training_still_compares_what_is_there(store, workshop):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=0.1))  # 4.5 s, of which looks take 3
    made = workshop()
    made.find = find
    results = searched(find, made)
    assert results.candidate(results.chosen).kind == "untouched"
    assert results.spent <= 4.5


def test_too_few_development_texts_are_not_ranked(find, workshop):
    made = workshop(texts=40)  # ± 15 points at one half
    results = searched(find, made)
    assert "30 points wide" in results.too_few
    assert made.trained == []
    assert results.chosen == results.cheapest


def test_where_the_width_was_said_before_so_few_rank(store, workshop):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=10, width_known=True))
    made = workshop(texts=40)
    made.find = find
    results = searched(find, made)
    assert results.too_few == "" and made.trained and results.candidate(results.chosen).kind == "trained"


def test_nothing_that_can_be_looked_at_is_an_error(find, workshop):
    made = workshop()
    made.fixed = lambda: []
    made.sampler = lambda budget: type("Nothing", (), {"ways": {}})()
    with pytest.raises(EmbedlabError, match="No encoder could be measured"):
        searched(find, made)


def test_what_an_earlier_find_took_to_the_end_stays_in_the_contest_of_a_later_one(store, find, workshop, monkeypatch):
    earlier = searched(find, workshop())
    monkeypatch.setattr(searching, "promoted", lambda values: sorted(values, key=values.get)[:1])  # the worst
    later = Find.create(asked_of(find))
    made = workshop()
    made.find = later
    results = searched(later, made)
    winner = earlier.candidate(earlier.chosen)
    same = next(each for each in results.trained() if each.settings == winner.settings)
    assert same.state is CandidateState.FINISHED and [each.value for each in same.points] == [
        each.value for each in winner.points
    ]
    assert {each.earlier for each in same.points} == {find.id} and same.key not in dict(made.trained)


def test_the_furthest_by_rung_is_the_best_by_cosine():
    def candidate(rung, euclidean, cosine, state=CandidateState.PRUNED):
        return SimpleNamespace(points=[SimpleNamespace(rung=rung)], measured=shares(euclidean, cosine), state=state)

    results = [candidate(0, 0.9, 0.9), candidate(1, 0.8, 0.3), candidate(1, 0.2, 0.7), candidate(1, 0.9, 0.6)]
    assert furthest(SimpleNamespace(trained=lambda: results)) is results[2]
    results.append(candidate(2, 0.9, 0.9, CandidateState.FAILED))
    assert furthest(SimpleNamespace(trained=lambda: results)) is results[2]
    results.append(candidate(2, 0.1, 0.1, CandidateState.FINISHED))
    assert furthest(SimpleNamespace(trained=lambda: results)) is None
