"""What each of several processes but the first does: it makes the same steps, embeds its share, and writes nothing."""

from embedlab.corpora import load_corpus
from embedlab.encoders.processes import Processes
from embedlab.progress import silent
from embedlab.runs.folder import RunFolder
from embedlab.tasks.fine_tune.opening import open_run
from embedlab.tasks.fine_tune.preparing import prepared
from embedlab.tasks.measure.sharing import answer
from embedlab.training.settings import RunSettings


def take_part(folder: RunFolder | None, settings: RunSettings | None, processes: Processes) -> None:
    """Raises ``TrainingOver`` when the first process has ended the work, or what went wrong here or elsewhere.

    ``settings``: of a training in that folder; None where the first process does other work.
    """
    processes.answer = answer
    processes.agree()  # the first process has downloaded and checked what is needed
    if settings is None or settings.recipe_part.objective is None:
        processes.wait_for_calls()
    opened = open_run(folder, settings, load_corpus(settings.corpus, progress=silent), silent, processes=processes)
    prepared(opened, is_watched=False).follow()
