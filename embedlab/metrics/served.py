"""Which metrics a corpus can serve, by what it has: labels, titles, summaries, or its texts alone."""

BY_LABELS = ("knn", "linear", "clustering", "neighbors-5", "retrieval", "reranking", "paraphrase")
BY_TITLES = ("match-title",)
BY_SUMMARIES = ("match-query",)
BY_TEXTS = ("match-halves",)
BY_SCORES = ("retrieval", "reranking")  # these take ready-made scores in place of vectors
FURTHER_TEXTS = (*BY_TITLES, *BY_SUMMARIES, *BY_TEXTS)  # these embed parts of texts; the others take the texts' vectors


def why_not_served(metric, *, name: str, no_labels: str | None, titles: bool, summaries: bool) -> str | None:
    """Why a corpus cannot serve a metric, as a sentence, or None. ``no_labels`` says why labels do not suffice."""
    if metric.key in BY_LABELS:
        return no_labels
    if metric.key in BY_TITLES and not titles:
        return f"{metric.title} needs titles, but {name!r} has none. Choose a title column."
    if metric.key in BY_SUMMARIES and not summaries:
        return f"{metric.title} needs summaries, but {name!r} has none. Choose such a column, or make some."
    if metric.key not in (*BY_LABELS, *FURTHER_TEXTS):
        return f"{metric.title} needs a file of scored pairs; a labelled corpus has none. Name one."
    return None


def why_no_baseline(metric_key: str, *, key: str, title: str, gives_vectors: bool) -> str | None:
    """Why a baseline cannot be measured by a metric, as a sentence, or None."""
    if not gives_vectors and metric_key not in BY_SCORES:
        return f"{title} only scores documents for queries: retrieval and reranking."
    if metric_key == "linear" and key == "tfidf":
        return "A linear probe wants few dense dimensions, not one for every word."
    return None
