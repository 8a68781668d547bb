"""Home on an empty store: the pocket encoder is at work, obeys its three buttons, and asks nobody for anything."""

import pytest
from conftest import PATIENCE, Served, new_page
from looking import until


@pytest.fixture
def first_page(context, tmp_path):
    """The app on a store of its own, which is empty."""
    served = Served(tmp_path)
    page, faults = new_page(context, served.url), []
    page.set_default_timeout(PATIENCE)
    own = (served.url, served.url.replace("http", "ws"), "data:", "blob:")
    page.on("request", lambda asked: None if asked.url.startswith(own) else faults.append(asked.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(served.url)
    yield page
    page.close()
    served.end()
    assert faults == []


def test_a_stranger_sees_topics_pull_apart(first_page):
    page = first_page
    now = page.locator(".at-work .now")
    until(page, lambda: "Step 300 of 300" in now.inner_text())
    assert page.locator(".at-work .names span").count() == 4  # topics
    learned = int(now.inner_text().split(": ")[1].split(" of 100")[0])
    untrained = int(now.inner_text().split("untrained ")[1].split(";")[0])
    assert learned > untrained
    page.locator(".at-work").get_by_role("button", name="Push off").click()
    until(page, lambda: "without push" in page.locator(".at-work .chart").inner_text())
    until(page, lambda: "Step 300 of 300" in now.inner_text())
    assert "cosine of two texts 0.9" in now.inner_text()  # it collapses
    page.locator(".at-work").get_by_role("button", name="Again").click()
    until(page, lambda: "Step 300 of 300" not in now.inner_text())
    page.locator(".at-work").get_by_role("button", name="Use my own texts").click()
    until(page, lambda: "/corpus" in page.url)  # which it shows may follow in the address
