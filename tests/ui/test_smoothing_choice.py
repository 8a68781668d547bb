"""Curves are smoothed by a slider, on Runs and on a run's own page; the measured line stays."""

from seen import drawn


def smoothed_lines(at) -> int:
    return sum("smoothed" in (trace.get("name") or "") for figure in drawn(at) for trace in figure["data"])


def test_the_curves_of_runs_and_of_a_run_are_smoothed(open_page, made_run):
    run = made_run()
    for page, key, address in (
        ("runs", "compare.smoothing", {"view": "Curves", "runs": run.id}),
        ("run", "curves.smoothing", {"run": run.id}),
    ):
        at = open_page(page, **address)
        assert not at.exception and smoothed_lines(at) == 0, page
        at.select_slider(key=key).set_value(0.85).run()
        assert not at.exception and smoothed_lines(at) >= 1, page
