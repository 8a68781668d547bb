"""Find in the browser: the verdict stands first, the table is downloaded, the picture keeps to the screen's width."""

from pathlib import Path

import pytest
from looking import idle, no_failure, until
from made_finds import made_find, over
from toy_corpora import store_toy

from embedlab.finds.store import delete_find
from embedlab.store_root import discard


@pytest.fixture
def find(home):
    """A finished Find in the browser tests' store, for these tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMBEDLAB_HOME", str(home))
        corpus = store_toy()
        made = made_find(corpus.fingerprint, "finished", over())
        yield made
        delete_find(made)
        discard(corpus.folder)


@pytest.mark.parametrize("width", [1400, 800])
def test_a_finished_find_shows_its_verdict_and_gives_its_table(page, app, find, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app.url}/train?train.view=Find&find={find.id}")
    page.get_by_role("heading", name="beats counting words on these texts").wait_for()
    idle(page)
    chart = page.locator(".chart").first
    until(page, lambda: chart.evaluate("g => (g._fullData || []).some(trace => trace.name === 'best')"))
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    with page.expect_download() as downloaded:
        page.get_by_role("button", name="Download the table").click()
    table = Path(downloaded.value.path()).read_text(encoding="utf-8-sig")
    assert table.startswith("candidate,kind,encoder") and len(table.splitlines()) == 13
    no_failure(page)
