"""A map by its two files: what was written is read, texts without a place are left out, old facts open."""

import numpy as np
from builders import knn

from embedlab.runs.drawn_map import MapFacts, Preview, map_corner, read_map, read_map_facts, read_places, write_map
from embedlab.runs.result import RunResult
from embedlab.store_root import write_json


def test_what_was_written_is_read_and_who_has_no_place_is_left_out(tmp_path):
    path, facts = tmp_path / "map.parquet", tmp_path / "map.json"
    write_map(path, np.array([2, 5, 7]), np.array([[0.5, 1.0], [np.nan, np.nan], [-3.0, 4.0]]))
    assert read_map(path) is None and read_map_facts(facts) is None  # its facts are written last
    write_json(facts, {"method": "tsne", "seed": 42, "perplexity": 30.0, "preview": {"shown": 3, "of": 9}})
    drawn = read_map(path)
    assert drawn.rows.tolist() == [2, 7] and drawn.coordinates.tolist() == [[0.5, 1.0], [-3.0, 4.0]]
    assert (drawn.facts.seed, drawn.facts.preview, drawn.facts.seconds) == (42, Preview(shown=3, of=9), 0.0)
    assert drawn.facts.model_dump()["perplexity"] == 30.0  # the method's own settings stay
    everywhere = drawn.everywhere(8)
    assert everywhere[7].tolist() == [-3.0, 4.0] and np.isnan(everywhere[5]).all() and np.isnan(everywhere[0]).all()
    rows, places = read_places(path)
    assert rows.tolist() == [2, 5, 7] and np.isnan(places[1]).all() and places.dtype == np.float32


def test_facts_that_are_none_are_no_map(tmp_path):
    (tmp_path / "map.json").write_text("[", encoding="utf-8")
    assert read_map_facts(tmp_path / "map.json") is None
    write_json(tmp_path / "map.json", {"seed": "often"})
    assert read_map_facts(tmp_path / "map.json") is None


def test_a_corner_is_by_the_chosen_distance_and_tells_the_picture():
    result = RunResult(knn=knn((0.3, 0.7), (0.3, 0.8), n=100))
    euclidean = MapFacts(distance="euclidean", knn_in_picture=0.592)
    told = "kNN accuracy 70.0 % ± 4.6 (Euclidean distance), 59.2 % in the picture"
    assert map_corner(result, "after", euclidean, distance="euclidean") == told
    assert "30.0 % ± 4.6 (Euclidean distance)" in map_corner(result, "before", euclidean, distance="euclidean")
    by_cosine = "kNN accuracy 80.0 % ± 4.0 (cosine), 59.2 % in the picture"
    assert map_corner(result, "after", euclidean, distance="cosine") == by_cosine
    assert map_corner(result, "after", None, distance="cosine") == "kNN accuracy 80.0 % ± 4.0 (cosine)"
    supervised = map_corner(result, "after", euclidean, distance="euclidean", folds=False)
    assert supervised == "kNN accuracy 70.0 % ± 4.6 (Euclidean distance)"
    assert map_corner(None, "after", euclidean, distance="cosine") == "kNN accuracy 59.2 % in the picture"
    assert map_corner(None, "after", None, distance="cosine") == ""
