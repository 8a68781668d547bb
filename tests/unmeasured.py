"""A run whose worker was killed within a step after Stop, as whoever looks at it finds it."""

from contextlib import suppress
from unittest.mock import patch

from embedlab.jobs.progress import FolderProgress
from embedlab.jobs.runner import request_stop
from embedlab.runs.beat import STEP, Beat
from embedlab.runs.folder import RunFolder
from embedlab.runs.kept import record_ending
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.tasks import TASKS
from embedlab.tasks.fine_tune import trainer


class KilledError(BaseException):
    """In place of the signal that nothing can catch."""


def killed_run(corpus: str, *, done: int = 2, is_stopped: bool = True, **settings) -> RunFolder:
    """Train so many steps of eight, end there, and have the ending recorded."""
    asked = {"corpus": corpus, "encoder": "token", "recipe": "crops", "batch_size": 16, "vocabulary_size": 300}
    asked |= {
        "max_steps": 8,
        "evaluate_every": 1,
        "maps": False,
        "inside": False,
        "live_map": False,
        "live_texts": 200,
        **settings,
    }
    folder = create_run("train", asked)

    train = trainer.train

    def killed(**how):
        for step in train(**how):
            if step.steps > done:
                raise KilledError
            yield step

    write_state(folder, State.RUNNING)
    with patch.object(trainer, "train", killed), suppress(KilledError):
        TASKS["train"].run(folder, TASKS["train"].read(asked), FolderProgress(folder))
    beat = Beat(work=STEP, seconds=3.0, done=done, planned=8)
    folder.beat.write_text(beat.model_dump_json(), encoding="utf-8")
    folder.lock.touch()
    if is_stopped:
        request_stop(folder)
    record_ending(folder)
    return folder
