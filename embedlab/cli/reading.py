"""The corpus that a command names, loaded and spoken about."""

from pathlib import Path

from embedlab.config import validated
from embedlab.corpora import SOURCES, Reading, load_corpus
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.errors import SettingsError
from embedlab.runs.store import fingerprint_of, open_run
from embedlab.tasks.fetch import fetched


def corpus_of(asked, terminal) -> Corpus:
    """``--corpus`` with its reading options, else the corpus of ``--run``."""
    if asked.corpus is None:
        if getattr(asked, "run", None) is None:
            raise SettingsError("E-COMMAND", "A corpus is needed: name one with --corpus (docs is built in).")
        return open_corpus(fingerprint_of(open_run(asked.run)))
    return load(asked.corpus, reading_of(asked), terminal)


def load(reference: str, reading: dict, terminal) -> Corpus:
    """From the store, the disk, or, in a worker that may connect, the network."""
    if _must_be_fetched(reference, validated(Reading, reading)):
        result = fetched({"corpus": reference, "reading": reading}, terminal)
        corpus = open_corpus(result["fingerprint"])
    else:
        corpus = load_corpus(reference, validated(Reading, reading), progress=terminal)
    for note in corpus.info.notes:
        terminal.note(note.message)
    return corpus


def _must_be_fetched(reference: str, reading: Reading) -> bool:
    source = next((source for source in SOURCES if source.matches(reference)), None)
    return source is not None and source.connects and not source.is_stored(reference, reading)


def reading_of(asked) -> dict:
    """The options of a command line that say how to read a corpus."""
    given = {name: getattr(asked, name, None) for name in ("text", "label", "title", "unlabeled", "encoding")}
    found = {name: value for name, value in given.items() if value is not None}
    if getattr(asked, "summaries", None):
        found["summaries"] = [name.strip() for name in asked.summaries.split(",")]
    return found


def output_file(name: str, ending: str) -> Path:
    """Where a command writes; its folder must be there."""
    path = Path(name).expanduser().absolute()
    if path.suffix != ending:
        raise SettingsError("E-OUT", f"--out needs a file ending in {ending}, but found {name!r}.")
    if not path.parent.is_dir():
        raise SettingsError("E-OUT", f"The folder of --out {name!r} does not exist. Make it, or choose another.")
    return path
