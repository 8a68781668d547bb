"""The classes that people chose in an annotation tool: exports of Label Studio, Prodigy, Doccano and spaCy."""

from typing import Any

_ANSWERS = ("accept", "reject", "ignore")  # of Prodigy


def chosen_classes(record: dict[str, Any]) -> list[str] | None:
    """The classes that people chose for a record, each once; None where it is no such export or names its label."""
    if record.get("answer") in _ANSWERS and ("accept" in record or {"_input_hash", "label"} <= record.keys()):
        options = record.get("accept", [record.get("label")])
        chosen = options if record["answer"] == "accept" and isinstance(options, list) else []
    elif isinstance(record.get("cats"), dict) and "label" not in record:  # of spaCy
        chosen = [label for label, share in record["cats"].items() if isinstance(share, int | float) and share >= 0.5]
    elif isinstance(record.get("annotations"), list) and "label" not in record:
        chosen = [label for annotation in record["annotations"] for label in _annotated(annotation)]
    else:
        return None
    return list(dict.fromkeys(str(label) for label in chosen if label is not None))


def _annotated(annotation: object) -> list[Any]:
    """The classes of one annotation of a whole text; none of a span in it."""
    if not isinstance(annotation, dict) or "start_offset" in annotation:
        return []
    results = annotation.get("result", [])
    values = [each.get("value") for each in results if isinstance(each, dict)] if isinstance(results, list) else []
    choices = [value["choices"] for value in values if isinstance(value, dict) and "choices" in value]
    return [label for labels in choices if isinstance(labels, list) for label in labels] or [annotation.get("label")]
