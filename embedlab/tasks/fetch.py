"""The only task that opens a connection: downloads a corpus or an encoder into the store."""

from collections.abc import Callable, Sequence

from embedlab.corpora import source_of
from embedlab.corpora.base import CORPORA, Corpus, open_corpus
from embedlab.corpora.hub import dataset_reference, fetch_dataset, parse_reference
from embedlab.corpora.proposal import Reading
from embedlab.encoder_catalog.names import canonical, taught_by
from embedlab.jobs.requests.corpora import (
    AddedCorpus,
    FetchCorpus,
    FetchedEncoder,
    FetchedTable,
    FetchEncoder,
    FetchTable,
    ReadCorpus,
)
from embedlab.jobs.runner import done_by_worker
from embedlab.paths import absolute
from embedlab.progress import Progress
from embedlab.runs.folder import RunFolder
from embedlab.store_root import write_json
from embedlab.table_files import write_parquet


def fetch_encoder(folder: RunFolder, request: FetchEncoder, progress: Progress) -> None:
    """Where it lies is the result, and which commit was there before, where the newest was asked for."""
    from embedlab.encoders.load import encoder_folder, updated_encoder

    if request.update:
        path, before = updated_encoder(request.encoder, progress=progress)
    else:
        path, before = encoder_folder(request.encoder, progress=progress), None
    write_json(folder.result, FetchedEncoder(encoder=request.encoder, path=path, before=before).model_dump(mode="json"))


def fetch_corpus(folder: RunFolder, request: FetchCorpus, progress: Progress) -> None:
    """The same result as reading a local corpus."""
    from embedlab.tasks.corpora import ingest

    ingest(folder, ReadCorpus(reference=request.corpus, reading=request.reading), progress)


def fetch_table(folder: RunFolder, request: FetchTable, progress: Progress) -> None:
    """Writes the rows as one Parquet file into the job's folder; its path and how it was chosen are the result."""
    part = parse_reference(request.reference)
    table, commit = fetch_dataset(part, usual=request.usual, progress=progress)
    name = "-".join(each for each in (table.name, part.configuration.replace("/", "-"), part.split) if each)
    path = folder.path / f"{name}.parquet"
    write_parquet(path, table.columns)
    notes = tuple(note.message for note in table.notes if note.code == "I-FILES")
    write_json(folder.result, FetchedTable(path=path, commit=commit, notes=notes).model_dump(mode="json"))


def table_first(reference: str, usual: Sequence[str], progress: Progress, note: Callable[[str], None]) -> str:
    """The absolute path of a file, or of the downloaded table of a hub data set; ``note`` takes what was chosen."""
    reference = dataset_reference(reference)
    if not reference.startswith("hf:"):
        return absolute(reference)
    parse_reference(reference)
    request = FetchTable(reference=reference, usual=tuple(usual))
    fetched = done_by_worker(request, FetchedTable, progress)
    for message in fetched.notes:
        note(message)
    return str(fetched.path)


def corpus_first(reference: str, reading: Reading, progress: Progress, *, in_worker: bool = False) -> Corpus:
    """The corpus of a reference: from the store, the disk or, in a worker that may connect, the network.

    ``in_worker``: what is not stored yet is read by a worker in any case, and this process stays small.
    """
    if CORPORA.holds(reference):
        return open_corpus(reference)
    source = source_of(reference)
    if source.is_stored(reference, reading) or not (source.connects or in_worker):
        return source.load(reference, reading, progress)
    if source.key == "file":
        reference = absolute(reference)
    fetch, read = FetchCorpus(corpus=reference, reading=reading), ReadCorpus(reference=reference, reading=reading)
    added = done_by_worker(fetch if source.connects else read, AddedCorpus, progress)
    return open_corpus(added.fingerprint)


def fetch_encoder_first(reference: str, progress: Progress) -> None:
    """Before a run that needs a hub encoder: download it in a worker that may connect, unless it is here."""
    from embedlab.encoder_catalog.catalog import on_the_hub
    from embedlab.encoders.hub import hub_name, stored

    # another encoder's tokenizer comes with that encoder
    reference = canonical(taught_by(reference.removeprefix("token:")))
    of_hub = on_the_hub(reference)
    if of_hub is not None and stored(hub_name(of_hub)) is None:
        done_by_worker(FetchEncoder(encoder=reference), FetchedEncoder, progress)
