"""The papers' corpora: where each one lies, its columns, its licence, its size as far as a source states it.

Ids, revisions, licences and counts of MTEB's P2P sets are the metadata of mteb 2.26.24.
"""

import tempfile
from functools import partial
from pathlib import Path

import pyarrow as pa

from embedlab.config import Config
from embedlab.corpora.base import Corpus, Draft, remember, remembered, store_corpus
from embedlab.corpora.files import read_table
from embedlab.corpora.hub import fetch_dataset
from embedlab.corpora.notes import Note
from embedlab.corpora.tables import Reading, draft_of, propose_columns
from embedlab.errors import CorpusError
from embedlab.hub import connection, download
from embedlab.progress import Progress, silent
from embedlab.registry import Registry


class CatalogCorpus(Config):
    """One known corpus; figures that no source states are None."""

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

    def fetch(self, reading: Reading, progress: Progress = silent) -> Draft:
        """Download and read it; columns the user names win over the catalog's."""
        if self.source == "scikit-learn":
            return _newsgroups(self, progress)
        known = {
            role: name for role, name in (("text", self.text), ("label", self.label)) if not getattr(reading, role)
        }
        if self.source == "hub":
            dataset = self.url.removeprefix("https://huggingface.co/datasets/")
            table, commit = fetch_dataset(dataset, self.revision, split=self.split, progress=progress)
            source = f"hf:{dataset}@{commit}"
        else:
            with tempfile.TemporaryDirectory(prefix="embedlab-") as folder:
                path = Path(folder) / "table"
                with connection(self.title):
                    download(self.url, path, partial(_downloading, progress, self.title))
                table = read_table(path, progress=progress, name=self.files[0].rsplit("/", 1)[-1])
            source = self.url
        reading = reading.model_copy(update=known)
        draft = draft_of(table, propose_columns(table, reading), reading, source=source)
        draft.name, draft.licence = reading.name or self.key, self.licence
        return draft


def _mteb(
    key: str, title: str, name: str, revision: str, licence: str, task: str, texts: int, classes: int, paper: str
) -> CatalogCorpus:
    """One of MTEB's sets of titles with abstracts or posts."""
    return CatalogCorpus(
        key=key,
        title=title,
        source="hub",
        revision=revision,
        files=("test.jsonl.gz",),
        text="text",  # one per entry of the nested list "sentences"
        label="label",  # one per entry of the nested list "labels"
        licence=licence,
        texts=texts,
        classes=classes,
        mteb_task=task,
        split="test",
        paper=paper,
        url=f"https://huggingface.co/datasets/mteb/{name}",
        cites=("muennighoff2023mteb",),
    )


_MTEB_PAPER = "https://arxiv.org/abs/2210.07316"
_TWEAC = "https://arxiv.org/abs/2104.07081"
CATALOG: Registry[CatalogCorpus] = Registry(
    "corpus",
    [
        CatalogCorpus(
            key="iclr",
            title="ICLR 2017–2024 abstracts",
            source="file",
            revision="8e6092ce5aa8aa93a82d8b806338b6f1d7bc9789",
            files=("data/iclr24v2.parquet",),
            text="abstract",
            label="labels",
            licence="MIT",
            texts=24_445,  # README of berenslab/iclr-dataset: 45 classes, 53.4 % labelled
            classes=45,
            paper="https://arxiv.org/abs/2404.08403",
            cites=("gonzalez2024iclr",),
            url="https://raw.githubusercontent.com/berenslab/iclr-dataset/8e6092ce5aa8aa93a82d8b806338b6f1d7bc9789/data/iclr24v2.parquet",
        ),
        _mteb(
            "arxiv",
            "arXiv titles and abstracts (MTEB P2P)",
            "arxiv-clustering-p2p",
            "a122ad7f3f0291bf49cc6f4d32aa80929df69d5d",
            "cc0-1.0",
            "ArxivClusteringP2P",
            628_409,
            180,
            _MTEB_PAPER,
        ),
        _mteb(
            "biorxiv",
            "bioRxiv titles and abstracts (MTEB P2P)",
            "biorxiv-clustering-p2p",
            "65b79d1d13f80053f67aca9498d9402c2d9f1f40",
            "https://www.biorxiv.org/content/about-biorxiv",
            "BiorxivClusteringP2P",
            41_562,
            26,
            _MTEB_PAPER,
        ),
        _mteb(
            "medrxiv",
            "medRxiv titles and abstracts (MTEB P2P)",
            "medrxiv-clustering-p2p",
            "e7a26af6f3ae46b30dde8737f02c07b1505bcc73",
            "https://www.medrxiv.org/content/about-medrxiv",
            "MedrxivClusteringP2P",
            16_265,
            51,
            _MTEB_PAPER,
        ),
        _mteb(
            "reddit",
            "Reddit titles and posts (MTEB P2P)",
            "reddit-clustering-p2p",
            "385e3cb46b4cfa89021f56c4380204149d0efe33",
            "not specified",
            "RedditClusteringP2P",
            431_517,
            450,
            _TWEAC,
        ),
        _mteb(
            "stackexchange",
            "StackExchange titles and bodies (MTEB P2P)",
            "stackexchange-clustering-p2p",
            "815ca46b2622cec33ccafc3735d572c266efdb44",
            "not specified",
            "StackExchangeClusteringP2P",
            38_731,
            610,
            _TWEAC,
        ),
        CatalogCorpus(
            key="20newsgroups",
            title="20 Newsgroups posts",
            source="scikit-learn",
            revision="20news-bydate",
            files=("20news-bydate.tar.gz",),
            text="data",
            label="target_names",
            licence="not specified",
            texts=18_846,  # scikit-learn's user guide; posts left empty by removing headers are excluded
            classes=20,
            bytes=14_000_000,  # "14 MB" says scikit-learn's loader
            paper="https://doi.org/10.1016/B978-1-55860-377-6.50048-7",
            cites=("pedregosa2011sklearn",),
            url="https://scikit-learn.org/stable/datasets/real_world.html#the-20-newsgroups-text-dataset",
        ),
    ],
)


class CatalogSource:
    """The papers' corpora by their names."""

    key = "catalog"
    title = "Catalog"
    sentence = "ICLR, arXiv, bioRxiv, medRxiv, Reddit, StackExchange and 20 Newsgroups, as the papers use them."
    connects = True

    def matches(self, reference: str) -> bool:
        return reference in CATALOG

    def is_stored(self, reference: str, reading: Reading) -> bool:
        return remembered(_key(CATALOG[reference], reading)) is not None

    def load(self, reference: str, reading: Reading, progress: Progress = silent) -> Corpus:
        """Fetched once at its pinned revision, then opened from the store."""
        entry = CATALOG[reference]
        if corpus := remembered(_key(entry, reading)):
            return corpus
        return remember(_key(entry, reading), store_corpus(entry.fetch(reading, progress)))


def _downloading(progress: Progress, title: str, done: int, total: int) -> None:
    progress(f"Downloading {title} ({total / 2**20:,.1f} MiB)", done, total)


def _newsgroups(entry: CatalogCorpus, progress: Progress) -> Draft:
    """Through scikit-learn, headers, signatures and quotes removed; into a folder of its own, gone afterwards."""
    progress(f"Downloading {entry.title} (14 MB)")
    with connection(entry.title), tempfile.TemporaryDirectory(prefix="embedlab-") as folder:
        from sklearn.datasets import fetch_20newsgroups

        found = fetch_20newsgroups(  # URLError is an OSError; so is a wrong checksum
            data_home=folder, subset="all", shuffle=False, remove=("headers", "footers", "quotes"), n_retries=1
        )
    if len(found.data) != len(found.target):
        raise CorpusError("E-NOT-A-TABLE", f"{entry.title}: {len(found.data)} posts for {len(found.target)} labels.")
    files = [name.replace("\\", "/").rsplit("/", 3)[-3:] for name in map(str, found.filenames)]
    message = "Headers, signatures and quoted lines were removed by scikit-learn, as they give the group away."
    return Draft(
        name=entry.key,
        source="scikit-learn fetch_20newsgroups(subset='all')",
        texts=found.data,
        labels=[found.target_names[number] for number in found.target],
        columns={"split": pa.array([file[0].removeprefix("20news-bydate-") for file in files])},
        roles={"text": entry.text, "label": entry.label},
        unlabeled=None,
        notes=[Note(code="I-NEWSGROUPS", message=message)],
        licence=entry.licence,
    )


def _key(entry: CatalogCorpus, reading: Reading) -> str:
    return f"catalog {entry.url} {entry.revision} {reading.model_dump_json(exclude={'accept_reading'})}"
