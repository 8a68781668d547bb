"""UNSEE's Table 1: eight models on the 56 English MTEB sets, by type of task."""

from embedlab.published.base import Model, Published, by_rows

COUNTS = {
    "Classification": 12,
    "Clustering": 11,
    "PairClassification": 3,
    "Reranking": 4,
    "Retrieval": 15,
    "STS": 10,
    "Summarization": 1,
}
_LIKE = Published(paper="UNSEE", table="Table 1", source="§6", model="", metric="mteb", value=0, benchmark="unsee")
_TAKEN = "From Muennighoff et al. (2023)."

UNSEE = tuple(
    by_rows(
        _LIKE,
        {
            "Glove": Model("Glove", note=_TAKEN),
            "Komninos": Model("Komninos", note=_TAKEN),
            "BERT": Model("BERT", "bert", "untouched", _TAKEN),
            "SimCSE": Model("SimCSE", "simcse", "untouched", _TAKEN),
            "UNSEE-BYOL": Model("UNSEE-BYOL", "bert", "byol"),
            "UNSEE-Barlow": Model("UNSEE-Barlow", "bert", "barlow-twins"),
            "UNSEE-CorInfoMax": Model("UNSEE-CorInfoMax", "bert", "corinfomax"),
            "UNSEE-VICReg": Model("UNSEE-VICReg", "bert", "vicreg"),
        },
        """
        Glove            | 57.29 27.73 70.92 43.29 21.62 61.85 28.87 41.97
        Komninos         | 57.65 26.57 72.94 44.75 21.22 62.47 30.49 42.06
        BERT             | 61.66 30.12 56.33 43.44 10.59 54.36 29.82 38.33
        SimCSE           | 62.50 29.04 70.33 46.47 20.29 74.33 31.15 45.45
        UNSEE-BYOL       | 62.55 27.81 65.3  46.47 23.11 73.04 30.68 45.46
        UNSEE-Barlow     | 62.76 30.04 65.7  46.9  23.06 72.15 30.25 45.82
        UNSEE-CorInfoMax | 62.85 28.90 67.87 46.81 24.80 72.31 30.81 46.22
        UNSEE-VICReg     | 62.58 28.44 70.24 47.23 24.79 73.11 30.34 46.37
        """,
        [*({"task": kind, "group": kind} for kind in COUNTS), {"task": "average"}],
    )
)
