"""What moved and who neighbors whom: the states, the ranked lists, a chosen text, a chosen cell, the colours."""

from dataclasses import replace

import numpy as np
import pytest
from builders import leave_state
from doing import asked_of, queued
from drawn_maps import write_maps, write_neighbors
from seen import drawn as drawn_figures
from seen import maps, words

from embedlab.jobs.requests.drawing import MeasureMoves
from embedlab.metrics.movement import GroupMoves, Interval
from embedlab.report.moved_tables import groups_table, in_order, movement_in_words, why_no_classes
from embedlab.runs.map_readings import Share, class_neighbors_of, cluster_levels, moves_of, named_places
from embedlab.runs.store import list_runs
from embedlab.store_root import read_json, write_json
from embedlab.tasks.draw.maps import read_maps
from embedlab.ui.components.loaded_maps import clusters, load_map, ranked, trust
from embedlab.ui.components.map_view import NO_CLASS
from embedlab.ui.maps.colour_by import (
    CLUSTERS_AFTER,
    CLUSTERS_BEFORE,
    EFFECT,
    KEPT,
    MOVEMENT,
    PICTURE,
    TRUE,
    choices,
    colouring,
    fade_by,
    trust_line,
)

MOVED, WHOM = "What moved", "Who neighbors whom"


def silent(stage: str, done: int = 0, total: int = 0) -> None:
    """Nobody watches."""


@pytest.fixture
def drawn(made_run, toy_corpus):
    """A run with maps and neighbors: before the following rows, after the nearest rows of the same label."""
    run = made_run()
    write_neighbors(run, toy_corpus, k=90)
    for side in ("before", "after"):
        (run.neighbors(side, "euclidean") / "graph.json").touch()  # younger than the embeddings, or it is made anew
    write_maps(run, toy_corpus)
    return run


@pytest.fixture
def read(drawn, monkeypatch):
    """The same with everything measured, without an encoder."""
    from embedlab.errors import RunError
    from embedlab.tasks.draw import noise_floor

    def gone(folder, name):
        raise RunError("E-NO-ENCODER", "There is none.")

    monkeypatch.setattr(noise_floor, "encoder_of_run", gone)
    read_maps(drawn, "tsne", silent)
    return drawn


def opened(open_page, name: str):
    """The page on this view."""
    at = open_page("maps")
    at.session_state["map.view"] = name
    return at.run()


def test_what_keeps_the_distance_of_the_maps_says_so_while_neighbors_are_shown_by_cosine(open_page, read):
    for side in ("before", "after"):
        facts = read.map_facts(side, "tsne")
        write_json(facts, read_json(facts) | {"distance": "euclidean"})
    assert "Ten nearest texts (Euclidean distance, as for the maps)." in words(opened(open_page, WHOM))
    assert "moved at all is ranked (Euclidean distance, as for the maps)." in words(opened(open_page, MOVED))
    at = opened(open_page, "Map")
    assert "in the full space (Euclidean)" in words(at)
    assert all("t-SNE (Euclidean distance, as in the papers), seed 42" in part for part in maps(at))
    at.session_state["maps.colour"] = CLUSTERS_AFTER
    assert "k-means on the embeddings (Euclidean distance)" in words(at.run())
    assert at.session_state["distance"] == "cosine" and not at.exception


def test_a_matrix_of_many_classes_shows_those_that_matter_and_the_chosen_one(open_page, read, monkeypatch):
    monkeypatch.setattr("embedlab.ui.maps.class_neighbors_view.MOST_SHOWN", 2)
    at = opened(open_page, WHOM)
    names = class_neighbors_of(read, "before").names
    key = f"{read.id}-before"

    def shown() -> list[str]:
        (figure,) = [each for each in drawn_figures(at) if each["data"][0]["type"] == "heatmap"]
        return figure["layout"]["yaxis"]["ticktext"]

    assert len(shown()) == 2 and "The 2 classes whose neighbors of other classes changed most" in words(at)
    other = next(name for name in names if name not in shown())
    at.selectbox(key=f"neighbor-classes.row-{key}").set_value(names.index(other)).run()
    assert other in shown() and not at.exception
    at.toggle(key=f"neighbor-classes.all-{key}").set_value(True).run()
    assert shown() == names


def test_classes_are_compared_where_there_are_two_or_texts_without_a_label(toy_corpus):
    info = toy_corpus.info
    assert why_no_classes(info) == "" and "has none" in why_no_classes(info.model_copy(update={"classes": ()}))
    one = info.model_copy(update={"classes": info.classes[:1]})
    assert "have the same" in why_no_classes(one) and why_no_classes(one.model_copy(update={"labelled": 1})) == ""


@pytest.mark.parametrize("view", [MOVED, WHOM])
def test_what_was_not_measured_is_measured_when_asked(open_page, drawn, monkeypatch, view):
    monkeypatch.setattr("embedlab.jobs.runner.submit", queued)
    at = opened(open_page, view)
    assert not at.exception and "has not been measured for these two yet" in words(at)
    next(button for button in at.button if button.label == "Measure what moved").click().run()
    assert [asked_of(job) for job in list_runs("jobs")] == [MeasureMoves(run=drawn.id)]
    job = list_runs("jobs")[0]
    leave_state(job, "failed", error={"code": "E-DISK", "message": "The disk is full."})
    at = opened(open_page, view)
    assert "The disk is full." in words(at) and "Try again" in words(at)


def test_numbers_and_ranked_texts(open_page, read):
    at = opened(open_page, MOVED)
    assert not at.exception, at.exception
    found = moves_of(read, "before")
    shown = {metric.label: metric.value for metric in at.metric}
    assert shown["Moved above noise"].startswith(f"{100 * found.above.mean():.1f} %")
    assert shown["Median movement"] == f"{np.median(found.movement):.2f}" and shown["Noise floor"] == "none"
    assert "every text that moved at all is ranked" in words(at)
    table = at.dataframe[0].value
    assert list(table["row"]) == found.rows[ranked(read, "before", "most")].tolist()
    assert (np.diff(table["movement"]) <= 0).all()
    assert len(maps(at)) == 1 and "trails" in "".join(maps(at))


def test_a_chosen_text_stands_beside_its_neighbors(open_page, read, toy_corpus):
    at = opened(open_page, MOVED)
    key = f"moves.texts-{read.id}-before-Texts-most"
    at.session_state[key] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    at.run()
    assert not at.exception, at.exception
    found, row = moves_of(read, "before"), int(at.dataframe[0].value["row"].iloc[0])
    place = found.position(row)
    said = words(at)
    assert f"Movement {found.movement[place]:.2f}" in said
    assert f"{found.same_after[place]} share its label after, {found.same_before[place]} before" in said
    assert "blue-badge[new]" in said and "gray-badge[left]" in said and toy_corpus.titles[row][:10] in said


def test_gained_and_lost_are_told_apart(read):
    found = moves_of(read, "before")
    gained, lost = ranked(read, "before", "gained"), ranked(read, "before", "lost")
    assert (found.effect[gained] > 0).all() and (np.diff(found.effect[gained]) <= 0).all()
    assert (found.effect[lost] < 0).all() and not set(gained) & set(lost)
    effects = {0.2: Interval(0.3, 0.1, 0.5), 0.9: Interval(0.4, -0.1, 0.9), 0.5: None}
    rows = [GroupMoves("a", 20, 5, Interval(mean, 0, 1), effect) for mean, effect in effects.items()]
    assert [row.movement.mean for row in in_order(rows, "most")] == [0.9, 0.5, 0.2]
    assert in_order(rows, "gained") == rows[:1] and in_order(rows, "lost") == []
    assert in_order([replace(rows[0], effect=Interval(0.2, 0.0, 0.4))], "gained") == []  # 0 is in the interval


def test_a_chosen_class_narrows_the_texts(open_page, read, toy_corpus):
    at = opened(open_page, MOVED)
    at.session_state["moves.kind"] = "Classes"
    at.session_state[f"moves.classes-{read.id}-before-most"] = {"selection": {"rows": [1], "columns": [], "cells": []}}
    at.run()
    assert not at.exception, at.exception
    label = at.dataframe[0].value["class"].iloc[1]
    assert set(at.dataframe[1].value["label"]) == {label} and "of its 30 texts are ranked" in words(at)


def test_who_neighbors_whom_opens_on_the_largest_change_and_a_click_moves_it(open_page, read, toy_corpus):
    at = opened(open_page, WHOM)
    assert not at.exception, at.exception
    found = class_neighbors_of(read, "before")
    before, after = found.shares
    assert after.diagonal() == pytest.approx(np.ones(4))  # the stand-in after has only such neighbors first
    key = f"{read.id}-before"
    row, column = at.session_state[f"neighbor-classes.row-{key}"], at.session_state[f"neighbor-classes.column-{key}"]
    assert row != column
    change = np.abs(after - before)
    np.fill_diagonal(change, 0)
    assert change[row, column] == change.max()
    texts = at.dataframe[0].value
    assert (texts["neighbors after"] == 0).all() and (texts["neighbors before"] > 0).all()
    at.selectbox(key=f"neighbor-classes.column-{key}").set_value(row).run()
    assert "→ 100.0 % of neighbors are of the same class" in words(at).replace("\\", "")


def test_colours_by_what_was_measured(read, toy_corpus):
    names = choices(toy_corpus, read)
    assert {CLUSTERS_AFTER, TRUE, KEPT, MOVEMENT, EFFECT} <= set(names) and "length" in names
    for choice in {CLUSTERS_AFTER, CLUSTERS_BEFORE, PICTURE, TRUE, KEPT, MOVEMENT, EFFECT} & set(names):
        found = colouring(toy_corpus, read, choice)
        assert len(found.categories) == 120 and len(found.names) == len(found.colours)
        known = found.categories[found.categories != NO_CLASS]
        assert len(known) == 0 or known.max() < len(found.names)
    moved, effect = moves_of(read, "before"), colouring(toy_corpus, read, EFFECT)
    helped = moved.rows[moved.above & (moved.effect > 0)]
    assert np.flatnonzero(effect.categories == effect.names.index("helped")).tolist() == helped.tolist()
    movement = colouring(toy_corpus, read, MOVEMENT)
    assert movement.names[0].startswith("not above noise")
    assert (movement.categories[moved.rows[~moved.above]] == 0).all() and (
        movement.categories[moved.rows[moved.above]] > 0
    ).all()
    named = [movement.names[each] for each in movement.categories[moved.rows[np.isclose(moved.movement, 1.0)]]]
    assert set(named) <= {"0.8 to 1"}


def test_trust_has_colours_of_its_own_on_each_map_and_fades(read, toy_corpus):
    found = colouring(toy_corpus, read, TRUE)
    for side in ("before", "after"):
        values = trust(read, read.map(side, "tsne"))
        expected = np.minimum(np.rint(values.true * 10) // 2, 4)
        assert found.on(side)[values.rows].tolist() == expected.astype(int).tolist()
    faded = fade_by(toy_corpus, read, "true")
    values = trust(read, read.map("after", "tsne"))
    assert faded["after"].min() >= 0.08 and faded["after"].max() <= 1
    order = np.argsort(values.true, kind="stable")
    assert (np.diff(faded["after"][values.rows][order]) >= 0).all()
    assert "mean nothing" in trust_line(read, "tsne") and "(chance " in trust_line(read, "tsne")
    assert fade_by(toy_corpus, read, None) is None and trust_line(read, "umap") == ""


def test_trust_of_few_texts_is_not_claimed(read, toy_corpus):
    assert TRUE in choices(toy_corpus, read)
    for side in ("before", "after"):
        facts = read.trust(read.map(side, "tsne")).with_suffix(".json")
        write_json(facts, read_json(facts) | {"chance": 1.0})
    assert trust_line(read, "tsne").startswith("Map trust needs more texts") and TRUE not in choices(toy_corpus, read)


def test_trust_of_a_map_of_cut_vectors_names_their_dimensions(read, toy_corpus):
    full = "90 nearest texts in the full space (Euclidean)"
    assert full in colouring(toy_corpus, read, TRUE).note and "90 nearest in the full space" in trust_line(read, "tsne")
    facts = read.map_facts("after", "tsne")
    write_json(facts, read_json(facts) | {"dimensions": 2})
    assert "90 nearest texts in the first 2 dimensions (Euclidean)" in colouring(toy_corpus, read, TRUE).note
    assert "90 nearest in the first 2 dimensions (Euclidean)" in trust_line(read, "tsne")


def test_lengths_are_ordered_ranges(read, toy_corpus):
    found = colouring(toy_corpus, read, "length")
    lengths = np.array([len(text) for text in toy_corpus.texts])
    order = np.argsort(lengths, kind="stable")
    assert (np.diff(found.categories[order].astype(int)) >= 0).all() and len(found.names) > 1


def test_names_stand_where_most_of_a_group_lies(read, toy_corpus):
    points = np.concatenate([np.zeros((30, 2)), np.full((10, 2), 9.0), np.full((5, 2), 4.0)]).astype(np.float32)
    groups = np.array([0] * 40 + [1] * 4 + [NO_CLASS])
    assert named_places(groups, ["large", "small", "absent"], points) == [
        ("large", 0.0, 0.0, 40.0),
        ("small", 4.0, 4.0, 4.0),
    ]
    drawn = load_map(read, "after")
    levels = cluster_levels(clusters(read, "after"), drawn)
    assert len(levels) == 1 and sum(weight for *_, weight in levels[0]) == 120


def test_facts_are_readable_json(read):
    facts = read_json(read.moves_facts("before"))
    assert facts["neighbors"] == 10 and facts["clusters_of"] == [read.id, "before"]


def test_a_result_says_what_moved_with_texts_each_way(open_page, read):
    at = open_page("result")
    seen, found = words(at), moves_of(read, "before")
    assert not at.exception and "What moved" in seen and "Gained most" in seen and "Lost most" in seen
    best = int(np.nanargmax(np.where(found.above, found.effect, -1)))
    assert f"{found.same_before[best]} → {found.same_after[best]} of 10" in seen
    next(button for button in at.button if button.label == "Show all that moved").click().run()
    assert at.session_state["map.view"] == MOVED and "Median movement" in words(at)


def test_a_result_without_labels_says_how_many_moved(read):
    found = moves_of(read, "before")
    facts = replace(found.facts, helped=Share(None, None, 0, 0), moved=Share(0.5, 0.1, 10, 20), median=0.25)
    said = movement_in_words(replace(found, facts=facts))
    assert said.endswith(
        "than before (Euclidean distance, as for the maps); half of them changed 25 % of their ten or more."
    ) and said.startswith("50.0 %")


def test_helped_and_hurt_are_said_in_this_order(read):
    found = moves_of(read, "before")
    moved, helped, hurt = (Share(each, 0.01, 1, 10) for each in (0.5, 0.3, 0.1))
    said = movement_in_words(replace(found, facts=replace(found.facts, moved=moved, helped=helped, hurt=hurt)))
    assert "30.0 % have more of their own class among the ten nearest, 10.0 % have fewer." in said


def test_texts_above_noise_are_a_share_of_their_group():
    row = GroupMoves(name="law", texts=20, above=5, movement=Interval(0.4, 0.3, 0.5), effect=None)
    assert groups_table([row], "classes")["above noise"].to_pylist() == [25.0]
