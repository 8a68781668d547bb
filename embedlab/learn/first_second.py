"""What Home shows before anything was trained: a pocket of four topics, of the texts that are there at once."""

from embedlab.corpora.base import Corpus, open_corpus
from embedlab.corpora.docs import first_texts
from embedlab.errors import EmbedlabError
from embedlab.example import gathered
from embedlab.figures.palette import class_colours
from embedlab.learn.pocket_corpus import PocketCorpus, pocket_of

TOPICS = ("Tables", "Web page elements", "Signal processing", "Linear algebra")  # few files hold many texts of them
AT_ONCE, SHARE = 60, 100  # texts of each: read now, or from the gathered corpus


def first_pocket() -> PocketCorpus | None:
    """None where the libraries hold too few texts of these topics."""
    fingerprint = gathered()
    texts = first_texts(TOPICS, AT_ONCE) if fingerprint is None else _of_corpus(open_corpus(fingerprint))
    try:
        return pocket_of("docs", texts, class_colours(TOPICS))
    except EmbedlabError:
        return None


def _of_corpus(corpus: Corpus) -> dict[str, list[str]]:
    """Evenly spread over the texts of each topic."""
    names, texts = [each.label for each in corpus.info.classes], {}
    for topic in TOPICS:
        rows = corpus.labelled[corpus.class_numbers[corpus.labelled] == names.index(topic)] if topic in names else []
        step = max(1, len(rows) // SHARE)
        texts[topic] = [corpus.texts[int(row)] for row in rows[::step][:SHARE]]
    return texts
