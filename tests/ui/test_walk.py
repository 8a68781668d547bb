"""A walk from neighbor to neighbor beside the maps: a click begins it, each neighbor is a step, Back goes back."""

import numpy as np
import pytest
from drawn_maps import write_maps, write_neighbors
from seen import sent, words

from embedlab.corpora.base import Draft, store_corpus


@pytest.fixture
def walking(open_page, made_run, toy_corpus):
    """The maps of a run with neighbor graphs, and a click on its text 7."""
    run = made_run()
    write_maps(run, toy_corpus)
    write_neighbors(run, toy_corpus)
    at = open_page("maps", run=run.id)
    at.session_state[f"map_500-maps-after-tsne-{run.id}"] = {"picked": 7}
    at.run()
    assert not at.exception
    return run, at


def listed(at) -> list[str]:
    return [
        button.label for button in at.button if (button.key or "").startswith("maps.walk-") and button.key[-1].isdigit()
    ]


def pointed(at) -> set:
    return {each["pointed"] for each in sent(at) if "pointed" in each}


def marked(at) -> list[int]:
    """How many dots without a name each map has."""
    return [sum(name == "" for name, _, _ in each["marks"]) for each in sent(at) if "marks" in each]


def test_a_clicked_text_has_its_ten_nearest_beside_the_maps(walking, toy_corpus):
    _, at = walking
    # after: rows 11, 15, … of its own class; before: the rows that follow, of which 11 and 15 are the fourth and eighth
    assert len(listed(at)) == 10
    assert listed(at)[0].startswith("1\\. :green[✓]") and "new" not in listed(at)[0]
    assert listed(at)[2].startswith("3\\. :blue-badge[new] :green[✓]")
    assert "2 of its 10 nearest texts" in words(at) and "10 of 10 share its label, 2 of 10 before" in words(at)
    helped = next(button.help for button in at.button if button.key == "maps.walk-0")
    assert helped.startswith("Rank 1, before rank 4.")
    assert pointed(at) == {7} and marked(at) == [10, 10]


def test_each_neighbor_is_a_step_and_back_goes_back(walking, toy_corpus):
    _, at = walking
    assert at.button(key="maps.walk-back").disabled
    at.button(key="maps.walk-0").click().run()
    assert pointed(at) == {11} and toy_corpus.texts[11][:40] in " ".join(each.value for each in at.text)
    at.button(key="maps.walk-0").click().run()
    assert pointed(at) == {15}
    at.button(key="maps.walk-back").click().run()
    assert pointed(at) == {11}
    at.button(key="maps.walk-back").click().run()
    assert pointed(at) == {7} and at.button(key="maps.walk-back").disabled


def test_another_click_is_a_step_too_and_a_click_taken_back_ends_the_walk(walking):
    run, at = walking
    at.button(key="maps.walk-0").click().run()
    at.session_state[f"map_500-maps-after-tsne-{run.id}"] = {"picked": 11}  # the map takes over the step
    at.run()
    at.session_state[f"map_500-maps-before-tsne-{run.id}"] = {"picked": 20}
    at.run()
    assert pointed(at) == {20}
    at.button(key="maps.walk-back").click().run()
    assert pointed(at) == {11}
    for side in ("before", "after"):
        at.session_state[f"map_500-maps-{side}-tsne-{run.id}"] = {"picked": None}
    at.run()
    assert pointed(at) == {None} and listed(at) == [] and marked(at) == [0, 0]


def test_close_ends_it(walking):
    _, at = walking
    at.button(key="maps.walk-close").click().run()
    assert not at.exception and listed(at) == [] and pointed(at) == {None}


def test_texts_with_markup_and_no_labels_are_plain(open_page, made_run, store):
    from builders import leave_result, leave_state

    from embedlab.runs.store import create_run

    texts = ['*bold* [link](http://x)\n"quoted"', "the same", "the same"]
    corpus = store_corpus(Draft(name="odd", source="odd", texts=texts))
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"})
    leave_result(run, corpus)
    leave_state(run, "finished", corpus)
    write_maps(run, corpus)
    for side in ("before", "after"):
        run.embeddings(side).parent.mkdir(exist_ok=True)
        np.save(run.embeddings(side), np.eye(3, 8, dtype=np.float32) + 0.5)
    at = open_page("maps", run=run.id)
    at.session_state[f"map_500-maps-after-tsne-{run.id}"] = {"picked": 1}
    at.run()
    assert not at.exception and len(listed(at)) == 2
    assert any("\\*bold\\*" in line for line in listed(at))
    assert "share its label" not in words(at)
