"""What ended while nobody looked stands in the tab's title, and in a notification where that was allowed, once."""

import pytest
from looking import idle, until

AWAY = """
window.away = false; window.notified = []; window.asked = 0;
Object.defineProperty(document, "hidden", { get: () => window.away });
document.hasFocus = () => !window.away;
window.Notification = class {
  static permission = "default";
  static requestPermission() { window.asked++; this.permission = "granted"; return Promise.resolve("granted"); }
  constructor(title, { body }) { window.notified.push(`${title}: ${body}`); }
};
"""
READY = "[data-testid=stBidiComponentRegular], .alerts"


def choose(page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).click()
    idle(page)


def leave(page, away: bool) -> None:
    page.evaluate(f"window.away = {str(away).lower()}; document.dispatchEvent(new Event('visibilitychange'))")


@pytest.mark.slow
def test_the_title_is_marked_until_somebody_looks_and_each_end_is_notified_once(open_case):
    page = open_case("alerts", script=AWAY, ready=".alerts .ask")
    page.locator(".alerts .ask").click()
    until(page, lambda: page.evaluate("window.asked") == 1)
    page.locator(".alerts .ask").wait_for(state="hidden")
    leave(page, True)
    choose(page, "ended")
    until(page, lambda: page.title() == "(1) Done · Train · embedlab")
    choose(page, "both ended")
    until(page, lambda: page.title() == "(2) Done · Train · embedlab")
    assert page.evaluate("window.notified") == ["first: Helped: +1.0 points.", "second: Helped: +1.0 points."]
    leave(page, False)
    until(page, lambda: page.title() == "Train · embedlab")
    choose(page, "ended")
    choose(page, "working")  # asked once: not again
    assert page.locator(".alerts .ask").is_hidden() and page.evaluate("window.asked") == 1


def test_who_looks_is_told_by_the_page_alone(open_case):
    page = open_case("alerts", script=AWAY.replace('"default"', '"granted"'), ready=".alerts .told")
    choose(page, "ended")
    until(page, lambda: "first" in page.locator(".alerts .told").text_content())
    assert page.title() == "Train · embedlab" and page.evaluate("window.notified") == []
