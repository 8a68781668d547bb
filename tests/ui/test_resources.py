"""Memory and processor of a run stand folded under its curves."""

from seen import drawn

from embedlab.runs.store import append_row

NAME = "Memory and processor"


def test_they_are_drawn_when_they_are_unfolded(open_page, made_run):
    run = made_run()
    assert NAME not in [each.label for each in open_page("run", run=run.id).expander]
    for at in (0.0, 2.0):
        append_row(run.resources, {"at": at, "memory": 10**9, "cores": 1.5})
    at = open_page("run", run=run.id)
    assert NAME in [each.label for each in at.expander]
    assert NAME not in [figure["layout"]["title"]["text"] for figure in drawn(at)]
    at.session_state[f"resources-{run.id}"] = True
    at.run()
    assert not at.exception
    assert NAME in [figure["layout"]["title"]["text"] for figure in drawn(at)]
