"""What stands on a page that a test has opened."""

import json

from streamlit.testing.v1 import AppTest


def sent(at: AppTest) -> list[dict]:
    """What every component on the page was given."""
    return [json.loads(each.proto.json) for each in at.get("bidi_component")]


def drawn(at: AppTest) -> list[dict]:
    """Every plotly figure on the page."""
    return [each["figure"] for each in sent(at) if "figure" in each]


def maps(at: AppTest) -> list[str]:
    """What was sent for every map on the page."""
    sent = [str(part.proto) for part in at.get("bidi_component")]
    return [part for part in sent if "names_on_map" in part]


def words(at: AppTest) -> str:
    """Everything that is said on the page, in one string."""
    kinds = (at.title, at.subheader, at.markdown, at.caption, at.info, at.warning, at.error)
    said = [element.value for kind in kinds for element in kind]
    said += [f"{metric.label} {metric.value}" for metric in at.metric]
    return "\n".join([*said, *(button.label for button in at.button)]).replace("\\", "")
