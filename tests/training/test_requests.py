"""The request of a run: complete once, complete for ever, whichever recipe it is of."""

import pytest

from embedlab.config import validated
from embedlab.tasks import TASKS
from embedlab.training.recipes import RECIPES
from embedlab.training.settings import RunSettings


@pytest.mark.parametrize("encoder", ["token", "words", "scratch:bert-tiny", "minilm"])
@pytest.mark.parametrize("recipe", RECIPES.keys())
def test_what_is_stored_is_read_as_what_was_asked(recipe, encoder):
    request = validated(RunSettings, {"corpus": "f" * 16, "recipe": recipe, "encoder": encoder, "seed": 3})
    assert TASKS["train"].read(request.stored) == request
    assert TASKS["estimate"].read(request.stored).stored == request.stored


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.key)
def test_every_task_has_a_request_of_its_own_with_a_sentence_for_each_field(task):
    assert task.request.task == task.key and task.request.__doc__.strip()
    assert [each.key for each in TASKS if each.request is task.request] == [task.key]
