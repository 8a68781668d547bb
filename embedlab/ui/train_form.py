"""What a run is told: corpus, encoder, recipe and a few numbers; everything else under Advanced."""

import streamlit as st

from embedlab.corpora.base import Corpus
from embedlab.ui.form import changed, config_form
from embedlab.ui.opened import opened
from embedlab.ui.pairs import show_pairs
from embedlab.ui.pickers import corpus_picker
from embedlab.ui.state import pick_run, start_once
from embedlab.ui.text import count, escaped

RECIPE, ENCODER, VIEW, RUN_VIEW, NEW_VIEW = "train.recipe", "train.encoder", "train.view", "This run", "New run"
VISIBLE = ("epochs", "batch_size")
_ELSEWHERE = ("corpus", "encoder", "recipe", "device", "augmentation", "objective", *VISIBLE)
_TUNING = ("objective", "learning_rate", "warmup")  # nothing of this where nothing is trained


def new_run(parts: dict) -> None:
    """The form, the pairs, and the start button."""
    schema = parts["settings"]
    row = st.container(horizontal=True)
    with row.container(width=250):
        corpus = opened(corpus_picker("train.corpus"))
    with row.container(width=250):
        encoder = _encoder(parts)
    recipe = next(each for each in parts["recipes"] if each["key"] == _recipe_key(parts))
    key, start = f"train.{recipe['key']}", {**_defaults(schema), **recipe["settings"]}
    settings = {}
    for name in VISIBLE:
        with row.container(width=110):
            settings |= config_form(schema, key=key, values=start, only=[name])
    with row.container(width=165):
        device = _device(parts)
    st.caption(escaped(encoder_line(parts, encoder), 300))
    unfit = _recipes(parts, recipe["key"], offered(parts, encoder, corpus))
    augmentation = _card(parts["augmentations"], recipe["augmentation"])
    objective = _card(parts["objectives"], recipe["objective"])
    left, right = st.columns(2)
    with left, st.expander("Advanced"):
        settings |= config_form(schema, key=key, values=start, only=_advanced(schema, recipe), columns=2)
        objective_settings = _part_form(objective, recipe, "objective", key=key)
        name = st.text_input("Name of the run", key="train.name", placeholder="said in the list of runs")
    with right, st.expander("How the pairs are cut" if augmentation is not None else "No pairs: nothing is trained"):
        augmentation_settings = _part_form(augmentation, recipe, "augmentation", key=key)
    row = st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute")
    usable = None
    if augmentation is not None:
        begun = recipe["settings"].get("augmentation", {})
        usable = show_pairs(corpus, augmentation["key"], {**begun, **augmentation_settings}, beside=row)
    asked = {"corpus": corpus.fingerprint, "encoder": encoder, "recipe": recipe["key"], "device": device}
    asked |= changed(settings, start)
    asked |= {"augmentation": augmentation_settings} if augmentation_settings else {}
    asked |= {"objective": objective_settings} if objective_settings else {}
    blocked = recipe["key"] in unfit or not encoder or (usable is not None and usable < 2)
    label = "Start fine-tuning" if augmentation is not None else "Embed and measure"
    begin = {"on_click": start_run, "args": (asked, name.strip())}
    row.button(label, key="train.start", type="primary", disabled=blocked, **begin)


def start_run(asked: dict, name: str) -> None:
    """Start it and look at it; for a button's callback."""
    pick_run(start_once("train", asked, name=name[:80]))
    st.session_state[VIEW] = RUN_VIEW


def offered(parts: dict, encoder: str, corpus: Corpus) -> set[str]:
    """What encoder and corpus bring; an encoder that is not in the catalog is a BERT."""
    card = _encoders(parts).get(encoder)
    provides = set(card["provides"]) if card else set() if encoder.startswith("token:") else {"context", "dropout"}
    columns = {"labels": corpus.labels, "title": corpus.titles, "summaries": corpus.summaries}
    return provides | {name for name, values in columns.items() if values is not None}


def unfit_reason(parts: dict, recipe: dict, has: set[str]) -> str | None:
    """Why this recipe cannot be used here, or None."""
    missing = [need for need in recipe["needs"] if need not in has]
    return f"Does not fit: {parts['unfit_reasons'][missing[0]]}." if missing else None


def encoder_line(parts: dict, encoder: str) -> str:
    """What is known of an encoder, in one line."""
    card = _encoders(parts).get(encoder)
    if card is None:
        return f"{encoder}: safetensors of a BERT-like encoder; from the hub it is downloaded first."
    size = f"{count(card['layers'])} layers, {count(card['dim'])} dimensions, {card['pooling']} pooling"
    fetched = (
        ""
        if card["is_here"]
        else f"downloaded first ({card['download_bytes'] / 1e6:.0f} MB)"
        if card["download_bytes"]
        else "downloaded first"
    )
    known = [
        card["title"],
        size,
        card["note"],
        fetched,
        f"licence {card['licence']}" if card["licence"] else "",
    ]
    return " · ".join(each for each in known if each)


def _encoder(parts: dict) -> str:
    cards = _encoders(parts)
    chosen = st.selectbox(
        "Encoder",
        list(cards),
        key=ENCODER,
        format_func=lambda key: cards[key]["title"] if key in cards else key,
        accept_new_options=True,
        persist_state="session",
        help="From the list; or type hf:owner/name, a folder, run:ID to go on from a run, or token:ENCODER.",
    )
    return (chosen or "").strip()


def _recipe_key(parts: dict) -> str:
    return st.session_state.setdefault(RECIPE, parts["recipes"][0]["key"])


def _recipes(parts: dict, chosen: str, has: set[str]) -> set[str]:
    """One card a recipe; those that do not fit are greyed and say why. The keys of the unfit ones."""
    unfit = set()
    row = st.container(horizontal=True)
    for recipe in parts["recipes"]:
        reason = unfit_reason(parts, recipe, has)
        unfit |= {recipe["key"]} if reason else set()
        with row.container(border=True, height="stretch", width=225):
            st.button(
                recipe["title"],
                key=f"train.recipe-{recipe['key']}",
                type="primary" if recipe["key"] == chosen else "secondary",
                width="stretch",
                disabled=reason is not None,
                on_click=_choose_recipe,
                args=(recipe["key"],),
                help=f"{recipe['when']} ({recipe['paper']})",
            )
            st.caption(escaped(reason or recipe["sentence"], 300))
    return unfit


def _choose_recipe(key: str) -> None:
    st.session_state[RECIPE] = key


def _device(parts: dict) -> str:
    best = parts["device"]
    names = {
        "auto": f"automatic ({best['line']})",
        "cpu": "CPU",
        best["name"]: "CPU" if best["name"] == "cpu" else best["line"],
    }
    return st.selectbox("Device", list(names), format_func=names.get, key="train.device", persist_state="session")


def _advanced(schema: dict, recipe: dict) -> list[str]:
    names = [name for name in schema["properties"] if name not in _ELSEWHERE]
    return names if recipe["objective"] else [name for name in names if name not in _TUNING]


def _part_form(card: dict | None, recipe: dict, part: str, *, key: str) -> dict:
    """The settings of an objective or augmentation that differ from where they started."""
    if card is None or not card["schema"].get("properties"):
        return {}
    start = {**_defaults(card["schema"]), **recipe["settings"].get(part, {})}
    if part == "objective":
        st.caption(escaped(f"{card['title']}: {card['sentence']} ({card['paper']})", 300))
    else:
        st.caption(escaped(f"{card['sentence']} ({card['paper']})", 300))
    return changed(config_form(card["schema"], key=f"{key}.{part}", values=start, columns=2), start)


def _defaults(schema: dict) -> dict:
    return {name: each.get("default") for name, each in schema.get("properties", {}).items()}


def _card(cards: list[dict], key: str | None) -> dict | None:
    return next((card for card in cards if card["key"] == key), None)


def _encoders(parts: dict) -> dict[str, dict]:
    return {card["key"]: card for card in parts["encoders"]}
