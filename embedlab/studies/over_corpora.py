"""The corpora of a study that has one line for each of several."""

from collections.abc import Sequence

from embedlab.corpora.stored.shelf import CorpusInfo, list_corpora
from embedlab.errors import CorpusError, SettingsError

CORPUS = "corpus"  # the series whose values are fingerprints


def corpus_names() -> dict[str, str]:
    """The stored corpora: fingerprint -> name."""
    return {info.fingerprint: info.name for info in list_corpora()}


def corpora_of(info: CorpusInfo, values: Sequence) -> dict[str, CorpusInfo]:
    """The study's own corpus and those of its series, by fingerprint; each needs classes."""
    stored = {each.fingerprint: each for each in list_corpora()}
    corpora = {info.fingerprint: info}
    for value in values:
        each = next((each for each in stored.values() if str(value) in (each.fingerprint, each.name)), None)
        if each is None:
            names = ", ".join(each.name for each in stored.values()) or "none"
            message = f"The series needs stored corpora, but there is none called {str(value)!r}. There are: {names}."
            raise SettingsError("E-SERIES", message)
        if not each.has_knn:
            message = f"The corpus {each.name} of the series lacks two classes of two texts, so it has no kNN accuracy."
            raise CorpusError("E-NO-LABELS", f"{message} Leave it out.")
        corpora[each.fingerprint] = each
    return corpora
