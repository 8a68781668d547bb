"""kNN accuracy layer by layer: the numbers above the curve, what they say, the table below."""

import pyarrow as pa

from embedlab.runs.folder import RunFolder
from embedlab.store_root import read_json
from embedlab.ui.numbers import number_row
from embedlab.ui.text import accuracy, count, escaped, percent, points

POOLINGS = {"mean": "mean", "cls": "[CLS]", "last": "[SEP]"}
STATES = ("before", "after")


def read_layers(run: RunFolder) -> dict | None:
    """``layers.json`` of a run, or None while nobody measured it."""
    try:
        return read_json(run.layers)
    except (FileNotFoundError, ValueError):
        return None


def poolings_of(found: dict) -> list[str]:
    """The poolings that were measured, in their order."""
    return list(dict.fromkeys(row["pooling"] for row in found["layers"]))


def layer_numbers(found: dict, pooling: str) -> None:
    """The last layer before and after by one pooling, the best layer after, and on how many texts."""
    last, best = last_row(found, pooling), best_row(found)
    named = POOLINGS.get(pooling, pooling)
    where = f"The vector after layer {last['layer']} by {named} pooling, the encoder's own."
    row = number_row()
    row.metric("Last layer, before", percent(last["before"]), help=where)
    after = accuracy(last["after"], last["standard_error_after"])
    change = last["after"] - last["before"]
    row.metric("after", after, change or None, help="± one standard error.")
    label = f"Best after: {POOLINGS.get(best['pooling'], best['pooling'])}, layer {best['layer']}"
    row.metric(escaped(label), accuracy(best["after"], best["standard_error_after"]))
    row.metric("Test texts", count(found["test_texts"]), help=measured_on(found))


def measured_on(found: dict) -> str:
    """On which texts, and whether they are a sample."""
    which = "a stratified sample of" if found["sampled"] else "all"
    texts, tested = count(found["texts"]), count(found["test_texts"])
    return f"Measured on {which} {texts} labelled texts, {tested} of them test texts, k = 10."


def last_layer_remark(found: dict, pooling: str) -> str:
    """Whether the last layer is the best one here, by one pooling."""
    rows = [row for row in found["layers"] if row["pooling"] == pooling]
    best, last = max(rows, key=lambda row: row["after"]), last_row(found, pooling)
    if len(rows) == 1:
        return ""
    if best["after"] <= last["after"]:
        return "After fine-tuning the last layer is the best one here."
    gap = best["after"] - last["after"]
    sure = "within one standard error of it" if gap <= last["standard_error_after"] else f"{points(gap)} above it"
    return f"The last layer is not the best one here: layer {best['layer']} has {percent(best['after'])}, {sure}."


def last_row(found: dict, pooling: str) -> dict:
    """The row of the last layer by one pooling."""
    return max((row for row in found["layers"] if row["pooling"] == pooling), key=lambda row: row["layer"])


def best_row(found: dict) -> dict:
    """The row with the highest kNN accuracy after fine-tuning; of equal ones the first."""
    return max(found["layers"], key=lambda row: row["after"])


def layers_table(found: dict) -> pa.Table:
    """One row a layer, two columns a pooling, in percent."""
    layers = sorted({row["layer"] for row in found["layers"]})
    values = {(row["layer"], row["pooling"], state): row[state] for row in found["layers"] for state in STATES}
    columns = {"layer": layers}
    for pooling in poolings_of(found):
        for state in STATES:
            column = [values.get((layer, pooling, state)) for layer in layers]
            name = f"{POOLINGS.get(pooling, pooling)} {state} (%)"
            columns[name] = [None if value is None else round(100 * value, 2) for value in column]
    return pa.table(columns)


def layers_rows(found: dict) -> pa.Table:
    """For the download: one row per layer and pooling, with the standard errors."""
    return pa.Table.from_pylist(found["layers"])
