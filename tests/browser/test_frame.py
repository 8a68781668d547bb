"""The frame in a browser: the page's name in the tab, views as links, and a sidebar that makes room."""

import pytest
from looking import idle, open_page, until


@pytest.mark.parametrize(("width", "is_folded"), [(800, True), (1400, False)])
def test_the_sidebar_is_folded_on_a_narrow_window_and_can_be_opened(page, app, width, is_folded):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app.url}/corpus")
    sidebar = page.get_by_test_id("stSidebar")
    idle(page)
    if is_folded:
        page.wait_for_function("document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right < 10")
        page.get_by_test_id("stExpandSidebarButton").click()
    page.wait_for_function("document.querySelector('[data-testid=stSidebar]').getBoundingClientRect().right > 200")
    assert sidebar.get_by_role("link", name="Train").is_visible()


def test_the_tab_names_the_page_and_a_view_is_a_link(page, app):
    page.goto(f"{app.url}/data?corpus.source=Catalog")
    idle(page)
    assert page.title() == "Data · embedlab"
    chosen = page.locator(".st-key-corpus-source [aria-checked=true], .st-key-corpus-source [kind$=Active]")
    assert chosen.inner_text() == "Catalog"
    page.get_by_role("radio", name="Your file").click()
    page.wait_for_url("**/data?*corpus.source=Your+file*")
    open_page(page, "Train")
    assert page.title() == "Train · embedlab" and "corpus.source" not in page.url


def test_the_address_of_a_former_page_opens_its_view(page, app):
    page.goto(f"{app.url}/studies?distance=euclidean")
    page.get_by_role("heading", name="Runs", exact=True).wait_for()
    until(page, lambda: "/runs?" in page.url and "distance=euclidean" in page.url)
