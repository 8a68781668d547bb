"""The map component: what is sent, what comes back, and which texts a lasso holds."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from embedlab.figures import map_browser
from embedlab.ui.components import map_view
from embedlab.ui.components.loaded_maps import categories_of
from embedlab.ui.components.map_view import MOST_CLASSES, NO_CLASS, MapState, _state, map_payload, rows_in_polygon
from embedlab.ui.frame.routes import map_key, map_rooms, offer, offered
from embedlab.ui.frame.state import colours_of

SQUARE = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]
RED, BLUE = dict(light="#aa0000", dark="#ff5555"), dict(light="#0000aa", dark="#5555ff")


def payload(count: int = 4, **changes) -> dict:
    """A small map of two classes."""
    given_data = dict(
        coordinates=np.arange(2 * count, dtype=np.float64).reshape(count, 2),
        categories=np.array([0, 1, 1, NO_CLASS][:count]),
        class_names=["a", "b"],
        colours=[RED, BLUE],
    )
    return map_payload(**(given_data | changes))


def places_sent(identity: str) -> np.ndarray:
    """What the browser reads from a frame: four corners, then sixteen-bit numbers between them."""
    content = offered(identity)
    left, bottom, right, top = np.frombuffer(content, "<f8", count=4)
    whole = np.frombuffer(content, "<u2", offset=32).reshape(-1, 2)
    return np.array([left, bottom]) + whole / 65535 * np.array([right - left, top - bottom])


def bits_sent(identity: str, count: int) -> list[int]:
    """One bit each, the lowest first."""
    return np.unpackbits(np.frombuffer(offered(identity), "u1"), bitorder="little")[:count].tolist()


def test_the_browser_gets_back_what_was_sent():
    data = payload(row_ids=np.array([7, 8, 9, 40]), bright=np.array([True, False, True, False]))
    assert places_sent(data["points"]).tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert np.frombuffer(offered(data["categories"]), "u1").tolist() == [0, 1, 1, 2]  # 2: after the last class
    assert data["rows"]["kind"] == "bits"
    assert np.flatnonzero(bits_sent(data["rows"]["id"], 41)).tolist() == [7, 8, 9, 40]
    assert bits_sent(data["bright"], 4) == [1, 0, 1, 0]
    assert data["count"] == 4


def test_rows_that_say_nothing_are_not_sent_and_unordered_ones_as_they_are():
    assert payload(row_ids=np.arange(4))["rows"] is None
    assert payload()["rows"] is None
    for rows in ([3, 1, 0, 2], [7, 8, 9, 70_000], [0, 1, 1, 2]):
        sent = payload(row_ids=np.array(rows))["rows"]
        assert sent["kind"] == "list" and np.frombuffer(offered(sent["id"]), "<i4").tolist() == rows


@pytest.mark.parametrize("classes", [254, 255, 256, 300])
def test_categories_of_one_and_of_two_bytes(classes):
    names = [f"class {number}" for number in range(classes)]
    data = payload(categories=np.array([0, 253, classes - 1, NO_CLASS]), class_names=names, colours=[RED] * classes)
    width = "u1" if classes <= 255 else "<u2"
    assert np.frombuffer(offered(data["categories"]), width).tolist() == [0, 253, classes - 1, classes]


def test_classes_that_sixteen_bits_cannot_number_are_drawn_as_none():
    labels = np.array([f"{n:05d}" for n in range(MOST_CLASSES + 3)] + [None], dtype=object)
    classes = [SimpleNamespace(label=label) for label in labels[:-1]]
    numbers, info = np.array([*range(len(classes)), -1]), SimpleNamespace(rows=len(labels), classes=classes)
    corpus = SimpleNamespace(fingerprint="many", labels=labels, class_numbers=numbers, info=info)
    groups, colours = categories_of(corpus, np.arange(len(labels))), colours_of(corpus)
    assert groups[-5:].tolist() == [MOST_CLASSES - 1, *[NO_CLASS] * 4]
    sent = map_payload(
        coordinates=np.zeros((len(labels), 2)), categories=groups, class_names=list(colours),
        colours=list(colours.values()),
    )  # fmt: skip
    assert np.frombuffer(offered(sent["categories"]), np.uint16).tolist()[-5:] == [65533, *[65534] * 4]


def test_half_a_million_points_need_at_most_two_point_six_megabytes():
    count = 500_000
    coordinates = np.random.default_rng(0).normal(size=(count, 2)).astype(np.float32)
    data = map_payload(
        coordinates=coordinates,
        categories=np.arange(count) % 120,
        class_names=[str(number) for number in range(120)],
        colours=[RED] * 120,
        row_ids=np.arange(count) + 5,
    )
    sent = [data["points"], data["categories"], data["rows"]["id"]]
    assert sum(len(offered(identity)) for identity in sent) <= 2.6e6


def test_a_frame_is_the_same_array_wherever_it_stands():
    places = np.arange(8, dtype=np.float64).reshape(4, 2)
    first, second = payload(frames=[("before", places[::-1]), ("after", places)]), payload(coordinates=places)
    assert [name for name, _ in first["frames"]] == ["before", "after"]
    assert first["points"] == first["frames"][1][1] == second["points"]
    assert places_sent(first["frames"][0][1]).tolist() == places[::-1].tolist()


def test_equal_whole_numbers_of_another_size_are_another_array():
    places = np.arange(8, dtype=np.float64).reshape(4, 2)
    assert payload(coordinates=places)["points"] != payload(coordinates=2 * places)["points"]


def test_a_lasso_between_two_frames_holds_what_is_drawn_there():
    before, after = np.array([[0.0, 0.0], [10.0, 10.0]]), np.array([[10.0, 10.0], [0.0, 0.0]])
    square, none = [(2.0, 2.0), (3.0, 2.0), (3.0, 3.0), (2.0, 3.0)], np.zeros(2, int)
    found = {
        at: MapState(selection=square, at=at, frames=(before, after)).selected(after, none).tolist()
        for at in (0, 0.25, 0.75, 1)
    }
    assert found == {0: [], 0.25: [0], 0.75: [1], 1: []}


def test_a_lasso_belongs_to_the_frames_it_was_drawn_on():
    places = np.arange(8, dtype=np.float64).reshape(4, 2)
    three = payload(frames=[("a", places), ("b", places + 1), ("c", places[::-1])])
    ids, polygon = [identity for _, identity in three["frames"]], [[0, 0], [1, 0], [1, 1]]

    def kept(of: str, at: float | None, data: dict = three) -> bool:
        return _state(dict(selection=dict(of=of, at=at, polygon=polygon)), data).selection is not None

    assert kept(ids[2], None) and kept(ids[1], 1.0) and kept(f"{ids[0]} {ids[1]}", 0.5)
    assert not kept(ids[2], 1.0) and not kept(ids[0], 0.5) and not kept(ids[0], 7.0)
    longer = payload(frames=[("a", places), ("b", places + 1), ("c", places[::-1]), ("d", places)])
    assert kept(ids[2], 2.0, longer)  # a film that goes on keeps it


def test_the_last_colour_is_that_of_texts_without_a_class():
    data = payload(unlabeled=dict(light="#cccccc", dark="#333333"))
    assert data["light"] == ["#aa0000", "#0000aa", "#cccccc"] and data["dark"][-1] == "#333333"


def test_another_search_or_colouring_does_not_send_the_points_again():
    first, second = payload(), payload(bright=np.array([True] * 4), categories=np.array([1, 1, 0, 0]))
    assert first["points"] == second["points"]
    assert first["categories"] != second["categories"]


def test_the_same_content_has_the_same_id_and_other_types_another():
    ones = np.ones(4, dtype=np.uint16)
    assert offer(ones) == offer(ones.copy())
    assert offer(ones) != offer(ones.view(np.uint8))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (dict(coordinates=np.zeros((4, 3))), "finite coordinates"),
        (dict(coordinates=np.array([[np.nan, 0]] * 4)), "finite coordinates"),
        (dict(bright=np.array([True])), "as many bright"),
        (dict(row_ids=np.arange(5)), "as many row_ids"),
        (dict(colours=[RED]), "as many colors"),
        (dict(fade=np.ones(3)), "as many fade"),
        (dict(frames=[("a", np.zeros((3, 2)))]), "finite frames"),
        (dict(categories=np.array([0, 1, 2, 0])), "below the number of classes"),
    ],
)
def test_what_does_not_fit_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        payload(**changes)


def test_rows_in_a_square():
    points = np.array([[1, 1], [3, 1], [0.5, 1.9], [-1, 1], [1, 2.1]], dtype=np.float32)
    assert rows_in_polygon(points, SQUARE).tolist() == [0, 2]


def test_the_even_odd_rule_leaves_the_twice_surrounded_middle_of_a_star_out():
    angles = np.pi / 2 + np.arange(5) * 4 * np.pi / 5  # a pentagram in one stroke
    star = np.stack([np.cos(angles), np.sin(angles)], axis=1).tolist()
    assert rows_in_polygon(np.array([[0.0, 0.0], [0.0, 0.8]]), star).tolist() == [1]


def test_two_corners_hold_nothing():
    assert rows_in_polygon(np.zeros((3, 2)), [(0, 0), (1, 1)]).tolist() == []


def _slow(x: float, y: float, polygon: list) -> bool:
    """The loop of the browser, literally."""
    inside, previous = False, len(polygon) - 1
    for current in range(len(polygon)):
        (xi, yi), (xj, yj) = polygon[current], polygon[previous]
        if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
            inside = not inside
        previous = current
    return inside


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=3, max_size=12), st.integers(0, 10_000))
def test_browser_and_server_hold_the_same_points(polygon, seed):
    points = np.random.default_rng(seed).uniform(-6, 6, size=(60, 2)).astype(np.float32)
    expected = [row for row, (x, y) in enumerate(points.tolist()) if _slow(x, y, polygon)]
    assert rows_in_polygon(points, polygon).tolist() == expected


def test_a_selection_obeys_the_legend():
    points, categories = np.full((4, 2), 1.0), np.array([0, 1, 2, NO_CLASS])
    assert MapState().selected(points, categories).tolist() == []
    assert MapState(selection=SQUARE).selected(points, categories).tolist() == [0, 1, 2, 3]
    assert MapState(selection=SQUARE, isolated=(1, NO_CLASS)).selected(points, categories).tolist() == [1, 3]
    assert MapState(selection=SQUARE, hidden=(1,)).selected(points, categories).tolist() == [0, 2, 3]


def test_a_lasso_on_other_points_is_forgotten():
    data = payload()
    polygon = [[0, 0], [1, 0], [1, 1]]
    assert _state(dict(selection=dict(of=data["points"], polygon=polygon)), data).selection == [(0, 0), (1, 0), (1, 1)]
    assert _state(dict(selection=dict(of="other", polygon=polygon)), data).selection is None


def test_the_filter_names_categories_and_no_class():
    data = payload()
    shown = dict(of=data["categories"], isolated=[1, 2], hidden=[0])
    state = _state(dict(filter=shown, picked=0), data)
    assert (state.isolated, state.hidden, state.picked, state.second) == ((1, NO_CLASS), (0,), 0, None)
    assert _state(dict(picked=1, second=3), data).second == 3
    assert _state(dict(filter=shown | dict(of="other")), data).isolated == ()


def test_every_script_is_part_of_the_component():
    for names, folder in ((map_view._SCRIPTS, map_view._BROWSER), (map_browser.SCRIPTS, map_browser._FOLDER)):
        assert sorted(names) == sorted(path.stem for path in folder.glob("*.js"))


def test_no_script_can_turn_a_text_into_markup():
    scripts = [*map_view._BROWSER.glob("*.js"), *map_browser._FOLDER.glob("*.js")]
    source = "".join(path.read_text(encoding="utf-8") for path in scripts)
    assert not any(door in source for door in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write"))


def test_a_page_draws_the_map_and_reads_its_state():
    def page():
        import numpy as np
        import streamlit as st

        from embedlab.ui.components.map_view import map_view

        state = map_view(
            key="map",
            coordinates=np.zeros((3, 2)),
            categories=np.array([0, 0, 1]),
            class_names=["a", "b"],
            colours=[dict(light="#aa0000", dark="#ff5555")] * 2,
            corner="kNN 57.9 % ± 2.4",
        )
        st.text(f"picked {state.picked}")

    at = AppTest.from_function(page).run()
    assert not at.exception
    assert at.text[0].value == "picked None"
    at.session_state["map_560-map"] = {"picked": 2}
    assert at.run().text[0].value == "picked 2"


def test_a_map_of_a_height_that_no_room_is_kept_for_is_a_mistake():
    assert map_key("after", 500) == "map_500-after" and ".st-key-map_500-" in map_rooms().replace('[class*="', ".")
    with pytest.raises(AssertionError, match="no room is kept"):
        map_key("after", 501)
