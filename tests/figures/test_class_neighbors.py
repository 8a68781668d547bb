"""The heat map of who neighbors whom: roots as colours, shares on hover, room for every class."""

import numpy as np
import pytest

from embedlab.figures.classes import AFTER, BEFORE, CHANGE, class_neighbor_map

BEFORE_SHARES = np.array([[0.6, 0.4], [0.25, 0.75]])
AFTER_SHARES = np.array([[0.96, 0.04], [0.25, 0.75]])


def test_colour_is_the_signed_root_and_hover_the_shares():
    figure = class_neighbor_map(["a<b>", "c"], before=BEFORE_SHARES, after=AFTER_SHARES, marked=(0, 1))
    drawn = figure.data[0]
    assert np.asarray(drawn.z).tolist() == [[0.6, -0.6], [0, 0]]
    assert drawn.zmax == pytest.approx(0.6) and drawn.zmin == pytest.approx(-0.6)
    assert np.asarray(drawn.customdata)[0, 1].tolist() == [40, 4, -36]
    assert figure.layout.yaxis.ticktext[0] == "a&lt;b&gt;" and figure.layout.yaxis.range == (1.5, -0.5)
    assert (figure.layout.shapes[0].x0, figure.layout.shapes[0].y0) == (0.5, -0.5)
    assert "67.5 %" in figure.layout.meta["alt"] and "85.5 %" in figure.layout.meta["alt"]
    assert "from 60.0 % to 96.0 %" in figure.layout.meta["alt"]


@pytest.mark.parametrize("kind", [BEFORE, AFTER])
def test_shares_themselves_go_one_way_from_the_ground(kind):
    shares = {BEFORE: BEFORE_SHARES, AFTER: AFTER_SHARES}[kind]
    drawn = class_neighbor_map(["a", "b"], before=BEFORE_SHARES, after=AFTER_SHARES, kind=kind, dark=True).data[0]
    np.testing.assert_allclose(np.asarray(drawn.z) ** 2, shares, atol=2e-4)
    assert drawn.zmin == 0 and drawn.colorbar.ticktext[0] == "0 %"


@pytest.mark.parametrize("count", [1, 54, 120, 300])
def test_every_class_has_its_row_and_its_name(count):
    same = np.eye(count)
    figure = class_neighbor_map([f"class {each}" for each in range(count)], before=same, after=same, kind=CHANGE)
    rows = (figure.layout.height - 240) / count
    assert len(figure.layout.yaxis.ticktext) == count and rows >= 9 > figure.layout.yaxis.tickfont.size - 4
    assert len(figure.layout.xaxis.ticktext) <= 40 and np.isfinite(np.asarray(figure.data[0].z)).all()


def test_classes_of_one_name_keep_a_column_each():
    names = ["a long name that is cut off " + end for end in ("here", "there")]
    columns = class_neighbor_map(names, before=BEFORE_SHARES, after=AFTER_SHARES).data[0].x
    assert len(set(columns)) == 2 and columns[0] == columns[1].rstrip("\u200b")
