"""Topics by keywords name the maps at two grains: where asked, and where colors have no names."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from drawn_maps import write_maps
from seen import sent

from embedlab.store_root import write_json

COARSE, FINE = ["law", "food"], ["court", "treaty", "oven", "spoon"]


@pytest.fixture
def named(open_page, made_run, toy_corpus):
    """The maps of a run whose texts are in two clusters of two parts each."""
    run = made_run()
    write_maps(run, toy_corpus)
    parts = np.arange(120) // 30
    run.clusters("after").parent.mkdir()
    columns = {"id": np.arange(120), "cluster": parts // 2, "fine": parts}
    pq.write_table(pa.table(columns), run.clusters("after"))
    facts = {"how": "k-means", "without": 0, "groups": None, "fine": {"keywords": [[word] for word in FINE]},
             "clusters": [{"texts": 60, "keywords": [word]} for word in COARSE]}  # fmt: skip
    write_json(run.clusters("after").with_suffix(".json"), facts)
    return open_page("maps", run=run.id)


def levels(at) -> list[list[str]]:
    """The names of each level, the same on both maps."""
    drawn = [[sorted(name for name, *_ in level) for level in each["levels"]] for each in sent(at) if "levels" in each]
    assert len(drawn) == 2 and drawn[0] == drawn[1]
    return drawn[0]


def shows_names(at) -> set[bool]:
    return {each["names_on_map"] for each in sent(at) if "levels" in each}


def test_classes_keep_their_names_until_topics_are_asked_for(named):
    assert levels(named) == [] and shows_names(named) == {True}
    named.segmented_control(key="maps.names").set_value("topics").run()
    assert not named.exception
    assert levels(named) == [sorted(COARSE), sorted(FINE)] and shows_names(named) == {True}
    named.segmented_control(key="maps.names").set_value(None).run()
    assert not named.exception and shows_names(named) == {False}


def test_colours_without_names_have_topics(named):
    named.selectbox(key="maps.colour").set_value("length").run()
    assert not named.exception
    assert levels(named) == [sorted(COARSE), sorted(FINE)] and shows_names(named) == {True}


def test_without_clusters_there_are_no_topics(open_page, made_run, toy_corpus):
    run = made_run()
    write_maps(run, toy_corpus)
    at = open_page("maps", run=run.id)
    at.segmented_control(key="maps.names").set_value("topics").run()
    assert not at.exception and levels(at) == []
