"""The corpus that a command names, loaded and spoken about."""

from pathlib import Path
from typing import Annotated

from embedlab.cli.arguments import Option, given, options
from embedlab.config import validated
from embedlab.corpora import SOURCES, Reading, load_corpus
from embedlab.corpora.base import Corpus, open_corpus
from embedlab.errors import SettingsError
from embedlab.requests.corpora import FetchCorpus, ReadCorpus
from embedlab.runs.store import fingerprint_of, open_run


@options("how the file is parsed; what is left out is found from its content")
class Parsing:
    """How a file is parsed, whatever it holds: the fields of ``ReadOptions``."""

    encoding: Annotated[str | None, Option("as in cp1252")] = None
    separator: Annotated[str | None, Option("comma, semicolon, tab, bar, space, or the sign itself", "NAME")] = None
    quoting: Annotated[str | None, Option("doubled, backslash or none: what quotes mean", "KIND")] = None
    sheet: Annotated[str | None, Option("the sheet of a workbook", "NAME")] = None
    header_row: Annotated[int | None, Option("the row of column names, from 1; 0 for none", "N")] = None
    accept_reading: Annotated[bool | None, Option("read it this way although something speaks against it")] = None


@options("reading the corpus; what is left out is proposed from names and content")
class CorpusReading:
    """Which columns of a corpus are which, and how its file is parsed."""

    text: str | None = None
    label: str | None = None
    title: str | None = None
    unlabeled: Annotated[str | None, Option(metavar="VALUE")] = None
    summaries: Annotated[str | None, Option(metavar="COL[,COL…]")] = None
    parsing: Parsing

    @property
    def fields(self) -> dict:
        """What was said of it, as ``Reading`` takes it."""
        named = given(self) | given(self.parsing)
        if self.summaries is not None:
            named["summaries"] = words_of(self.summaries)
        return named


def words_of(written: str) -> list[str]:
    """``a, b`` -> a and b."""
    return [each.strip() for each in written.split(",") if each.strip()]


def corpus_of(corpus: str | None, run: str | None, reading: CorpusReading, terminal) -> Corpus:
    """``--corpus`` with its reading options, else the corpus of ``--run``."""
    if corpus is not None:
        return load(corpus, reading.fields, terminal)
    if run is None:
        raise SettingsError("E-COMMAND", "A corpus is needed: name one with --corpus (docs is built in).")
    return open_corpus(fingerprint_of(open_run(run)))


def load(reference: str, reading: dict, terminal, *, in_worker: bool = False) -> Corpus:
    """From the store, the disk, or, in a worker that may connect, the network.

    ``in_worker``: what is not stored yet is read by a worker in any case, and this process stays small.
    """
    from embedlab.tasks.fetch import done_by_worker

    how = validated(Reading, reading)
    source = next((source for source in SOURCES if source.matches(reference)), None)
    if source is None or source.is_stored(reference, how) or not (source.connects or in_worker):
        corpus = load_corpus(reference, how, progress=terminal)
    elif source.connects:
        corpus = open_corpus(done_by_worker(FetchCorpus(corpus=reference, reading=how), terminal)["fingerprint"])
    else:
        place = str(Path(reference).expanduser().absolute()) if source.key == "file" else reference
        request = ReadCorpus(reference=place, reading=how)  # absolute: a worker stands elsewhere
        corpus = open_corpus(done_by_worker(request, terminal)["fingerprint"])
    terminal.reading = corpus.info.reading
    if terminal.reading is not None:
        terminal.note(terminal.reading.sentence)
    for note in corpus.info.notes:
        terminal.note(note.message)
    return corpus


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
