"""SemCSE: the semantic benchmark of Table 1, SciRepEval by type of task (Table 2), ablations (Table 3)."""

from dataclasses import replace

from embedlab.published.base import Model, Published, by_rows

_LIKE = Published(paper="SemCSE", table="Table 1", source="§5.3", model="", metric="", value=0)
_RANK = {"metric": "matching", "unit": "rank", "n": 6000}
_CLUSTERED = {"metric": "neighbors-5", "task": "clustering", "unit": "share", "n": None}
_MODELS = {
    "SciBERT": Model("SciBERT", "scibert", "untouched"),
    "SPECTER": Model("SPECTER", "specter", "untouched"),
    "SciNCL": Model("SciNCL", "scincl", "untouched"),
    "SPECTER2 base": Model("SPECTER2 base", "specter2-base", "untouched"),
    "all-MiniLM-L6-v2": Model("all-MiniLM-L6-v2", "minilm", "untouched"),
    "SemCSE": Model("SemCSE", None, "semcse", "Starts from SciDeBERTa."),
}
_TABLE_1 = by_rows(
    _LIKE,
    _MODELS,
    """
    SciBERT            |  807.74 214.37  213.45 0.569 0.000
    SciDeBERTa         | 1479.09 861.55 2465.26 0.460 0.000
    SPECTER            |   10.25  12.23    2.18 0.692 0.119
    SciNCL             |    5.68   7.35    2.29 0.702 0.357
    SPECTER2 base      |    4.52   5.10    1.17 0.666 0.553
    SPECTER2 proximity |    5.34   5.80    1.46 0.666 0.395
    all-MiniLM-L6-v2   |    3.09   8.19    1.11 0.730 0.771
    Jina-v2            |    3.29   8.77    1.29 0.703 0.600
    Jina-v3            |    3.45   6.96    1.01 0.719 0.783
    RoBERTa SimCSE     |   23.71  44.24    8.92 0.696 0.116
    NvEmbed-V2         |    3.38   3.84    1.02 0.721 0.866
    SemCSE             |    2.47   2.68    1.23 0.739 0.925
    """,
    [
        _RANK | {"task": "title-abstract"},
        _RANK | {"task": "abstract-halves"},
        _RANK | {"task": "query"},
        _CLUSTERED,
        {"metric": "performance", "task": "average", "unit": "share"},
    ],
)
_TYPES = ("classification", "regression", "proximity", "search", "average")
_SCIREPEVAL = [{"metric": "scirepeval", "task": kind} for kind in _TYPES]
_TABLE_2 = by_rows(
    replace(_LIKE, table="Table 2", source="§6"),
    _MODELS,
    """
    SciBERT            | 63.86 27.34 66.25 68.19 57.42
    SciDeBERTa         | 60.99 27.00 62.74 67.83 55.18
    SPECTER            | 67.73 25.37 80.05 74.89 64.28
    SciNCL             | 68.04 25.22 81.18 77.32 65.08
    SPECTER2 base      | 66.95 27.75 81.10 78.42 65.46
    SPECTER2 proximity | 66.37 26.85 81.41 77.75 65.15
    all-MiniLM-L6-v2   | 64.04 20.06 80.74 79.63 63.05
    Jina-v2            | 63.99 23.76 80.11 80.40 63.69
    Jina-v3            | 65.66 24.84 79.98 80.60 64.34
    RoBERTa SimCSE     | 67.16 22.95 75.51 76.97 62.10
    NvEmbed-V2         | 65.62 29.94 81.16 82.84 66.19
    SemCSE             | 69.52 27.58 80.21 78.56 65.76
    """,
    _SCIREPEVAL,
)
_TABLE_3 = by_rows(
    replace(_LIKE, table="Table 3", source="§7", note="Starts from SciDeBERTa."),
    {
        **{f"{size}K": Model(f"SemCSE, {size}K texts", None, "semcse") for size in (175, 87.5, 35, 17.5, 8.75, 3.5)},
        "Just Summaries": Model("SemCSE, just summaries", None, "semcse"),
        "Same Input": Model("SemCSE, same input", None, "semcse"),
        "Cosine Similarity": Model("SemCSE, cosine", None, "semcse-cosine"),
    },
    """
    175K              | 69.26 27.19 80.36 78.54 65.67   3.40  3.21   1.29 0.732
    87.5K             | 69.01 27.39 80.35 78.58 65.65   3.35  2.63   1.24 0.731
    35K               | 69.32 27.18 80.18 77.81 65.51   3.65  3.24   1.24 0.734
    17.5K             | 68.31 27.00 80.04 78.37 65.23   3.76  3.47   1.45 0.723
    8.75K             | 68.95 27.05 79.96 76.53 65.14   4.34  3.73   1.99 0.725
    3.5K              | 68.36 27.07 79.94 76.73 65.01   5.93  4.04   2.18 0.728
    Just Summaries    | 68.78 26.89 80.21 77.51 65.28   6.04  3.52   2.11 0.732
    Same Input        | 66.59 27.23 74.29 69.94 61.48 180.01 59.86 251.46 0.645
    Cosine Similarity | 69.76 25.88 80.63 79.33 65.72   2.84  3.17   1.13 0.735
    """,
    [
        *_SCIREPEVAL,
        _RANK | {"task": "title-abstract"},
        _RANK | {"task": "abstract-halves"},
        _RANK | {"task": "query"},
        _CLUSTERED,
    ],
)

SEMCSE = (*_TABLE_1, *_TABLE_2, *_TABLE_3)
