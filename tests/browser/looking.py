"""What browser tests do with a page."""

from contextlib import suppress


def idle(page) -> None:
    """Wait until the script of the page has ended."""
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def open_page(page, name: str) -> None:
    """Click a page in the list of pages."""
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_role("heading", name=name, exact=True).wait_for()
    idle(page)


def no_failure(page) -> None:
    """Nothing on the page is a traceback."""
    assert page.locator('[data-testid="stException"]').count() == 0
    assert "Traceback" not in page.locator("body").inner_text()


def until(page, condition) -> None:
    """Look again, as long as patience lasts, while the page goes on; a page being drawn anew answers nothing."""
    from playwright.sync_api import Error

    for _ in range(600):
        with suppress(Error):
            if condition():
                return
        page.wait_for_timeout(100)
    raise AssertionError("it did not happen within a minute")
