"""The picture of classes: its points and whiskers are the given numbers, its order is asked for, labels stay text."""

import pytest

from embedlab.figures.classes import MOST, class_changes
from embedlab.measurement import ClassChange, Difference
from embedlab.palette import ACCENT, UNTOUCHED

HOSTILE = "<img src=x onerror=alert(1)> %{y} $x$"
CLASSES = [
    ClassChange(HOSTILE, 300, 0.5, 0.6, 30, 0, Difference(0.1, 0.02, 0.18, 300)),
    ClassChange("007", 20, 0.9, 0.4, 0, 10, Difference(-0.5, -0.8, -0.2, 20)),
    ClassChange("c", 10, 0.0, 0.95, 9, 0, Difference(0.95, 0.6, 1.0, 10)),
]


@pytest.mark.parametrize("dark", [False, True])
def test_points_and_whiskers(dark):
    _, before, after = class_changes(CLASSES, dark=dark).data
    assert list(before.x) == [0.9, 0.5, 0.0] and list(after.x) == [0.4, 0.6, 0.95]  # drawn upwards: c on top
    assert before.marker.color == UNTOUCHED["dark" if dark else "light"]
    assert after.marker.color == ACCENT["dark" if dark else "light"]
    # the whisker of "after" is where it would lie at the ends of the change: .9 − .8 … .9 − .2, cut to 0 … 1
    assert [a - m for a, m in zip(after.x, after.error_x.arrayminus, strict=True)] == pytest.approx([0.1, 0.52, 0.6])
    assert [a + p for a, p in zip(after.x, after.error_x.array, strict=True)] == pytest.approx([0.7, 0.68, 1.0])


def test_the_order_is_by_change_or_by_size():
    ticks = {by: list(class_changes(CLASSES, by=by).layout.yaxis.ticktext)[::-1] for by in ("change", "texts")}
    assert [tick.rpartition(" · ")[2] for tick in ticks["change"]] == ["10", "300", "20"]
    assert [tick.rpartition(" · ")[2] for tick in ticks["texts"]] == ["300", "20", "10"]


def test_of_many_classes_fifty_are_drawn_those_that_change_most():
    many = [ClassChange(f"c{n}", n, 0.5, 0.5 + n / 400, n, 0, Difference(n / 400, 0, 1, n)) for n in range(60)]
    figure = class_changes(many)
    assert len(figure.data[2].x) == MOST and min(figure.data[2].x) == pytest.approx(0.5 + 10 / 400)
    assert figure.layout.title.text == "kNN accuracy, class by class, the 50 that change most"
    assert class_changes(CLASSES, measured="(cosine)").layout.title.text == "kNN accuracy (cosine), class by class"


def test_labels_stay_text_and_the_sentence_has_the_main_numbers():
    figure = class_changes(CLASSES)
    assert "<img" not in str(figure.update_layout(meta=None).to_dict())
    assert class_changes(CLASSES).layout.meta["alt"] == (
        "Of 3 classes 2 are clearly better after fine-tuning and 1 clearly worse; c changes most, from 0.0 % to 95.0 %."
    )
    assert class_changes([]).layout.meta["alt"] == "No classes."
