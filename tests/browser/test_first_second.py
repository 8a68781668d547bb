"""Home on an empty store: the pocket encoder is at work, obeys its three buttons, and asks nobody for anything."""

import pytest
from looking import until


@pytest.mark.slow
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
    until(page, lambda: "/data" in page.url)  # which it shows may follow in the address
