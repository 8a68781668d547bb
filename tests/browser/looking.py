"""What browser tests do with a page."""

from contextlib import suppress


def idle(page) -> None:
    """Wait until the script of the page has ended."""
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def open_page(page, name: str) -> None:
    """Click a page in the list of pages; once more where the click fell into a page being drawn anew and was lost."""
    from playwright.sync_api import TimeoutError as Late

    link, heading = (page.get_by_role(role, name=name, exact=True) for role in ("link", "heading"))
    link.click()
    try:
        heading.wait_for(timeout=30_000)
    except Late:
        link.click()
        heading.wait_for()
    idle(page)


def open_tab(page, name: str) -> None:
    """Open the page Run, and click a tab; once more where the click was lost."""
    open_page(page, "Run")
    tab = page.get_by_role("tab", name=name, exact=True)
    for _ in range(3):
        tab.click()
        idle(page)
        if tab.get_attribute("aria-selected") == "true":
            return
    raise AssertionError(f"the tab {name} did not open")


def no_failure(page) -> None:
    """Nothing on the page is a traceback."""
    assert page.locator('[data-testid="stException"]').count() == 0
    assert "Traceback" not in page.locator("body").inner_text()


def until(page, condition) -> None:
    """Look again, as long as patience lasts, while the page goes on; a page being drawn anew answers nothing."""
    from playwright.sync_api import Error

    for _ in range(3000):
        with suppress(Error):
            if condition():
                return
        page.wait_for_timeout(100)
    raise AssertionError("it did not happen within five minutes")


def box_at_rest(page, element) -> dict[str, float]:
    """Its box in the window, once it is drawn and has not moved for a quarter of a second."""
    boxes: list[dict[str, float] | None] = [None]

    def is_at_rest() -> bool:
        page.wait_for_timeout(250)
        boxes.append(element.bounding_box())
        return boxes[-1] is not None and boxes[-1] == boxes[-2]

    until(page, is_at_rest)
    return boxes[-1]
