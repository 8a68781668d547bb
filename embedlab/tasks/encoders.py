"""The two encoders of a run: untouched, and as saved."""

from embedlab.corpora.base import open_corpus
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.load import load_encoder
from embedlab.jobs.requests.base import read_request
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own, no_encoder
from embedlab.runs.store import embedding_precision_of, fingerprint_of
from embedlab.training.settings import RunSettings


def encoder_of_run(folder: RunFolder, name: str) -> Encoder:
    """``before``: the untouched encoder, read with the run's pooling, length and dimensions; ``after``: the saved one.

    It embeds in the numbers that the run's own vectors were made in.
    """
    if is_own(folder):
        raise no_encoder(folder)
    encoder = _loaded(folder, name)
    encoder.embedding_precision = embedding_precision_of(folder)
    return encoder


def _loaded(folder: RunFolder, name: str) -> Encoder:
    settings = read_request(folder, RunSettings)
    if name == "after":
        return load_encoder(str(folder.encoder))
    nothing_trained = settings.recipe_part.objective is None
    for saved in (folder.untouched_encoder, *([folder.encoder] if nothing_trained else [])):
        if (saved / "modules.json").exists():
            return load_encoder(str(saved))
    encoder = load_encoder(
        settings.encoder,
        corpus=open_corpus(fingerprint_of(folder)),
        seed=settings.seed,
        pooling=settings.pooling,
        max_length=settings.max_length,
        vocabulary_size=settings.vocabulary_size,
    )
    encoder.prompts = encoder.prompts.changed(settings.prompts)
    if settings.dimensions is not None:
        encoder.keep_dimensions(settings.dimensions)
    return encoder
