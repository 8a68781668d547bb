"""Labels given by hand color the maps of a corpus without classes, on the pages, in a figure and in a replay."""

import numpy as np
import pytest
from builders import leave_result, leave_state
from drawn_maps import write_maps
from seen import maps
from streamlit.testing.v1 import AppTest
from toy_corpora import toy_texts

from embedlab.config import validated
from embedlab.corpora.base import Draft, store_corpus
from embedlab.jobs.requests.drawing import DrawFigure
from embedlab.progress import silent
from embedlab.report.replay import replay_content
from embedlab.runs.hand_labels import ask_for, give_labels
from embedlab.runs.store import create_run
from embedlab.tasks.draw.figure import drawn_figure
from embedlab.ui.components.map_view import NO_CLASS
from embedlab.ui.maps.colour_by import LABEL, choices, colouring


@pytest.fixture
def mapped(store):
    """A corpus without labels and a run with its maps."""
    corpus = store_corpus(Draft(name="bare", source="x", texts=toy_texts(per_class=5)[0]))
    ask_for(corpus, range(20))
    run = create_run("train", {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops"}, name="first")
    leave_state(run, corpus=corpus)
    leave_result(run, corpus, steps=30, stopped=False, learning_rate=0.01)
    write_maps(run, corpus)
    return run, corpus


def test_the_pair_of_maps_takes_their_colours_as_they_come(mapped):
    run, corpus = mapped

    def page(run_id):
        from embedlab.runs.store import open_run
        from embedlab.ui.components.run_maps import map_pair

        map_pair(open_run(run_id))

    at = AppTest.from_function(page, kwargs={"run_id": run.id}, default_timeout=30).run()
    assert not at.exception and len(maps(at)) == 2 and not any("sailing" in part for part in maps(at))
    give_labels(corpus, {3: "sailing", 4: "law"})
    at.run()
    assert not at.exception and all("sailing" in part and "law" in part for part in maps(at))


def test_the_map_can_be_coloured_by_them(mapped):
    run, corpus = mapped
    assert LABEL not in choices(corpus, run)
    give_labels(corpus, {3: "sailing", 4: "law", 9: "law"})
    assert choices(corpus, run)[LABEL] == "Label by hand"
    colours = colouring(corpus, run, LABEL)
    assert colours.names == ["law", "sailing"]
    assert np.flatnonzero(colours.categories != NO_CLASS).tolist() == [3, 4, 9] and colours.categories[3] == 1


def test_a_figure_and_a_replay_have_them_too(mapped, tmp_path):
    run, corpus = mapped
    give_labels(corpus, {3: "sailing", 4: "law"})
    request = validated(DrawFigure, {"run": run.id, "format": "svg", "dpi": 80, "names": "legend"})
    drawn_figure(request, tmp_path / "figure.svg", silent)
    svg = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    assert ">sailing</text>" in svg and "2 classes by hand" in svg and "Gray: no label." in svg
    assert [name for name, *_ in replay_content(run, corpus)["classes"]] == ["law", "sailing"]
