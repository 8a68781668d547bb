"""Which labelled texts are tested among which others: the paper's split, development part, folds, live sample."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from embedlab.copies import normalised
from embedlab.errors import CorpusError
from embedlab.limits import LIMITS
from embedlab.measurement import PAPER_SPLIT, PUBLISHED_FOLDS, TEN_FOLDS, Note
from embedlab.metrics.shares import largest_remainder
from embedlab.vectors.exact import Matrix

TEST_SHARE = 0.1
TEST_SEED = 42  # the crops authors' own (metrics.py, train_test_split)
DEVELOPMENT_SEED = 43
EVALUATED_SEED = 44
FOLDS = 10
FOLD_SEED = 42


@dataclass(frozen=True)
class Split:
    """Rows of the corpus to search (train) and to test, both in file order, and what the rules changed.

    ``copies`` numbers every row of the corpus so that copies of a text have one number: in no protocol is a text its
    own neighbor or that of its copies. None where no row is tested that stands among the train rows or has a copy.
    """

    train: np.ndarray
    test: np.ndarray
    moved: np.ndarray = field(default_factory=lambda: np.empty(0, int))  # test rows with a copy in train, now in train
    dropped: np.ndarray = field(default_factory=lambda: np.empty(0, int))  # further copies within test, in neither part
    singletons: tuple[str, ...] = ()  # classes with one member, now in train
    protocol: str = PAPER_SPLIT
    copies: np.ndarray | None = None  # (rows,) int

    @cached_property
    def rows(self) -> np.ndarray:
        """All of them, in file order."""
        return np.unique(np.concatenate([self.train, self.test, self.moved, self.dropped])).astype(int)

    def among(self, rows: np.ndarray) -> "Split":
        """The same split with rows renumbered by their position among these rows. rows: increasing"""
        parts = {name: np.searchsorted(rows, getattr(self, name)) for name in ("train", "test", "moved", "dropped")}
        return replace(self, **parts, copies=None if self.copies is None else self.copies[rows])


@dataclass(frozen=True)
class LiveTexts:
    """The labelled texts of a live curve, drawn once for all its points, the untouched one and the reference lines.

    Test and development texts are searched among the same ``neighbors``, without themselves and their copies.
    ``is_whole``: the neighbors are all labelled train texts and the queries the test part, as in the final protocol.
    """

    neighbors: np.ndarray
    test: np.ndarray
    development: np.ndarray
    copies: np.ndarray | None  # (rows,) of the corpus
    is_whole: bool

    @property
    def rows(self) -> np.ndarray:
        """All of them, in file order."""
        return np.unique(np.concatenate([self.neighbors, self.test, self.development]))

    def tested(self, queries: np.ndarray) -> Split:
        """The test queries and the texts they search."""
        return Split(train=self.neighbors, test=queries, protocol="live", copies=self.copies)


def paper_split(texts: Sequence[str], labels: np.ndarray | None, rows: np.ndarray | None = None) -> Split:
    """The crops paper's 9 : 1 split of the evaluated texts; then copies and one-member classes go to train.

    ``texts`` and ``labels`` have one entry per corpus row; only ``rows`` (all, if not given) take part.
    """
    from sklearn.model_selection import train_test_split

    labels = measurable_labels(labels, rows)
    labelled = evaluated_rows(labels, rows)
    train, test = train_test_split(labelled, test_size=TEST_SHARE, random_state=TEST_SEED)
    train, test = np.sort(train), np.sort(test)

    in_train = {normalised(texts[row]) for row in train}
    moved, dropped, tested, in_test = [], [], [], set()
    for row in test:
        text = normalised(texts[row])
        if text in in_train:
            moved.append(row)
        elif text in in_test:
            dropped.append(row)
        else:
            tested.append(row)
            in_test.add(text)

    left = np.concatenate([train, _rows(moved), _rows(tested)])
    names, sizes = np.unique(labels[left], return_counts=True)
    single = set(names[sizes == 1])
    alone = [row for row in tested if labels[row] in single]
    test = _rows([row for row in tested if labels[row] not in single])
    if len(test) == 0:
        raise CorpusError(
            "W-NO-TEST-TEXTS",
            f"kNN accuracy needs test texts without a copy among the others, but none of the {len(labelled):,} labeled"
            " texts is left to test. Training and maps work without it; add distinct labeled texts to measure.",
        )
    train = np.sort(np.concatenate([train, _rows(moved), _rows(alone)]))
    left = np.unique(labels[train])
    if len(left) < 2:
        raise CorpusError(
            "W-ONE-CLASS-LEFT",
            f"kNN accuracy needs two classes among the train texts, but after the split all {len(train):,}"
            f" are {left[0]!r}. Training and maps work without it; add labeled texts of the other classes to measure.",
        )
    return Split(train=train, test=test, moved=_rows(moved), dropped=_rows(dropped), singletons=tuple(sorted(single)))


def why_no_knn(labels: np.ndarray | None, rows: np.ndarray | None = None) -> Note | None:
    """Why kNN accuracy cannot be measured with these labels; None if it can."""
    labelled = labelled_rows(labels, rows)
    if labels is None or len(labelled) == 0:
        message = "kNN accuracy needs labels, but no text has one; training and maps work without it."
        return Note(code="W-NO-LABELS", message=message)
    names, _, sizes = _counted(labels[labelled])
    if len(names) == 1:
        return Note(
            code="W-ONE-CLASS",
            message=f"kNN accuracy needs two classes, but all {len(labelled):,} labeled texts are {names[0]!r};"
            " training and maps work without it.",
        )
    if (sizes > 1).sum() < 2:
        having = "only one" if (sizes > 1).any() else "none"
        return Note(
            code="W-FEW-LABELS",
            message=f"kNN accuracy needs two classes of at least two texts, but {having} of the {len(names):,} classes "
            "has as many; training and maps work without it.",
        )
    return None


def measurable_labels(labels: np.ndarray | None, rows: np.ndarray | None = None) -> np.ndarray:
    """The labels; raises an error with ``why_no_knn`` if kNN accuracy cannot be measured with them."""
    if (reason := why_no_knn(labels, rows)) is not None:
        raise CorpusError(reason.code, reason.message)
    assert labels is not None, "labels that are there were not refused"
    return labels


def development_split(split: Split, copies: np.ndarray) -> Split:
    """A tenth of the train part on which choices are made (the kept step, the better recipe): test texts choose
    nothing.

    Its texts are measured among all train texts, as the test texts are, without themselves and their copies.
    copies: (rows,), ``numbered_copies`` of the corpus
    """
    from sklearn.model_selection import train_test_split

    development = _rows([])
    if len(split.train) > 1:
        _, development = train_test_split(split.train, test_size=TEST_SHARE, random_state=DEVELOPMENT_SEED)
    return Split(train=split.train, test=np.sort(development), protocol="development", copies=copies)


def untested_rows(split: Split, copies: np.ndarray) -> np.ndarray:
    """The rows that the verdict's ten folds never test: development texts, whose labels choose, and their copies.

    They are neighbors of other texts all the same.  copies: (rows,), ``numbered_copies`` of the corpus
    """
    development = development_split(split, copies).test
    return split.rows[np.isin(copies[split.rows], copies[development])]


def cv10_folds(labels: np.ndarray, *, shuffled: bool = False) -> np.ndarray:
    """The fold of each labelled text, stratified, in file order; ten folds, or as many as the largest class has texts.

    ``cv10`` is not shuffled, as published; the verdict's folds are, with seed 42, because a file may be sorted.
    labels: (texts,) of str, without None -> (texts,) int
    """
    from sklearn.model_selection import StratifiedKFold

    measurable_labels(labels)
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    folds = np.empty(len(labels), int)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The least populated class")  # small classes miss some folds: no harm
        splitter = StratifiedKFold(
            min(FOLDS, sizes.max()), shuffle=shuffled, random_state=FOLD_SEED if shuffled else None
        )
        for fold, (_, test) in enumerate(splitter.split(np.empty((len(labels), 1)), codes)):
            folds[test] = fold
    return folds


def fold_splits(
    labels: np.ndarray | None,
    rows: np.ndarray | None = None,
    *,
    shuffled: bool = False,
    copies: np.ndarray | None = None,
    untested: np.ndarray | None = None,
) -> list[Split]:
    """Ten splits in which each labelled text among ``rows`` (all, if not given) is tested once, but for ``untested``.

    The folds are those of the published protocol; copies (``numbered_copies``) may lie in two of them, and are then no
    neighbors of each other.
    """
    labels = measurable_labels(labels, rows)
    labelled = evaluated_rows(labels, rows)
    folds = cv10_folds(labels[labelled], shuffled=shuffled)
    is_tested = np.ones(len(labelled), bool) if untested is None else ~np.isin(labelled, untested)
    protocol = TEN_FOLDS if shuffled else PUBLISHED_FOLDS
    splits = []
    for fold in range(folds.max() + 1):
        is_here = folds == fold
        tested = labelled[is_here & is_tested]
        splits.append(Split(train=labelled[~is_here], test=tested, protocol=protocol, copies=copies))
    return splits


def live_texts(
    split: Split, development: Split | None, labels: np.ndarray, *, size: int = 2000, seed: int = 0, whole: bool = False
) -> LiveTexts:
    """The whole protocol, or a stratified sample of at most ``size`` labelled texts.

    The sample's test part lies in the split's test part; in a small sample it is up to half, because a share of few
    texts says little. Development texts are at most ``size`` of the ``development`` part, each class by its share, in
    either case; none without one. They are the first to be a sample's neighbors, so that fewer texts are embedded.
    """
    rng = np.random.default_rng(seed)
    neighbors, test = split.train, split.test
    is_whole = whole or len(neighbors) + len(test) <= size
    if not is_whole:
        test = _stratified(test, labels, _tested_of_sample(size, split), rng)
    chosen = _rows([]) if development is None else _stratified(development.test, labels, size, rng)
    if not is_whole:
        neighbors = _stratified(neighbors, labels, size - len(test), rng, first=chosen)
    copies = None if development is None else development.copies
    return LiveTexts(neighbors, test, chosen, copies, is_whole)


LEAST_TESTED = 100  # texts of a sample, up to half of it


def _tested_of_sample(size: int, split: Split) -> int:
    """How many of a sample's texts are tested: their share of all, but at least ``LEAST_TESTED`` or half."""
    by_share = round(size * len(split.test) / (len(split.train) + len(split.test)))
    tested = min(max(by_share, min(LEAST_TESTED, size // 2), 1), len(split.test))
    return max(tested, size - len(split.train))


def sampled_rows(split: Split, labels: np.ndarray, *, size: int, seed: int) -> Split:
    """At most ``size`` labelled texts of the split, stratified; its test part lies within the split's."""
    (sample,) = sampled_splits([split], labels, size=size, seed=seed)
    return replace(sample, protocol="sample")


def sampled_splits(splits: Sequence[Split], labels: np.ndarray, *, size: int, seed: int) -> list[Split]:
    """Restrict splits of the same labelled texts to at most ``size`` of these texts, stratified by class.

    Each text keeps its part: it is tested in the split that tests it. Splits that would test nothing are left out.
    """
    chosen = _stratified(rows_of_splits(splits), labels, size, np.random.default_rng(seed))
    sampled = [
        Split(
            train=split.train[np.isin(split.train, chosen)],
            test=split.test[np.isin(split.test, chosen)],
            protocol=split.protocol,
            copies=split.copies,
        )
        for split in splits
    ]
    return [each for each in sampled if len(each.test)] or sampled[:1]


def rows_of_splits(splits: Sequence[Split]) -> np.ndarray:
    """Return all rows that are tested or searched in any of these splits, in file order."""
    return np.unique(np.concatenate([part for split in splits for part in (split.train, split.test)]))


def evaluated_rows(labels: np.ndarray | None, rows: np.ndarray | None = None) -> np.ndarray:
    """The labelled rows used by every protocol: all, or of very many a stratified sample.

    The sample is drawn by a fixed seed, so that it is the same for every run, protocol and reference line of a corpus.
    """
    labelled = labelled_rows(labels, rows)
    if labels is None:
        return labelled
    return _stratified(labelled, labels, LIMITS.evaluated_texts, np.random.default_rng(EVALUATED_SEED))


def is_sampled(labelled: int) -> bool:
    """Whether a corpus with this many labelled texts is evaluated on a sample."""
    return labelled > LIMITS.evaluated_texts


def sample_sentence(split: Split, labelled: int) -> str:
    """The sentence shown wherever a sample is evaluated."""
    return (
        f"Evaluated on {LIMITS.evaluated_texts:,} of the {labelled:,} labeled texts, drawn once, stratified by "
        f"class: {len(split.test):,} are tested among {len(split.train):,}, TF-IDF and SVD are fitted on them, and "
        f"the error shown accounts for the smaller sample."
    )


def labelled_rows(labels: np.ndarray | None, rows: np.ndarray | None = None) -> np.ndarray:
    """The rows with a label, in file order, among ``rows`` (all, if not given)."""
    if labels is None:
        return _rows([])
    rows = np.arange(len(labels)) if rows is None else np.sort(np.asarray(rows, int))
    return rows[[labels[row] is not None for row in rows]] if len(rows) else _rows([])


def _stratified(
    rows: np.ndarray, labels: np.ndarray, size: int, rng: np.random.Generator, *, first: np.ndarray | None = None
) -> np.ndarray:
    """``size`` of the rows, classes by largest remainder, in file order; those that are ``first``, if there are."""
    if len(rows) <= size:
        return rows
    _, codes, sizes = _counted(labels[rows])
    quota = largest_remainder(sizes * size / len(rows), size)
    chosen = []
    for code in range(len(sizes)):
        of_class = rows[codes == code]
        preferred = of_class[:0] if first is None else of_class[np.isin(of_class, first)]
        preferred = rng.permutation(preferred)[: quota[code]]
        others = np.setdiff1d(of_class, preferred, assume_unique=True)
        chosen += [preferred, rng.choice(others, quota[code] - len(preferred), replace=False)]
    return np.sort(np.concatenate(chosen))


def _counted(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct labels in order, the label index of each text, and the number of texts per label.

    As ``np.unique`` counts them, without sorting millions of strings.  labels: (texts,) of str, without None
    """
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(label, len(numbers)) for label in labels), int, len(labels))
    names = np.array([*numbers], dtype=object)
    order = np.argsort(names)
    rank = np.empty(len(order), int)
    rank[order] = np.arange(len(order))
    return names[order], rank[codes], np.bincount(rank[codes], minlength=len(order))


def _rows(rows: list) -> np.ndarray:
    return np.asarray(rows, dtype=int)


SIMILAR = 0.9  # TF-IDF cosine
CHUNK_ROWS = 512


def near_duplicates(tfidf: Matrix, split: Split) -> np.ndarray:
    """True where a tested text has a TF-IDF cosine of 0.9 or more with a train text.

    tfidf: (rows, words) sparse, unit rows (``tfidf_embeddings``) -> (rows,) bool, False where a row is not tested
    """
    is_near = np.zeros(tfidf.shape[0], bool)
    columns = tfidf[split.train].T.tocsr()
    for start in range(0, len(split.test), CHUNK_ROWS):
        rows = split.test[start : start + CHUNK_ROWS]
        closest = (tfidf[rows] @ columns).max(axis=1).toarray().ravel()
        is_near[rows] = closest >= SIMILAR - 1e-6  # unit rows in float32
    return is_near
