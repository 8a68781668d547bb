"""The replay of a run: what is in the file, what is not, and that no text of it can become code."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from replayed import HOSTILE, made_run

from embedlab.errors import RunError
from embedlab.plain_text import clean_name
from embedlab.plane import from_sixteen_bits
from embedlab.report.replay import chosen_rows, replay_content, replay_page, texts_in_replay
from embedlab.runs.store import create_run
from embedlab.store_root import write_json


def numbers(packed: str, kind: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed), kind)


def told(page: bytes) -> dict:
    """The content of a page, as a browser takes it from between the tags."""
    found = re.findall(r'<script type="application/json" id="content">(.*?)</script>', page.decode(), re.S)
    return json.loads(found[0])


def test_frames_and_maps_come_back_within_a_sixteen_bit_step(store):
    run, corpus = made_run()
    content = told(replay_page(replay_content(run, corpus)))
    film = content["film"]
    assert [frame["step"] for frame in film["frames"]] == [0, 10, 20, 30]
    last = numbers(film["frames"][-1]["at"], "<u2").reshape(-1, 2)
    assert from_sixteen_bits(last, film["low"], film["high"])[0] == pytest.approx([4, 0], abs=8 / 65535)
    after = from_sixteen_bits(numbers(content["maps"]["after"], "<u2").reshape(-1, 2), *_corners(content["maps"]))
    assert np.linalg.norm(after, axis=1) == pytest.approx(np.full(60, 3.0), abs=1e-3)
    assert numbers(film["points"], "<u4").tolist() == list(range(20)) and content["points"] == 60
    assert [content["classes"][each][0] for each in numbers(content["categories"], "<u2")[:2]] == [
        HOSTILE[:30],
        "class 1",
    ]
    assert content["distances"][1]["curve"]["line"][1] == [10, 0.4, pytest.approx((0.4 * 0.6 / 50) ** 0.5), 50]


def test_the_maps_say_accuracy_by_the_distance_that_they_were_drawn_with(store):
    run, corpus = made_run()
    assert replay_content(run, corpus)["maps"]["accuracy"] == ""  # nothing says how these were drawn
    for side, seen in (("before", 0.25), ("after", 0.5)):
        write_json(run.map_facts(side, "tsne"), {"distance": "euclidean", "knn_in_picture": seen})
    assert replay_content(run, corpus)["maps"]["accuracy"] == (
        "kNN accuracy (Euclidean distance, as the maps are drawn) 40.0 % → 60.0 %, in the picture 25.0 % → 50.0 %"
    )


def _corners(maps: dict) -> tuple:
    return maps["low"], maps["high"]


def test_both_distances_are_told_cosine_first(store):
    run, corpus = made_run()
    by_cosine, by_euclidean = replay_content(run, corpus)["distances"]
    assert (by_cosine["name"], by_euclidean["name"]) == ("cosine", "Euclidean distance")
    assert by_cosine["verdict"] == "Helped: kNN accuracy +20.0 points (cosine, 95 %: 10.0 … 30.0) on 100 test texts."
    assert by_cosine["numbers"][:2] == [
        ["kNN accuracy (cosine), before", "50.0 % ± 5.0", ""], ["after", "70.0 % ± 4.6", "+20.0 points"]
    ]  # fmt: skip
    assert by_euclidean["numbers"][1] == ["after", "60.0 % ± 4.9", "+20.0 points"]
    assert [point[1] for point in by_cosine["curve"]["line"]] == pytest.approx([0.4, 0.5, 0.6, 0.7])


def test_line_and_reference_lines_are_of_one_sample_and_all_test_texts_are_marks(store):
    run, corpus = made_run()
    curve = replay_content(run, corpus)["distances"][0]["curve"]
    assert {point[3] for point in curve["line"]} == {50} and [line[2] for line in curve["references"]] == [0.55, 0.5]
    assert [mark[:2] for mark in curve["marks"]] == [[0, 0.5], [30, 0.7]] and {mark[3] for mark in curve["marks"]} == {
        100
    }
    assert [line[2] for line in curve["reference_marks"]] == [0.7, 0.65]
    assert "sample: 50 test texts among 300" in curve["where"] and "Diamonds: all 100 test texts" in curve["where"]


def test_a_line_of_all_test_texts_has_no_marks(store):
    run, corpus = made_run(is_whole=True)
    curve = replay_content(run, corpus)["distances"][0]["curve"]
    assert curve["marks"] == curve["reference_marks"] == [] and len(curve["references"]) == 2
    assert "all 50 test texts among all 300" in curve["where"] and "Diamonds" not in curve["where"]


def test_texts_are_cut_and_can_be_left_out(store):
    run, corpus = made_run()
    whole, without = replay_content(run, corpus), replay_content(run, corpus, with_texts=False)
    assert len(whole["texts"]) == 60 and all(len(text) <= 300 for _, text in whole["texts"])
    assert whole["texts"][1][1].startswith("1 galaxy") and whole["texts"][1][1].endswith("…")
    assert without["texts"] is None and b"galaxy" not in replay_page(without) and b"galaxy" in replay_page(whole)


def test_no_text_can_end_the_script_or_begin_another(store):
    run, corpus = made_run()
    page = replay_page(replay_content(run, corpus)).decode()
    assert page.count("</script>") == 2 and "<img" not in page and "\u2028" not in page and "\u2029" not in page
    assert told(page.encode())["texts"][0][1] == corpus.texts[0][:299].rstrip() + "…"
    assert told(page.encode())["title"] == clean_name(HOSTILE)


def test_a_text_that_looks_like_a_place_of_the_template_stays_a_text(store):
    run, corpus = made_run()
    content = replay_content(run, corpus)
    content["title"] = "<!--script-->"
    assert told(replay_page(content))["title"] == "<!--script-->"


def test_only_this_script_and_this_style_may_run(store):
    run, corpus = made_run()
    page = replay_page(replay_content(run, corpus)).decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    script, style = (
        re.findall(pattern, page, re.S)[0] for pattern in (r"<script>(.*?)</script>", r"<style>(.*?)</style>")
    )
    for name, source in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "http" not in policy
    assert not re.search(
        r"(src|href|style|on\w+)=", page.partition('<script type="application/json"')[0].partition("<body>")[2]
    )


def test_of_many_texts_the_probe_stays_and_each_class_keeps_its_share():
    labels = np.array((["a"] * 3 + ["b"]) * 5000, dtype=object)
    rows = chosen_rows(np.arange(0, 1000), np.arange(20_000), labels)
    assert len(rows) == len(np.unique(rows)) == 5000 and set(range(1000)) <= set(rows)
    assert (labels[rows] == "a").sum() == 3750
    assert np.array_equal(rows, chosen_rows(np.arange(0, 1000), np.arange(20_000), labels))


@pytest.mark.parametrize(("frames", "maps", "points"), [(0, True, 60), (4, False, 20), (0, False, 0)])
def test_a_run_without_film_or_maps_replays_what_it_has(store, frames, maps, points):
    run, corpus = made_run(frames=frames, maps=maps)
    content = replay_content(run, corpus)
    assert content["points"] == points == texts_in_replay(run, 60) == len(content["texts"])
    assert (content["film"] is None, content["maps"] is None) == (not frames, not maps)
    assert told(replay_page(content))["steps"] == 30


def test_a_run_without_a_result_is_refused(store):
    _, corpus = made_run()
    with pytest.raises(RunError, match="nothing to replay") as found:
        replay_content(create_run("train", {"corpus": corpus.fingerprint}), corpus)
    assert found.value.code == "E-NO-RESULT"
