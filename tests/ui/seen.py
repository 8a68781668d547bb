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


CONTROLS = set(
    "button download_button button_group selectbox multiselect text_input text_area number_input checkbox toggle radio "
    "slider select_slider file_uploader".split()
)


def controls(block) -> list[str]:
    """The controls that are seen on a page without opening anything.

    A popover is one, a folded expander none; neither are buttons that look like text: the lines of a list, as the rows
    of a table, and its way back.
    """
    if block.type == "expander" and not block.proto.expanded:
        return []
    if block.type == "button" and block.proto.type == "tertiary":
        return []
    if block.type == "popover":
        return ["popover"]
    own = [getattr(block, "label", block.type)] if block.type in CONTROLS else []
    return own + [each for child in getattr(block, "children", {}).values() for each in controls(child)]
