"""Three words for each cluster: class TF-IDF, all texts of a cluster being one document (Grootendorst 2022)."""

import numpy as np

from embedlab.counting import has_blanks, units

WORDS = 3
_FEWEST_LETTERS = 3  # of a word; a bigram of a script without blanks has two
_CUT_SHORT = (
    "doesn don didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn ll ve".split()
)  # n't left off
_TEXTS_WITH = 2  # a word of fewer texts names nothing
_SHARE_WITH = 0.05  # nor does one that fewer of a cluster's texts have


def class_tfidf(counts: np.ndarray) -> np.ndarray:
    """√tf · log(1 + A / f): the word's share of its cluster, times how rare it is in all (equation 2).

    counts: (clusters, words) -> (clusters, words), 0 where a word is absent; f is a word's count in all clusters, A the
    mean count of words of a cluster. The root is BERTopic's ``reduce_frequent_words``: without it words that every
    cluster has come first.
    """
    counts = np.asarray(counts, float)
    total, everywhere = counts.sum(axis=1, keepdims=True), counts.sum(axis=0)
    share = np.divide(counts, total, out=np.zeros(counts.shape), where=total > 0)
    rare = np.log1p(total.sum() / max(len(counts), 1) / np.maximum(everywhere, 1))
    return np.sqrt(share) * rare


def word_counts(texts: list[str], clusters: np.ndarray, count: int) -> tuple[np.ndarray, list[str]]:
    """In how many texts of each cluster a word occurs, English stop words left out.

    texts: (texts,), clusters: (texts,) 0 … count−1 -> (count, words), the words
    """
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

    left_out = ENGLISH_STOP_WORDS | set(_CUT_SHORT)

    def terms(text: str) -> list[str]:
        least = 2 if not has_blanks(text) else _FEWEST_LETTERS
        found = (word for word in units(text, bigrams_only=True) if len(word) >= least and word[0].isalpha())
        return [word for word in found if "_" not in word and word not in left_out]

    vectorizer = CountVectorizer(binary=True, analyzer=terms, dtype=np.int32)
    try:
        found = vectorizer.fit_transform(texts)  # (texts, words)
    except ValueError:  # stop words only
        return np.zeros((count, 0)), []
    member = csr_matrix((np.ones(len(texts), np.int32), (clusters, np.arange(len(texts)))), (count, len(texts)))
    counts = (member @ found).tocsc()
    kept = np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() >= min(_TEXTS_WITH, len(texts)))
    return counts[:, kept].toarray(), vectorizer.get_feature_names_out()[kept].tolist()


def keywords(
    counts: np.ndarray, words: list[str], *, texts: np.ndarray | None = None, most: int = WORDS
) -> list[list[str]]:
    """The words of each cluster with the highest class TF-IDF, equal ones by the alphabet; plurals not beside their
    singular.  counts: (clusters, words); texts: (clusters,) counted texts, of which a twentieth must have a word
    """
    weights, found = class_tfidf(counts), []
    if texts is not None:
        weights[counts < _SHARE_WITH * texts[:, None]] = 0
    for row in weights:
        chosen: dict[str, str] = {}
        for place in np.argsort(-row, kind="stable"):
            if len(chosen) == most or row[place] <= 0:
                break
            chosen.setdefault(words[place].rstrip("s"), words[place])
        found.append(list(chosen.values()))
    return found
