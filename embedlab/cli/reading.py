"""The corpus that a command names, loaded and spoken about."""

from pathlib import Path

from embedlab.config import validated
from embedlab.corpora import SOURCES, Reading, load_corpus
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.reading_report import ReadOptions
from embedlab.errors import SettingsError
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.tasks.fetch import done_by_worker, fetched


def corpus_of(asked, terminal, *, in_worker: bool = False) -> Corpus:
    """``--corpus`` with its reading options, read here or ``in_worker``, else the corpus of ``--run``."""
    if asked.corpus is None:
        if getattr(asked, "run", None) is None:
            raise SettingsError("E-COMMAND", "A corpus is needed: name one with --corpus (docs is built in).")
        return open_corpus(fingerprint_of(open_run(asked.run)))
    return load(asked.corpus, reading_of(asked), terminal, in_worker=in_worker)


def load(reference: str, reading: dict, terminal, *, in_worker: bool = False) -> Corpus:
    """From the store, the disk, or, in a worker that may connect, the network.

    ``in_worker``: what is not stored yet is read by a worker in any case, and this process stays small.
    """
    how = validated(Reading, reading)
    source = next((source for source in SOURCES if source.matches(reference)), None)
    if source is None or source.is_stored(reference, how) or not (source.connects or in_worker):
        corpus = load_corpus(reference, how, progress=terminal)
    elif source.connects:
        corpus = open_corpus(fetched({"corpus": reference, "reading": reading}, terminal)["fingerprint"])
    else:
        place = str(Path(reference).expanduser().absolute()) if source.key == "file" else reference
        asked = {"reference": place, "reading": reading}  # absolute: a worker stands elsewhere
        corpus = open_corpus(done_by_worker("ingest", asked, terminal)["fingerprint"])
    terminal.reading = corpus.info.reading
    if terminal.reading is not None:
        terminal.note(terminal.reading.sentence)
    for note in corpus.info.notes:
        terminal.note(note.message)
    return corpus


def reading_of(asked) -> dict:
    """The options of a command line that say how to read a corpus."""
    given = {name: getattr(asked, name, None) for name in ("text", "label", "title", "unlabeled", *PARSING)}
    found = {name: value for name, value in given.items() if value is not None}
    if getattr(asked, "summaries", None):
        found["summaries"] = [name.strip() for name in asked.summaries.split(",")]
    return found


PARSING = tuple(ReadOptions.model_fields)  # how a file is parsed, whatever it holds


def parsing_of(asked) -> dict:
    """The options of a command line that say how a file is parsed."""
    given = {name: getattr(asked, name, None) for name in PARSING}
    return {name: value for name, value in given.items() if value is not None}


def scale_of(written: str | None) -> tuple[float, float] | None:
    """``0,5`` -> the lowest and the highest score."""
    if written is None:
        return None
    try:
        low, high = map(float, written.split(","))
        if low < high:
            return low, high
    except ValueError:
        pass
    raise SettingsError("E-SCALE", f"--scale needs the lowest and the highest score, as 0,5, but found {written!r}.")


def output_file(name: str, ending: str) -> Path:
    """Where a command writes; its folder must be there."""
    path = Path(name).expanduser().absolute()
    if path.suffix != ending:
        raise SettingsError("E-OUT", f"--out needs a file ending in {ending}, but found {name!r}.")
    if not path.parent.is_dir():
        raise SettingsError("E-OUT", f"The folder of --out {name!r} does not exist. Make it, or choose another.")
    return path
