"""Fewer dimensions of untouched encoders: embedded once, one of them at most takes part, and it may win."""

import pytest
from test_find_on_texts import pairs
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.encoders.load import load_encoder
from embedlab.finds.budget import winner_seconds
from embedlab.finds.curves import curves_of, tried
from embedlab.finds.leaderboard import csv_of, cuts_line, rows_of
from embedlab.finds.lines import all_dimensions_line, find_lines
from embedlab.finds.look import cut_candidates, cuts_of
from embedlab.finds.model import Candidate, CandidateState, FindSettings
from embedlab.finds.sampler import MOST
from embedlab.finds.search import Search
from embedlab.finds.store import Find, results_of
from embedlab.jobs.campaigns import asked_of
from embedlab.metrics.knn import KNN
from embedlab.progress import silent
from embedlab.statistics.separable import INSEPARABLE
from embedlab.tasks.find import choosing
from embedlab.tasks.find.workshop import CorpusWorkshop

FINISHED, PRUNED = CandidateState.FINISHED, CandidateState.PRUNED
WHOLE = Candidate(key="u01", kind="untouched", title="minilm as it is", encoder="minilm", state=FINISHED)


@pytest.mark.parametrize(("dim", "cuts"), [(16, []), (17, [16]), (300, [64, 128, 256]), (768, [128, 256, 512])])
def test_three_cuts_at_most_are_tried_the_longest(dim, cuts):
    assert cuts_of(dim) == cuts


@pytest.mark.parametrize(
    ("cuts", "takes_part"),
    [
        # of 1,000 texts 650 are right by all: 5 fewer are no difference (p = .06), 10 fewer are one (p = .002)
        ({64: 0.640, 128: 0.645, 256: 0.65}, 128),
        ({64: 0.500, 128: 0.550, 256: 0.60}, None),  # every dimension counts
        ({64: 0.600, 128: 0.800, 256: 0.70}, 128),  # what is left out did harm: the best is a cut
        ({64: 0.650, 128: 0.650, 256: 0.65}, 64),
        ({}, None),
    ],
)
def test_the_fewest_dimensions_take_part_that_cannot_be_told_from_the_best(workshop, cuts, takes_part):
    candidates = cut_candidates(WHOLE, workshop(cuts={"minilm": cuts}).look(WHOLE, 9.0), KNN.difference)
    assert {each.dimensions: each.value.cosine.value for each in candidates} == cuts
    assert [each.dimensions for each in candidates if each.state is FINISHED] == [takes_part] * (takes_part is not None)
    assert all(each.reason for each in candidates if each.state is PRUNED)
    assert not any("dimensions" in each.settings_line for each in candidates)


CUTS = {"words": {64: 0.598, 128: 0.599, 256: 0.599}, "minilm": {64: 0.3, 128: 0.5, 256: 0.64}}


@pytest.fixture
def searched(workshop):
    """``searched(find, cuts=…)``: the workshop, and the results of a whole search."""

    def done(find, **how):
        made = workshop(**how)
        made.find = find
        return made, Search(find, asked_of(find), made).run()

    return done


def test_a_cut_takes_no_training_s_place_and_is_counted_but_not_listed_unless_it_takes_part(store, searched):
    finds = [Find.create(FindSettings(corpus=character * 16, minutes=10)) for character in "01"]
    (plain, without), (cut, results) = searched(finds[0]), searched(finds[1], cuts=CUTS)
    assert cut.trained == plain.trained and cut.looked == plain.looked and results.spent == without.spent
    assert results.chosen == without.chosen and tried(results) == tried(without) + 6
    titles = [row["candidate"] for row in rows_of(results, "cosine")]
    assert [each for each in titles if "first" in each] == ["words as it is, first 64 dimensions"]
    assert "5 others were measured" in cuts_line(results) and not cuts_line(without)
    assert cuts_line(results) in find_lines(results, "cosine")
    assert csv_of(results).decode("utf-8-sig").count("it is, first ") == 6
    assert "first 256" not in "".join(find_lines(results, "cosine"))
    drawn = curves_of(results, "cosine")
    starts = {row.points[0].value for row in drawn if " on Words" in row.title}
    assert len(drawn) == tried(results) - 5 and starts == {0.6}  # at the value of all dimensions


def test_a_cut_that_is_best_wins_and_is_the_winner_s_setting(store, find, searched):
    _, results = searched(find, cuts={"minilm": {64: 0.3, 128: 0.99, 256: 0.98}})
    chosen = results.chosen_candidate
    assert chosen.title == "minilm as it is, first 128 dimensions" and chosen.settings == {"dimensions": 128}
    assert winner_seconds(chosen) is None and f"Chosen: {chosen.title}" in find_lines(results, "cosine")
    marks = {row.key: row.mark for row in results.leaderboard}
    assert results.cheapest == chosen.key and marks["u-minilm"] != INSEPARABLE
    # of 1,000 texts 650 are right by all dimensions and 990 by 128: 340 wrong texts more, and none right instead
    line = all_dimensions_line(results)
    assert line.startswith(
        "With all its dimensions, the same encoder reaches kNN accuracy (cosine) 65.0 % ± 1.5, −34.0 "
    )
    assert line.endswith(" against the winner, on the texts that select.") and line in find_lines(results, "cosine")


def test_only_a_cut_that_won_is_compared_with_all_dimensions(store, find, searched):
    _, results = searched(find, cuts=CUTS)
    assert results.chosen_candidate.dimensions is None and all_dimensions_line(results) == ""


def test_a_training_that_lost_to_an_untouched_encoder_was_not_taken(store, searched):
    find = Find.create(FindSettings(corpus="0" * 16, minutes=1))  # too few for a last rung
    _, results = searched(find, cuts={"words": {64: 0.99}})
    assert results.chosen_candidate.kind == "untouched"
    assert results.ended == ("No training reached the last rung within the budget: the best was compared after rung 2.")


def test_of_equal_cost_the_fewest_dimensions_are_the_cheapest(store, find, searched):
    every = tuple(f"t{number:02}" for number in range(2 * MOST))
    _, results = searched(find, cuts={"minilm": {64: 0.65, 128: 0.65, 256: 0.65}}, broken=every)
    level = {row.key for row in results.leaderboard if row.mark == INSEPARABLE} | {results.chosen}
    assert {"u-minilm", "u-minilmd64"} <= level and results.cheapest == "u-minilmd64"


@pytest.mark.parametrize("dies_at", [0, 6])
def test_a_search_killed_half_way_and_a_later_find_have_the_same_cuts(find, dies_at, searched):
    with pytest.raises(KeyboardInterrupt):
        searched(find, cuts=CUTS, dies_at=dies_at)
    at_the_kill = [each for each in results_of(find).candidates if each.dimensions is not None]
    workshop, results = searched(find, cuts=CUTS)
    assert len(at_the_kill) == 6 and not workshop.looked
    assert [each for each in results.candidates if each.dimensions is not None] == at_the_kill
    later, again = searched(Find.create(asked_of(find)), cuts=CUTS)
    assert not later.looked
    kept = [(each.key, each.state, each.value) for each in again.candidates if each.dimensions is not None]
    assert kept == [(each.key, each.state, each.value) for each in at_the_kill]


def workshop_of(by_labels: bool, monkeypatch):
    """By labels, or by pairs of the same toy texts, with an encoder of word statistics."""
    texts, labels = toy_texts(per_class=40)
    if by_labels:  # that the texts know little of
        labels = [f"c{row % 5 % 3}" for row in range(len(texts))]
    corpus = store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels))
    judge = None
    if not by_labels:
        judge = pairs(60).fingerprint
    settings = FindSettings(corpus=corpus.fingerprint, judge=judge)
    monkeypatch.setattr(CorpusWorkshop, "encoders", ["words"])
    return CorpusWorkshop(Find.create(settings), settings, corpus, silent)


@pytest.mark.parametrize("by_labels", [True, False])
def test_texts_are_embedded_once_and_a_cut_has_the_value_of_an_encoder_that_is_cut(store, monkeypatch, by_labels):
    workshop = workshop_of(by_labels, monkeypatch)
    name, calls = ("embed_tokens" if by_labels else "embed"), []
    embed = getattr(choosing, name)
    monkeypatch.setattr(choosing, name, lambda *each, **how: calls.append(len(each[1])) or embed(*each, **how))
    whole = workshop.fixed()[-1]
    look = workshop.look(whole, 100.0)
    assert sum(calls) == workshop.chooser.texts
    assert list(look.cuts) == cuts_of(workshop.shared.base("words").encoder.dim)
    for dimensions, (value, units) in look.cuts.items():
        encoder = load_encoder("words", corpus=workshop.corpus)
        encoder.keep_dimensions(dimensions)
        alone, its_units = workshop.chooser.cuts(encoder, workshop.chooser.tokens(encoder), [encoder.dim])[encoder.dim]
        assert value == alone
        assert {k: v.tolist() for k, v in units.cosine.items()} == {k: v.tolist() for k, v in its_units.cosine.items()}
    values = {look.value.cosine.value, *(value.cosine.value for value, _ in look.cuts.values())}
    assert len(values) > 1 or not by_labels  # pairs of the toy texts are as well told apart by few dimensions


def test_the_winner_s_run_keeps_the_dimensions(store, monkeypatch):
    workshop = workshop_of(True, monkeypatch)
    cut = workshop.fixed()[-1].model_copy(update={"settings": {"dimensions": 16}})
    assert workshop.shared.full_settings(cut).dimensions == 16


def test_a_copy_of_the_hub_is_a_candidate_by_its_whole_name(store, toy_corpus):
    (store / "encoders" / f"owner--small--bert@{'a' * 40}").mkdir(parents=True)
    settings = FindSettings(corpus=toy_corpus.fingerprint)
    workshop = CorpusWorkshop(Find.create(settings), settings, toy_corpus, silent)
    assert [name for name in workshop.encoders if name.startswith("hf:")] == ["hf:owner/small--bert"]
