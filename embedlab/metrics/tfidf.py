"""The reference lines TF-IDF and TF-IDF -> SVD-100: on ICLR no self-supervised model of the crops paper beats them."""

import numpy as np

from embedlab.metrics.knn import K, KNNResult, joined, knn_accuracy, knn_result
from embedlab.metrics.split import Split, fold_splits

COMPONENTS = 100
CHUNK_NUMBERS = 2**23


def reference_lines(
    texts: list[str], labels: np.ndarray, split: Split, *, protocol: str = "paper"
) -> dict[str, KNNResult]:
    """kNN accuracy of both, fitted on all texts: ``tfidf`` and ``svd``.  texts, labels: one per corpus row

    ``protocol="cv10"`` tests every labelled row of the split by ten folds.
    """
    sparse = tfidf_embeddings(texts)
    dense = svd_embeddings(sparse)
    every = np.concatenate([split.train, split.test, split.dropped])
    splits = [split] if protocol == "paper" else fold_splits(labels, every)
    results = {
        "tfidf": [_sparse_accuracy(sparse, labels, part) for part in splits],
        "svd": [knn_accuracy(embeddings=dense, labels=labels, split=part) for part in splits],
    }
    if protocol == "paper":
        return {name: parts[0] for name, parts in results.items()}
    tested = np.concatenate([part.test for part in splits])
    good = {"tfidf": _sparse_usable(sparse), "svd": (dense != 0).any(axis=1)}
    return {name: joined(parts, good=good[name][tested]) for name, parts in results.items()}


def tfidf_embeddings(texts: list[str]):
    """Unit rows, zero for a text without a word.  -> (texts, words) sparse"""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import TfidfVectorizer

    filled = [row for row, text in enumerate(texts) if text.strip()]
    vectorizer = TfidfVectorizer(sublinear_tf=True, dtype=np.float32)
    try:
        found = vectorizer.fit_transform([texts[row] for row in filled])
    except ValueError:  # not one word of two letters in all the texts
        return csr_matrix((len(texts), 1), dtype=np.float32)
    place = csr_matrix((np.ones(len(filled), np.float32), (filled, range(len(filled)))), (len(texts), len(filled)))
    return (place @ found).tocsr()


def svd_embeddings(tfidf) -> np.ndarray:
    """The first 100 (or as many as there are) singular directions, rows of length one.  -> (texts, 100) float32"""
    from sklearn.decomposition import TruncatedSVD

    components = min(COMPONENTS, min(tfidf.shape) - 1)
    if components < 1 or tfidf.nnz == 0:
        dense = tfidf.toarray()
    else:
        dense = TruncatedSVD(components, algorithm="arpack", random_state=42).fit_transform(tfidf)
    dense[~_sparse_usable(tfidf)] = 0
    norms = np.linalg.norm(dense, axis=1, keepdims=True)
    return (dense / np.where(norms > 0, norms, 1)).astype(np.float32)


def _sparse_accuracy(sparse, labels: np.ndarray, split: Split) -> KNNResult:
    """kNN by dot products, in chunks: rows of length one have one order by Euclidean distance and by cosine."""
    good = _sparse_usable(sparse)
    train = split.train[good[split.train]]
    k = min(K, len(train))
    neighbors = np.full((len(split.test), k), -1)
    base = sparse[train].T.tocsc()
    step = max(1, CHUNK_NUMBERS // max(len(train), 1))
    for start in range(0, len(split.test) if k else 0, step):
        rows = split.test[start : start + step]
        apart = -(sparse[rows] @ base).toarray()  # (chunk, train)
        neighbors[start : start + step] = train[np.argsort(apart, axis=1, kind="stable")[:, :k]]
    return knn_result(neighbors=neighbors, labels=labels, split=split, good=good, k=K, distance="euclidean")


def _sparse_usable(sparse) -> np.ndarray:
    return np.diff(sparse.indptr) > 0
