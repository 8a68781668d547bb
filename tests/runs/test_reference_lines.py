"""What the references get right: on all test texts, on some of them, written and read again, from an old file."""

import numpy as np
import pytest

from embedlab.runs.reference_lines import KeptLine, lines_on, read_lines, right_by, write_lines
from embedlab.store_root import write_json

LINE = KeptLine(value=0.5, standard_error=0.25, test_texts=4, cosine=0.5, correct_rows=[2, 7])


def test_on_fewer_texts_it_is_counted_anew():
    rows = np.array([2, 3, 7])  # of 2, 3, 5, 7
    assert right_by({"tfidf": LINE}, rows)["tfidf"].tolist() == [True, False, True]
    told = lines_on({"tfidf": LINE}, rows)["tfidf"]
    assert told["value"] == told["cosine"] == pytest.approx(2 / 3) and told["test_texts"] == 3
    assert told["standard_error"] == pytest.approx((2 / 9 / 3) ** 0.5)
    assert not {"correct_rows", "folds"} & told.keys()


def test_what_is_written_is_read_and_an_old_or_damaged_file_too(tmp_path):
    file = tmp_path / "references.json"
    assert read_lines(file) == {}
    lines = {"tfidf": LINE, "svd": LINE.model_copy(update={"folds": LINE})}
    write_lines(file, lines)
    assert read_lines(file) == lines and "null" not in file.read_text(encoding="utf-8")
    write_json(file, {"tfidf": {"value": 0.5, "standard_error": 0.25, "test_texts": 4, "correct_rows": [2]}})
    assert read_lines(file)["tfidf"].cosine is None  # from before both distances were kept
    file.write_text("{", encoding="utf-8")
    assert read_lines(file) == {}
