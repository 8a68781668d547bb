"""What an encoder folder asks for and is not followed stands on every page that shows its numbers."""

import pytest
from builders import change_result
from seen import words

SENTENCE = "The encoder compares texts by the dot product (similarity_fn_name: dot), which the export keeps."


@pytest.mark.parametrize("page", ["result", "evaluate", "compare", "diagnostics", "layers", "length"])
def test_the_page_says_it(open_page, made_run, page):
    run = made_run()
    assert SENTENCE not in words(open_page(page, run=run.id).run())
    change_result(run, warnings=[{"code": "W-ENCODER-SIMILARITY", "message": SENTENCE}])
    at = open_page(page, run=run.id).run()
    assert not at.exception
    assert SENTENCE in words(at)
