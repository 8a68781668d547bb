"""What the references get right: on all test texts, on some of them, written and read again."""

import numpy as np
import pytest
from builders import line

from embedlab.runs.reference_lines import KeptLine, lines_on, read_lines, right_by, write_lines

LINE = KeptLine(**dict(line(0.5, n=4)), correct_rows=[2, 7])


def test_on_fewer_texts_it_is_counted_anew():
    rows = np.array([2, 3, 7])  # of 2, 3, 5, 7
    assert right_by({"tfidf": LINE}, rows)["tfidf"].tolist() == [True, False, True]
    told = lines_on({"tfidf": LINE}, rows)["tfidf"].model_dump()
    measured = told["measured"]["euclidean"]
    assert measured == told["measured"]["cosine"] and measured["value"] == pytest.approx(2 / 3) and measured["n"] == 3
    assert measured["error"] == pytest.approx((2 / 9 / 3) ** 0.5)
    assert not {"correct_rows", "folds"} & told.keys()


def test_what_is_written_is_read_and_a_damaged_file_is_none(tmp_path):
    file = tmp_path / "references-3.json"
    assert read_lines(file) == {}
    lines = {"tfidf": LINE, "svd": LINE.model_copy(update={"folds": LINE})}
    write_lines(file, lines)
    assert read_lines(file) == lines and "null" not in file.read_text(encoding="utf-8")
    file.write_text("{", encoding="utf-8")
    assert read_lines(file) == {}
