"""The texts a packaged encoder was pretrained on: abstracts and documentation, without the demo's texts and copies."""

import csv
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from pathlib import Path
from typing import NamedTuple

from embedlab.documentation.docstrings import docstrings
from embedlab.documentation.prose import prose

SHARED_WORDS = 12  # a run of so many words in common makes two texts copies of each other
_NEAR = 0.9  # TF-IDF cosine of near-duplicates, as everywhere in embedlab
_SHORTEST = 60  # characters of a documentation text
_WORD = re.compile(r"\w+")
_SKIPPED = frozenset({"tests", "test", "_vendor", "vendor", "site-packages", "idlelib", "lib2to3"})


class Package(NamedTuple):
    """A package whose documentation strings are read."""

    name: str
    version: str
    licence: str


def packages() -> list[dict[str, str]]:
    """Return the packages that are read, with their licences (``packages.csv``)."""
    with Path(__file__).with_name("packages.csv").open(encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


def documentation(extra: Path | None) -> tuple[list[str], list[Package]]:
    """Return the prose of all documentation strings that are long enough, each once, and where it was found.

    extra: a folder of packages that the product itself does not need
    """
    texts: dict[str, None] = {}
    read = []
    for row in packages():
        library = _distribution(row["package"], extra)
        if library is None:
            continue
        read.append(Package(row["package"], library.version, row["licence"]))
        files = [file for file in library.files or [] if not _SKIPPED & set(file.parts)]
        texts.update(dict.fromkeys(_prose_of(sorted(Path(str(file.locate())) for file in files))))
    standard = Path(sysconfig.get_path("stdlib"))
    modules = [file for file in standard.rglob("*.py") if not _SKIPPED & set(file.relative_to(standard).parts)]
    texts.update(dict.fromkeys(_prose_of(sorted(modules))))
    read.append(Package("Python's standard library", sysconfig.get_python_version(), "PSF-2.0"))
    return list(texts), read


def _distribution(name: str, extra: Path | None) -> Distribution | None:
    """Return the package in the folder of extra ones, or the installed one."""
    places = sys.path if extra is None else [str(extra), *sys.path]
    context = DistributionFinder.Context(name=name, path=places)
    return next(iter(MetadataPathFinder.find_distributions(context)), None)


def _prose_of(files: Iterable[Path]) -> Iterator[str]:
    for file in files:
        if file.suffix != ".py" or not file.is_file():
            continue
        for _, docstring in docstrings(file, file.stem):
            text = prose(docstring)
            if len(text) >= _SHORTEST:
                yield text


def runs_of_words(text: str) -> set[str]:
    """Return every run of ``SHARED_WORDS`` words of a text, lower-cased; of a shorter text all its words."""
    words = _WORD.findall(text.casefold())
    if len(words) <= SHARED_WORDS:
        return {" ".join(words)}
    return {" ".join(words[start : start + SHARED_WORDS]) for start in range(len(words) - SHARED_WORDS + 1)}


def without_copies(texts: Sequence[str], kept_out: Sequence[str]) -> list[str]:
    """Return the texts that are no copy of one that is kept out.

    A copy shares a run of twelve words with it, or is near it (TF-IDF cosine of at least 0.9).
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    forbidden: set[str] = set()
    for text in kept_out:
        forbidden |= runs_of_words(text)
    remaining = [text for text in texts if not forbidden & runs_of_words(text)]
    if not remaining:
        return []
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    theirs = vectorizer.fit_transform(list(kept_out)).T.tocsr()
    far = []
    for start in range(0, len(remaining), 2000):
        part = remaining[start : start + 2000]
        nearest = (vectorizer.transform(part) @ theirs).max(axis=1).toarray().ravel()
        far += [text for text, cosine in zip(part, nearest, strict=True) if cosine < _NEAR]
    return far
