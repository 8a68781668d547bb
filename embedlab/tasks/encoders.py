"""The two encoders of a run: untouched, and as saved."""

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.encoder_catalog.catalog import encoder_title
from embedlab.encoder_catalog.names import is_made_here, pooling_name
from embedlab.encoders.encoder import Encoder
from embedlab.encoders.load import load_encoder
from embedlab.jobs.requests.base import read_request
from embedlab.measurement import Note
from embedlab.progress import Progress, silent
from embedlab.runs.folder import RunFolder
from embedlab.runs.imported import is_own, no_encoder
from embedlab.runs.store import embedding_precision_of, fingerprint_of
from embedlab.tasks.measure.embedded import split_of
from embedlab.training.preparation import training_rows
from embedlab.training.settings import RunSettings

OTHER_POOLING = "I-ENCODER-POOLING"  # the code of the note on an encoder that a run reads by another pooling


def encoder_of_run(folder: RunFolder, name: str) -> Encoder:
    """``before``: the untouched encoder, as the run read it; ``after``: the saved one.

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
        if not folder.encoder.is_dir():
            raise no_encoder(folder)
        return load_encoder(str(folder.encoder))
    nothing_trained = settings.recipe_part.objective is None
    for saved in (folder.untouched_encoder, *([folder.encoder] if nothing_trained else [])):
        if (saved / "modules.json").exists():
            return load_encoder(str(saved))
    return start_of_run(settings, open_corpus(fingerprint_of(folder)))


def start_of_run(settings: RunSettings, corpus: Corpus, progress: Progress = silent) -> Encoder:
    """The encoder that a run starts from, with the requested pooling, otherwise that of the recipe's paper if it has
    it, and with the requested number of dimensions.
    """
    on_all = settings.train_on == "all"  # else a vocabulary is made without the test texts, which stay unseen here, too
    rows = None if on_all else training_rows(corpus, split_of(corpus)[0], settings.train_on)
    encoder = load_encoder(
        settings.encoder,
        corpus=corpus,
        seed=settings.seed,
        max_length=settings.max_length,
        vocabulary_size=settings.vocabulary_size,
        vocabulary_rows=rows,
        progress=progress,
    )
    encoder.prompts = encoder.prompts.changed(settings.prompts)
    before, wished = encoder.pooling, settings.pooling or settings.recipe_part.pooling
    is_blind = wished == "cls" and encoder.is_causal  # the first token has seen no other
    if wished is not None and (settings.pooling is not None or (wished in encoder.poolings and not is_blind)):
        encoder.read_by(wished)
    if settings.dimensions is not None:
        encoder.keep_dimensions(settings.dimensions)
    if encoder.pooling != before and not is_made_here(settings.encoder):
        message = (
            f"{encoder_title(settings.encoder)} comes with the pooling {pooling_name(before)}. This run reads it by "
            f"{pooling_name(encoder.pooling)}, before training as after it, and its export does."
        )
        encoder.not_followed += (Note(code=OTHER_POOLING, message=message),)
    return encoder
