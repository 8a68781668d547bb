"""Work beside a page: kept when it is done, tried again when it failed."""

import pytest

from embedlab.ui.frame import background


@pytest.fixture
def awaited(monkeypatch):
    """``awaited``, which waits here until the work is done."""
    monkeypatch.setattr(background, "WAIT_SECONDS", 30)
    return background.awaited


def test_what_failed_once_is_tried_again_and_what_was_found_is_kept(awaited):
    tried = []

    def work():
        tried.append(len(tried))
        if len(tried) == 1:
            raise OSError("the disk was away for a moment")
        return len(tried)

    with pytest.raises(OSError, match="for a moment"):
        awaited("a key of this test", work, "Looking")
    assert awaited("a key of this test", work, "Looking") == 2
    assert awaited("a key of this test", work, "Looking") == 2 and tried == [0, 1]
