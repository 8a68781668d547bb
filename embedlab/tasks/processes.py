"""Several processes of torchrun at the work of one run: the first does it as ever, the others take part."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from embedlab.jobs.requests.base import read_request
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import task_of
from embedlab.torchrun import is_started_by_torchrun
from embedlab.training.settings import RunSettings


@contextmanager
def others_joined() -> Iterator[None]:
    """The processes that torchrun started besides this one, which is the first."""
    if not is_started_by_torchrun():
        yield
        return
    from embedlab.encoders.processes import joined  # torch takes seconds to import

    with joined():
        yield


def take_part_in(folder: RunFolder | None, failure_of: Callable[[Exception], tuple[str, str, int]]) -> None:
    """Take part until the first process ends the work; it reports an error of this one by ``failure_of`` it.

    ``folder``: of the run or job; None where a command embeds.
    """
    from embedlab.encoders.processes import TrainingOver, joined
    from embedlab.tasks.fine_tune.preparing import take_part

    with joined() as processes:
        assert processes is not None  # torchrun started several
        try:
            settings = None
            if folder is not None and task_of(folder) == "train":
                settings = read_request(folder, RunSettings)
            take_part(folder, settings, processes)
        except TrainingOver:
            pass
        except Exception as error:
            processes.end(failure_of(error))
