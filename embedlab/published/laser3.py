"""LA(SER)³: nDCG@10 on the fourteen public BEIR sets (Tables 1 and 2), ablations (3, 4) and STS-b (5)."""

from dataclasses import replace

from embedlab.published.base import Model, Published, by_columns, by_rows

_LIKE = Published(
    paper="LA(SER)³",
    table="Table 1",
    source="§4",
    model="",
    metric="mteb",
    value=0,
    unit="share",
    benchmark="beir-14",
)
_WU = "From Wu et al. (2022a)."
_HELP = f"{_WU} InfoCSE also trains an auxiliary network."
# the paper's spelling ("nfcopus" is its own) -> the mteb task
_TASKS = {
    "trec-covid": "TRECCOVID",
    "nfcopus": "NFCorpus",
    "nq": "NQ",
    "fiqa": "FiQA2018",
    "arguana": "ArguAna",
    "webis-touche2020": "Touche2020",
    "quora": "QuoraRetrieval",
    "cqadupstack": "CQADupstackRetrieval",
    "dbpedia-entity": "DBPedia",
    "scidocs": "SCIDOCS",
    "climate-fever": "ClimateFEVER",
    "scifact": "SciFact",
    "hotpotqa": "HotpotQA",
    "fever": "FEVER",
}
_NAMED = {name: {"task": task} for name, task in _TASKS.items()} | {"average": {"task": "average"}}
_TABLE_1 = by_columns(
    _LIKE,
    [
        Model("SimCSE, base", "simcse", "untouched", _WU),
        Model("SimCSE, large", note=_WU),
        Model("ESimCSE, base", note=_WU),
        Model("ESimCSE, large", note=_WU),
        Model("DiffCSE, base", note=_WU),
        Model("DiffCSE, large", note=_WU),
        Model("InfoCSE, base", note=_HELP),
        Model("InfoCSE, large", note=_HELP),
        Model("LA(SER)³, BERT-base, batch 64", "bert", "elongation-self"),
        Model("LA(SER)³, BERT-base, batch 128", "bert", "elongation-self"),
    ],
    """
    trec-covid       | 0.2750 0.2264 0.2291 0.2829 0.2368 0.2291 0.3937 0.3166 0.2728 0.3463
    nfcopus          | 0.1048 0.1356 0.1149 0.1483 0.1204 0.1470 0.1358 0.1576 0.1652 0.1919
    nq               | 0.1628 0.1671 0.0935 0.1705 0.1188 0.1556 0.2023 0.1790 0.1556 0.1354
    fiqa             | 0.0985 0.0975 0.0731 0.1117 0.0924 0.1027 0.0991 0.1000 0.1057 0.1090
    arguana          | 0.2796 0.2078 0.3376 0.2604 0.2500 0.2572 0.3244 0.4133 0.4182 0.4227
    webis-touche2020 | 0.1342 0.0878 0.0786 0.1057 0.0912 0.0781 0.0935 0.0920 0.1105 0.1167
    quora            | 0.7375 0.7511 0.7411 0.7615 0.7491 0.7471 0.8241 0.8268 0.7859 0.7741
    cqadupstack      | 0.1349 0.1082 0.1276 0.1196 0.1197 0.1160 0.2097 0.1881 0.1687 0.1691
    dbpedia-entity   | 0.1662 0.1495 0.1260 0.1650 0.1537 0.1571 0.2101 0.1838 0.1645 0.1663
    scidocs          | 0.0611 0.0688 0.0657 0.0796 0.0673 0.0699 0.0837 0.0859 0.0764 0.0859
    climate-fever    | 0.1420 0.1065 0.0796 0.1302 0.1019 0.1087 0.0937 0.0840 0.1311 0.1197
    scifact          | 0.2492 0.2541 0.3013 0.2875 0.2666 0.2811 0.3269 0.3801 0.3960 0.4317
    hotpotqa         | 0.2382 0.1896 0.1213 0.1970 0.1730 0.2068 0.3177 0.2781 0.2827 0.2937
    fever            | 0.2916 0.1776 0.0756 0.1689 0.1416 0.1849 0.1978 0.1252 0.2388 0.2691
    average          | 0.2197 0.1948 0.1832 0.2135 0.1916 0.2030 0.2509 0.2436 0.2480 0.2594
    """,
    _NAMED,
)
_MINILM = "Starts from nreimers/MiniLM-L6-H384-uncased, which is not among our encoders."
_TABLE_2 = by_columns(
    replace(_LIKE, table="Table 2", note=_MINILM),
    [
        Model("SimCSE, MiniLM-L6, Wikipedia", recipe="simcse"),
        Model("LA(SER)³ self-reference, MiniLM-L6, Wikipedia", recipe="elongation-self"),
        Model("SimCSE, MiniLM-L6, MSMARCO", recipe="simcse"),
        Model("LA(SER)³ self-reference, MiniLM-L6, MSMARCO", recipe="elongation-self"),
        Model("COCO-DR (PT-unsup), MiniLM-L6, MSMARCO", recipe="coco-dr"),
        Model("LA(SER)³ intra-reference, MiniLM-L6, MSMARCO", recipe="elongation-intra"),
    ],
    """
    trec-covid       | 0.1473 0.2129 0.1467 0.1646 0.2597 0.2511
    nfcopus          | 0.0764 0.1265 0.0796 0.0933 0.1853 0.1508
    nq               | 0.0370 0.0836 0.0302 0.0391 0.0268 0.0405
    fiqa             | 0.0288 0.0590 0.0260 0.0435 0.0821 0.1030
    arguana          | 0.2277 0.3130 0.2081 0.1961 0.3441 0.3834
    webis-touche2020 | 0.0289 0.0483 0.0177 0.0296 0.0736 0.0896
    quora            | 0.6743 0.7095 0.6527 0.6515 0.7976 0.7911
    cqadupstack      | 0.0889 0.1279 0.0864 0.1105 0.1380 0.1560
    dbpedia-entity   | 0.0837 0.1138 0.0541 0.0558 0.0924 0.0825
    scidocs          | 0.0259 0.0516 0.0178 0.0309 0.0305 0.0492
    climate-fever    | 0.0127 0.0789 0.0136 0.0198 0.0652 0.1108
    scifact          | 0.2174 0.3525 0.2330 0.2276 0.4056 0.4076
    hotpotqa         | 0.0829 0.1646 0.0560 0.0750 0.0383 0.0539
    fever            | 0.0363 0.1001 0.0263 0.0340 0.1421 0.2524
    average          | 0.1263 0.1816 0.1177 0.1265 0.1915 0.2087
    """,
    _NAMED,
)
_MEAN = {"task": "average"}
_TABLE_3 = by_rows(
    replace(_LIKE, table="Table 3", source="§5.1", note=_MINILM),
    {
        "SimCSE": Model("SimCSE, MSMARCO", recipe="simcse"),
        "self": Model("LA(SER)³ self-reference, MSMARCO", recipe="elongation-self"),
        "coco": Model("COCO-DR (PT-unsup), MSMARCO", recipe="coco-dr"),
        "intra": Model("LA(SER)³ intra-reference, MSMARCO", recipe="elongation-intra"),
    },
    """
    SimCSE | 0.1177 0.1127
    self   | 0.1265 0.1013
    coco   | 0.1915 0.1930
    intra  | 0.2087 0.2033
    """,
    [_MEAN | {"setting": f"{which} sentence as anchor"} for which in ("first", "random")],
)
_ELONGATED = Model("LA(SER)³ self-reference, Wikipedia", recipe="elongation-self")
_TABLE_4 = by_rows(
    replace(_LIKE, table="Table 4", source="§5.2", note=_MINILM),
    {"none": Model("SimCSE, Wikipedia", recipe="simcse"), "elongated": _ELONGATED},
    """
    none      | 0.1263 –      –      –      –
    elongated | –      0.1523 0.1778 0.1764 0.1816
    """,
    [
        _MEAN | {"setting": setting}
        for setting in (
            "not elongated, 256 tokens",
            "elongated twice, 256 tokens",
            "elongated at random, 64 tokens",
            "elongated at random, 128 tokens",
            "elongated at random, 256 tokens",
        )
    ],
)
_STS = replace(_LIKE, table="Table 5", source="Appendix A", metric="sts", unit="percent", benchmark=None)
_TABLE_5 = by_rows(
    _STS,
    {
        "SimCSE": Model("SimCSE", "simcse", "untouched"),
        "LA(SER)³, mean": Model("LA(SER)³, mean pooling", "bert", "elongation-self"),
        "LA(SER)³, [cls]": Model("LA(SER)³, [CLS] pooling", "bert", "elongation-self"),
    },
    """
    BERT-whitening, NLI      | 68.19
    BERT-whitening, target   | 71.34
    BERT-flow, NLI           | 58.56
    BERT-flow, target        | 70.72
    SimCSE                   | 76.85
    LA(SER)³, mean           | 75.61
    LA(SER)³, [cls]          | 76.19
    """,
    [{"task": "STSBenchmark"}],
)

LASER3 = (*_TABLE_1, *_TABLE_2, *_TABLE_3, *_TABLE_4, *_TABLE_5)
