"""The papers' corpora: source, columns, licence, and size as far as documented.

``catalog.csv`` holds them. Ids, revisions, licences and counts of MTEB's P2P sets are the metadata of mteb 2.26.24; the
counts of ICLR are of its README (45 classes, 53.4 % labelled), those of 20 Newsgroups of scikit-learn's user guide.
"""

import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa

from embedlab.config import Config, read_rows
from embedlab.corpora.base import Draft, FetchedSource
from embedlab.corpora.hub import HubPart, downloaded, fetch_dataset
from embedlab.corpora.notes import Note
from embedlab.corpora.proposal import Reading, draft_of, propose_columns
from embedlab.errors import CorpusError
from embedlab.hub import connection, download
from embedlab.progress import Progress
from embedlab.registry import Registry


class CatalogCorpus(Config):
    """One known corpus; undocumented figures are None."""

    key: str
    title: str
    source: str  # hub, file or scikit-learn
    revision: str
    files: tuple[str, ...]
    text: str
    label: str
    licence: str
    texts: int | None = None  # distinct texts
    classes: int | None = None
    bytes: int | None = None
    mteb_task: str | None = None
    split: str | None = None
    paper: str
    url: str
    cites: tuple[str, ...] = ()  # keys of report/works.bib


CATALOG: Registry[CatalogCorpus] = Registry("corpus", read_rows(CatalogCorpus, Path(__file__).with_suffix(".csv")))


class CatalogSource(FetchedSource):
    """The papers' corpora by name, at their pinned revisions."""

    key = "catalog"

    def matches(self, reference: str) -> bool:
        return reference in CATALOG

    def describe(self, reference: str, reading: Reading) -> str:
        entry = CATALOG[reference]
        return f"catalog {entry.url} {entry.revision} {reading.model_dump_json(exclude={'accept_reading'})}"

    def fetch(self, reference: str, reading: Reading, progress: Progress) -> Draft:
        """Download and read it; columns named by the user override the catalog's."""
        entry = CATALOG[reference]
        if entry.source == "scikit-learn":
            return _newsgroups(entry, progress)
        if entry.source == "hub":
            part = HubPart(entry.url.removeprefix("https://huggingface.co/datasets/"), entry.revision)
            table, commit = fetch_dataset(part, usual=[entry.split] if entry.split else (), progress=progress)
            source = f"hf:{part.dataset}@{commit}"
        else:
            table = downloaded(entry.title, entry.files[0], partial(download, entry.url), progress)
            source = entry.url
        reading = reading.model_copy(update={"text": reading.text or entry.text, "label": reading.label or entry.label})
        draft = draft_of(table, propose_columns(table, reading), reading, source=source)
        draft.name, draft.licence = reading.name or entry.key, entry.licence
        return draft


def _newsgroups(entry: CatalogCorpus, progress: Progress) -> Draft:
    """Through scikit-learn without headers, signatures and quotes; its temporary folder is deleted afterwards."""
    progress(f"Downloading {entry.title} (14 MB)")
    with connection(entry.title), tempfile.TemporaryDirectory(prefix="embedlab-") as folder:
        from sklearn.datasets import fetch_20newsgroups

        posts = fetch_20newsgroups(  # URLError is an OSError; so is a wrong checksum
            data_home=folder, subset="all", shuffle=False, remove=("headers", "footers", "quotes"), n_retries=1
        )
    if len(posts.data) != len(posts.target):
        raise CorpusError("E-NOT-A-TABLE", f"{entry.title}: {len(posts.data)} posts for {len(posts.target)} labels.")
    files = [name.replace("\\", "/").rsplit("/", 3)[-3:] for name in map(str, posts.filenames)]
    message = "Headers, signatures and quoted lines were removed by scikit-learn because they reveal the group."
    return Draft(
        name=entry.key,
        source="scikit-learn fetch_20newsgroups(subset='all')",
        texts=posts.data,
        labels=[posts.target_names[number] for number in posts.target],
        columns={"split": pa.array([file[0].removeprefix("20news-bydate-") for file in files])},
        roles={"text": entry.text, "label": entry.label},
        unlabeled=None,
        notes=[Note(code="I-NEWSGROUPS", message=message)],
        licence=entry.licence,
    )
