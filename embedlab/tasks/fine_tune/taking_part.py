"""What each of several processes but the first does: it makes the same steps, embeds its share, and writes nothing."""

from embedlab.config import validated
from embedlab.corpora import load_corpus
from embedlab.corpora.pairs.stored import open_pairs
from embedlab.encoders.device import choose_device
from embedlab.encoders.processes import Processes
from embedlab.progress import silent
from embedlab.runs.folder import RunFolder
from embedlab.tasks.fine_tune.fine_tuning import FineTuning
from embedlab.tasks.fine_tune.judge_set import judge_set
from embedlab.tasks.fine_tune.train import load_for, precision_for
from embedlab.tasks.measure.embedded import split_of
from embedlab.tasks.measure.sharing import answer
from embedlab.training.settings import RunSettings


def take_part(folder: RunFolder | None, asked: dict | None, processes: Processes) -> None:
    """Raises ``TrainingOver`` when the first process has ended the work, or what went wrong here or elsewhere.

    ``asked``: the settings of a training in that folder; None where the first process does other work.
    """
    processes.answer = answer
    processes.agree()  # the first process has downloaded and checked what is needed
    settings = None if asked is None else validated(RunSettings, asked)
    if settings is None or settings.recipe_part.objective is None:
        processes.wait_for_calls()
    settings = settings.model_copy(update={"live_texts": 0, "early_stopping": None})
    corpus = load_corpus(settings.corpus, progress=silent)
    device = choose_device(settings.device)
    encoder = load_for(settings, corpus, silent).to(device.name)
    training = FineTuning(
        folder=folder,
        settings=settings,
        corpus=corpus,
        encoder=encoder,
        split=split_of(corpus)[0],
        device=device.name,
        precision=precision_for(settings.precision, device, encoder),
        processes=processes,
        pairs=open_pairs(settings.pairs) if settings.pairs else None,
        judge=judge_set(settings.judge, device.name),
    )
    training.follow()
