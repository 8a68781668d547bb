"""TSDAE: average precision on the four USEB data sets (Tables 2, 4, 9) and Spearman on STS (Tables 3, 5–7, 11)."""

from dataclasses import replace

from embedlab.published.base import Model, Published, by_rows

_LIKE = Published(paper="TSDAE", table="Table 2", source="§6", model="", metric="useb", value=0, benchmark="useb")
_USEB = [
    "AskUbuntu",
    "CQADupStack",
    "TwitterPara/TURL",
    "TwitterPara/PIT",
    "TwitterPara",
    "SciDocs/cite",
    "SciDocs/cocite",
    "SciDocs/coread",
    "SciDocs/coview",
    "SciDocs",
    "average",
]
_COLUMNS = [{"task": name} for name in _USEB]
_FIVE = "Mean of 5 seeds."
_TRAINED = {
    "TSDAE": Model("TSDAE", "bert", "tsdae", _FIVE),
    "MLM": Model("MLM", "bert", "mlm", _FIVE),
    "CT": Model("CT", "bert", "contrastive-tension", _FIVE),
    "SimCSE": Model("SimCSE", "bert", "simcse", f"{_FIVE} Batch 512, learning rate 5e-5."),
    "BERT-flow": Model("BERT-flow", "bert", "untouched", f"{_FIVE} Untouched BERT, then the flow."),
}
_UNSUPERVISED = "Unsupervised learning based on BERT-base"
_BLOCKS = {
    _UNSUPERVISED: """
    TSDAE     | 59.4 14.5 76.8 69.2 73.0 71.4 73.9 75.0 75.6 74.0 55.2
    MLM       | 54.3 11.7 71.9 69.7 70.8 71.2 75.8 75.1 76.2 74.6 52.9
    CT        | 56.3 13.3 74.6 70.4 72.5 63.4 67.1 70.1 69.7 67.6 52.4
    SimCSE    | 55.9 12.4 74.5 62.5 68.5 62.5 65.1 67.7 67.6 65.7 50.6
    BERT-flow | 53.7  9.2 72.8 65.7 69.3 61.3 62.8 66.7 67.1 64.5 49.2
    """,
    "Domain adaptation: NLI+STS → target task": """
    TSDAE     | 58.7 13.6 75.8 66.2 71.0 69.9 73.8 75.0 75.7 73.6 54.2
    MLM       | 54.4  9.7 69.8 68.1 69.0 67.1 71.8 72.6 72.9 71.1 51.1
    CT        | 57.9 14.2 75.6 70.6 73.1 62.3 66.2 68.5 68.9 66.5 52.9
    SimCSE    | 56.6 13.8 73.4 65.9 69.7 61.8 63.7 67.01 66.7 64.8 51.2
    BERT-flow | 58.2 13.9 76.5 67.4 72.0 62.2 64.8 68.1 68.0 65.8 52.5
    """,
    "Domain adaptation: target task → NLI+STS": """
    TSDAE     | 59.4 14.4 75.8 73.1 74.5 75.6 78.6 78.1 78.2 77.6 56.5
    MLM       | 60.6 14.3 75.0 68.6 71.8 74.7 78.2 77.0 77.6 76.9 55.9
    CT        | 56.4 13.4 75.9 68.9 72.4 66.5 69.6 70.6 72.2 69.7 53.0
    SimCSE    | 56.2 13.1 75.5 67.3 71.4 65.5 68.5 70.0 71.4 68.9 52.4
    """,
    "Other previous unsupervised approaches": """
    BM25              | 53.4 13.3 71.9 70.5 71.2 58.9 61.3 67.3 66.9 63.6 50.4
    Avg. GloVe        | 51.0 10.0 70.1 52.1 61.1 58.8 60.6 64.2 65.4 62.2 46.1
    Sent2Vec          | 49.0  3.2 47.5 39.9 43.7 61.6 66.0 66.1 66.7 65.1 40.2
    BERT-base-uncased | 48.5  6.5 69.1 61.7 65.4 59.4 65.1 65.4 68.6 64.6 46.3
    """,
    "Out-of-the-box supervised pre-trained models": """
    SBERT-base-nli-v2      | 53.4 11.8 75.4 69.9 72.7 66.8 70.0 70.7 72.8 70.1 52.0
    SBERT-base-nli-stsb-v2 | 54.5 12.9 75.9 68.5 72.2 66.2 69.2 69.9 72.3 69.4 52.3
    USE-large              | 59.3 15.9 77.1 69.8 73.5 67.1 69.5 71.4 72.6 70.2 54.7
    """,
    "In-domain supervised training (upper bound)": """
    SBERT-supervised | 63.8 16.3 81.6 75.8 78.7 90.4 91.2 86.2 83.6 87.9 61.6
    """,
}
_SHELF = {
    "BERT-base-uncased": Model("BERT-base-uncased", "bert", "untouched", "Mean pooling."),
    "USE-large": Model("USE-large", note="Trained on AskUbuntu's and CQADupStack's own training data."),
    "SBERT-supervised": Model("SBERT-supervised", "bert", "supervised"),
}
_ADAPTED = {name: replace(model, encoder=None) for name, model in _TRAINED.items()}  # not from BERT as it is
_TABLE_2 = [
    row
    for group, lines in _BLOCKS.items()
    for row in by_rows(
        replace(_LIKE, group=group, setting=group if group.startswith("Domain") else ""),
        _SHELF | (_ADAPTED if group.startswith("Domain") else _TRAINED),
        lines,
        _COLUMNS,
    )
]
_FOUR = [{"task": name} for name in ("AskUbuntu", "CQADupStack", "TwitterPara", "SciDocs", "average")]
_TABLE_4 = by_rows(
    replace(_LIKE, table="Table 4", source="§8", note="The paper prints the training loss beside it."),
    {
        "Scratch": Model("TSDAE from scratch", "scratch:bert-base", "tsdae"),
        "BART-base": Model("TSDAE from BART-base", None, "tsdae"),
        "T5-base": Model("TSDAE from T5-base", None, "tsdae"),
    },
    """
    Scratch   | 56.6 8.4 69.8 67.2 50.5
    BART-base | 58.5 9.5 60.3 62.0 47.6
    T5-base   | 45.6 2.2 48.2 30.8 31.7
    """,
    _FOUR,
)
_TABLE_9 = {
    "TSDAE": "59.4 0.3 14.5 0.1 73.0 0.4 74.0 0.4 55.2 0.2",
    "CT": "56.3 0.7 13.3 0.3 72.5 0.5 67.6 0.4 52.4 0.3",
    "SimCSE": "55.9 0.8 12.4 0.0 68.5 0.0 65.7 0.0 50.6 0.2",
    "BERT-flow": "53.7 0.2 9.2 0.1 69.3 0.2 64.5 0.1 49.2 0.1",
}
_SPREAD = {
    (name, column["task"]): float(value)
    for name, values in _TABLE_9.items()
    for column, value in zip(_FOUR, values.split()[1::2], strict=True)
}

_STS = replace(_LIKE, table="Table 11", source="Appendix F", metric="sts", benchmark=None)
_STS_SETS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STSBenchmark", "SICK-R", "average")
_TABLE_11 = by_rows(
    _STS,
    _TRAINED,
    """
    TSDAE                  | 55.2 67.4 62.4 74.3 73.0 66.0 62.3 65.8
    CT                     | 60.0 76.3 68.2 77.3 75.8 73.9 69.4 71.6
    SimCSE                 | 63.6 79.3 69.6 78.2 77.7 73.8 70.1 73.2
    BERT-flow              | 34.1 60.7 48.8 61.9 64.8 48.9 58.4 53.9
    MLM                    | 30.9 59.9 47.7 60.3 63.7 47.3 58.2 52.6
    SBERT-base-nli-v2      | 72.5 84.8 80.2 84.8 80.0 83.9 78.0 80.6
    SBERT-base-nli-stsb-v2 | –    –    –    –    –    87.3 80.4 –
    USE-large              | 74.3 71.8 71.4 82.5 77.5 80.9 75.8 76.3
    """,
    [{"task": name} for name in _STS_SETS],
)
_NLI = replace(_STS, source="Appendix A", task="STSBenchmark", note="Development part of STS-b; trained on NLI.")
_NOISE = {"TSDAE": Model("TSDAE", "bert", "tsdae")}
_TABLES_5_TO_7 = [
    *by_rows(
        replace(_NLI, table="Table 5"),
        _NOISE,
        "TSDAE | 78.33 76.85 76.56 74.01 72.65",
        [{"setting": f"{kind}, ratio 0.3"} for kind in ("delete", "swap", "mask", "replace", "add")],
    ),
    *by_rows(
        replace(_NLI, table="Table 6"),
        _NOISE,
        "TSDAE | 77.81 77.70 77.75 78.02 78.25 78.77 78.19 77.69 75.67",
        [{"setting": f"delete, ratio 0.{tenths}"} for tenths in range(1, 10)],
    ),
    *by_rows(
        replace(_NLI, table="Table 7"),
        _NOISE,
        "TSDAE | 78.77 78.84 78.17",
        [{"setting": f"{pooling} pooling"} for pooling in ("cls", "mean", "max")],
    ),
]

TSDAE = (
    *(
        replace(row, deviation=_SPREAD.get((row.model, row.task))) if row.group == _UNSUPERVISED else row
        for row in _TABLE_2
    ),
    *_TABLE_4,
    *_TABLE_11,
    *_TABLES_5_TO_7,
)
