"""The foot of the frame: what works there is called by its title, never by a key."""

import pytest

from embedlab.runs.store import create_run
from embedlab.tasks import TASKS
from embedlab.ui.frame.sidebar import QUIET, title_of


@pytest.mark.parametrize("task", [task.key for task in TASKS if task.key not in QUIET])
def test_every_kind_of_work_has_a_title(store, task):
    title = title_of(create_run(task, {"encoder": "token", "recipe": "crops"}))
    assert title != task and title[0].isupper() or title == "Token embeddings, from scratch · Text crops"
    assert "_" not in title
