"""The form of one run: name, corpus, encoder and recipe; everything else under Advanced."""

import streamlit as st

from embedlab.augmentations.fit import ENCODER as USUAL_ENCODER
from embedlab.augmentations.fit import ProposedRecipe, proposed_recipe
from embedlab.config import validated
from embedlab.corpora.base import Corpus
from embedlab.corpora.sets.stored import GivenPairs, list_sets
from embedlab.corpora.stored.shelf import list_corpora
from embedlab.counting import estimated_tokens
from embedlab.encoder_catalog.adapter import AdapterConfig
from embedlab.encoder_catalog.catalog import ENCODERS, longest_of, width_of
from embedlab.encoder_catalog.names import has_vectors, is_token_layer, pooling_name
from embedlab.jobs.cost_estimate import CostEstimate, expected
from embedlab.limits import LIMITS
from embedlab.numbers import count, counted, duration, in_bytes
from embedlab.prompts import Prompts, PromptSettings
from embedlab.training.best_recipes import best_recipes
from embedlab.training.recipe import Recipe
from embedlab.training.recipes import RECIPES, recipe_of
from embedlab.training.settings import Estimate, RunSettings, completed, usual_rate
from embedlab.training.titles import length_in_words, run_title, schedule_line
from embedlab.training.view_length import evenly_spread, proposed_length
from embedlab.ui.components import train_fields
from embedlab.ui.components.form import NOTHING, Filled, config_form
from embedlab.ui.components.own_files import chosen_pairs
from embedlab.ui.frame.background import device as best_device
from embedlab.ui.frame.layout import errors_shown, escaped, kept_place
from embedlab.ui.frame.navigation import go_to
from embedlab.ui.frame.page import form_button
from embedlab.ui.frame.pickers import corpus_picker
from embedlab.ui.frame.progress import start_once
from embedlab.ui.frame.state import NEW_VIEW, TRAIN_VIEW, named, opened, optional_of, pick_run
from embedlab.ui.train.recipe_cards import ALL, best_cards, recipe_card, recipe_cards, show_pairs, unfit_reasons

_UNTRAINED = (  # where nothing trains
    "seed", "max_length", "pooling", "dimensions", "vocabulary_size", "embedding_precision", "maps", "inside",
)  # fmt: skip


EXPLAINED = (
    "Each text is cut into two views, the anchor and the positive. The encoder learns to place the two close "
    "together and away from all other texts in the batch. Training never sees labels; they score, by kNN "
    "accuracy, how close together texts of one class are, and decide when to stop. The form proposes the recipe "
    "that suits the corpus and the encoder; every other recipe can be chosen, and those that do not fit say why.",
    "Crops paper, section 3.2; InfoNCE is its equation 1.",
)


def new_run() -> None:
    """Draws the form, its start button, and a preview of the training pairs."""
    with st.container(horizontal=True):
        fingerprint = corpus_picker("train.corpus", width=290)
        if fingerprint is None:
            return  # another tab deleted the last one: the next rerun says so
        corpus = opened(fingerprint)
        encoder = train_fields.encoder_choice(fingerprint, width=450)
        name = st.text_input("Name", key=train_fields.NAME, placeholder="Name shown in the run list", width=190)
    train_fields.say_unknown_encoder()
    if st.session_state.get(train_fields.IN_PLACE) == fingerprint:
        st.warning(escaped(f"The corpus of that run was deleted; the form has {corpus.name} in its place.", 200))
    st.caption(escaped(train_fields.encoder_line(encoder), 300))
    recipe, unfit = _recipe_choice(encoder, corpus)
    called = {"corpus": corpus.fingerprint, "encoder": encoder, "recipe": recipe.key}
    start = completed(called)
    key = train_fields.settings_key(recipe.key, encoder)
    press = st.container(horizontal=True, vertical_alignment="center")
    outlook, card = kept_place("outlook"), kept_place("card")  # above the settings that decide what they show
    pairs = chosen_pairs() if recipe.trains_on_pairs else None
    with st.expander("Advanced"):
        titles = list(_groups(recipe, encoder))
        groups = dict(zip(titles, st.tabs(titles), strict=True))
        automatic = _automatic(recipe, encoder, corpus)
        settings = _settings_form(recipe, encoder, groups, key=key, start=start, automatic=automatic)
        with groups["Encoder"]:
            device = _device()
            train_fields.update_encoder(encoder)
        with groups[PROMPTS]:
            parts = {"prompts": _prompts_form(encoder, start["prompts"], key=f"{key}.prompts")}
        judge = target = None
        if recipe.objective is not None:
            with groups["Measuring"], st.container(horizontal=True):
                judge, target = _judge(), _target(corpus)
        if ADAPTER in groups:
            with groups[ADAPTER]:
                parts["adapter"] = _adapter_form(key=f"{key}.adapter")
        with groups.get(PAIRS_AND_LOSS, st.container()):
            for name_of_part in ("objective", "augmentation"):
                parts[name_of_part] = _part_form(recipe, name_of_part, start[name_of_part], key=f"{key}.{name_of_part}")
        copied = st.container()
    wrong = (*settings.wrong, *(field for filled in parts.values() for field in filled.wrong))
    views, sides = (start[each] | parts[each].values for each in ("augmentation", "objective"))
    with card:
        recipe_card(recipe, views, sides)
    usable = None
    if recipe.augmentation is not None:
        longest = settings.values.get("training_length") or settings.values.get("max_length")
        usable = show_pairs(pairs or corpus, recipe.augmentation, views, longest=longest)
    requested: dict[str, object] = {**called, "device": device}
    requested |= ({"pairs": pairs.fingerprint} if pairs is not None else {}) | settings.changed
    if judge is not None:
        requested = {name: value for name, value in requested.items() if name != "judged_by"} | {"judge": judge}
    requested |= {"target": target} if target is not None else {}
    requested |= {part: filled.changed for part, filled in parts.items() if filled.changed}
    request = None
    if wrong:
        st.error(escaped(f"Under Advanced, {' and '.join(wrong)} must be corrected before training can start.", 300))
    else:
        with errors_shown():
            request = validated(RunSettings, requested)
    blocked = recipe.key in unfit or not encoder or request is None or (usable is not None and usable < 2)
    label = "Start fine-tuning" if recipe.augmentation is not None else "Embed and measure"
    with press:
        is_pressed = form_button(label, key="train.start", disabled=blocked)
    with copied:
        if encoder and request is not None:
            train_fields.copy_settings(requested, key="train", name=name.strip()[:80])
    if is_pressed and request is not None and not blocked:
        pick_run(start_once(request, name=name.strip()[:80], is_own_name=True))
        go_to("result")
    may_time = recipe.augmentation is not None and not blocked and train_fields.is_here(encoder)
    estimate = expected(request.stored) if request is not None else None
    if request is not None and recipe.augmentation is not None:
        with press:
            _length(request, estimate)
    with outlook:
        show_expectation(request, estimate, may_time=may_time)
        if request is not None and (line := schedule_line(request.stored, recipe)):
            st.caption(escaped(line, 300))


def _recipe_choice(encoder: str, corpus: Corpus) -> tuple[Recipe, dict[str, str]]:
    """Draw the best recipes and all; returns the chosen one, and why others do not fit."""
    shares = corpus.info.two_views
    proposed = proposed_recipe(shares, encoder)
    recipe, has = _chosen_recipe(proposed), offered(encoder, corpus, chosen_pairs())
    unfit = unfit_reasons(has)
    best_cards(best_recipes(shares, has, proposed.recipe), recipe, shares)
    if proposed.reason:
        title = RECIPES[proposed.recipe].title
        st.caption(escaped(f"Proposed for these texts: {title}. {proposed.reason}", 300))
    with st.expander(ALL):
        recipe_cards(recipe, unfit)
    return recipe, unfit


def _length(request: RunSettings, estimate: CostEstimate | None) -> None:
    """Show epochs, steps and time beside the button that starts them."""
    seconds, steps = (None, None) if estimate is None else (estimate.seconds, estimate.steps)
    st.markdown(f"**{length_in_words(request.stored, steps=steps, seconds=seconds)}**", width="content")


FEW_TEXTS = 20  # of fewer, hardly two may give a training pair


def quick_start(corpus: Corpus) -> None:
    """One button on another page: starts the run that the form proposes, or opens the form where that is unusual."""
    explained = f"{ENCODERS[USUAL_ENCODER].title}, with the recipe that suits these texts. Train has all choices."
    if not st.button("Start fine-tuning", key="train.quick", type="primary", help=explained):
        return
    st.session_state[TRAIN_VIEW] = NEW_VIEW
    proposed = proposed_recipe(corpus.info.two_views, USUAL_ENCODER)
    if proposed.reason or len(corpus.kept) < FEW_TEXTS:
        go_to("train")
    pick_run(start_once(RunSettings(corpus=corpus.fingerprint, encoder=USUAL_ENCODER, recipe=proposed.recipe)))
    go_to("result")


_GROUPS = {  # under Advanced; the settings of augmentation and objective are a group of their own
    "Length": ("schedule", "epochs", "max_steps", "batch_size", "micro_batch", "training_length", "train_on",
               "train_texts", "seed"),
    "Optimizer": ("learning_rate", "optimiser", "warmup", "decay", "weight_decay", "gradient_clipping"),
    "Encoder": ("pooling", "max_length", "dimensions", "vocabulary_size", "frozen_layers", "bidirectional",
                "matryoshka", "precision", "embedding_precision"),
    "Measuring": ("judged_by", "early_stopping", "evaluate_every", "live_texts", "live_map", "live_map_texts", "maps",
                  "inside", "checkpoint_every"),
}  # fmt: skip
PAIRS_AND_LOSS, ADAPTER, PROMPTS = "Pairs and loss", "Adapter", "Prompts"


def _groups(recipe: Recipe, encoder: str) -> dict[str, list[str]]:
    """Fields under Advanced by group; if nothing trains, only those that measuring needs."""
    if recipe.objective is None:
        untrained = {title: [name for name in names if name in _UNTRAINED] for title, names in _GROUPS.items()}
        return {title: names for title, names in untrained.items() if names} | {PROMPTS: []}
    adapter: dict[str, list[str]] = {} if is_token_layer(encoder) else {ADAPTER: []}  # which belongs to layers
    return {title: list(names) for title, names in _GROUPS.items()} | {PROMPTS: []} | adapter | {PAIRS_AND_LOSS: []}


def _settings_form(
    recipe: Recipe, encoder: str, places: dict, *, key: str, start: dict, automatic: dict[str, str]
) -> Filled:
    """The run's own settings, each group in its place."""
    schema, filled = RunSettings.model_json_schema(), NOTHING
    for title, names in _groups(recipe, encoder).items():
        with places[title]:
            filled |= config_form(schema, key=key, values=start, only=names, columns=3, automatic=automatic)
    if filled.values.get("schedule") == "fitted" and "epochs" in filled.changed:
        filled.values["schedule"] = "epochs"  # who says how long it trains is followed
    return filled


def _automatic(recipe: Recipe, encoder: str, corpus: Corpus) -> dict[str, str]:
    """Values that automatic settings take, as far as recipe, encoder, corpus and device determine them."""
    values = {}
    if (width := width_of(encoder)) is not None:
        rate = usual_rate(recipe, width=width, is_token=is_token_layer(encoder), is_words=has_vectors(encoder))
        values["learning_rate"] = f"{rate:g}"
    if encoder in ENCODERS:
        values["pooling"] = pooling_name(recipe.pooling or ENCODERS[encoder].pooling)
    if (length := _proposed_length(corpus, corpus.fingerprint, longest_of(encoder))) is not None:
        values["training_length"] = f"about {length:,}"
    if (device := best_device()) is not None:
        values["precision"] = "bf16" if device.supports_bf16 else "fp32"
    return values


@st.cache_resource(max_entries=8, show_spinner=False)
def _proposed_length(_corpus: Corpus, fingerprint: str, longest: int | None) -> int | None:
    """By estimated tokens; a run counts those of its encoder."""
    if longest is None or longest <= LIMITS.short_context:
        return None
    return proposed_length([estimated_tokens(text) for text in evenly_spread(_corpus.texts.at(_corpus.kept))], longest)


def _chosen_recipe(proposed: ProposedRecipe) -> Recipe:
    """The chosen recipe, or the one proposed for the corpus."""
    state = st.session_state
    if not state.get(train_fields.CHOSEN_BY_HAND) and state.get(train_fields.RECIPE) != proposed.recipe:
        train_fields.choose_recipe(recipe_of(proposed.recipe), is_proposal=True)
    return recipe_of(state[train_fields.RECIPE])


def offered(encoder: str, corpus: Corpus, pairs: GivenPairs | None = None) -> set[str]:
    """Capabilities of encoder, corpus and given pairs that recipes may need."""
    return train_fields.provided(encoder) | corpus.offers | (frozenset() if pairs is None else pairs.offers)


def _judge() -> str | None:
    """A stored evaluation set measured before, during and after training; None for none."""
    stored = {info.fingerprint: info.name for info in list_sets()}
    return optional_of(
        "Evaluation set besides kNN accuracy", stored, key=train_fields.JUDGE, width=330,
        help="Measured before, during and after training, such as Spearman's correlation on STS pairs. Add one on "
        "the page Data. It then also selects the best step.",
    )  # fmt: skip


def _target(corpus: Corpus) -> str | None:
    """Another stored corpus with classes, measured during training; asked only if there is one."""
    others = {each.fingerprint: each.name for each in list_corpora()
              if each.has_knn and each.fingerprint != corpus.fingerprint}  # fmt: skip
    if not others:
        return None
    return optional_of(
        "Corpus of a later phase", others, key=train_fields.TARGET, width=330,
        help="Its kNN accuracy is drawn while this run trains: how much of what it needs is already learned here.",
    )  # fmt: skip


def _device() -> str:
    best, names = best_device(), {"auto": "automatic", "cpu": "CPU"}
    if best is not None:
        names = {"auto": f"automatic ({best.line})", best.name: best.line} | {"cpu": "CPU"}
    return st.selectbox("Device", key=train_fields.DEVICE, persist_state="session", width=330, **named(names))


def _part_form(recipe: Recipe, name: str, start: dict, *, key: str) -> Filled:
    """The settings of the recipe's ``objective`` or ``augmentation``."""
    part = recipe.objective_part if name == "objective" else recipe.augmentation_part
    if part is None or not part.config_class.model_fields:
        return NOTHING
    st.caption(escaped(f"{part.title}: {part.sentence} ({part.paper})", 300))
    return config_form(part.config_class.model_json_schema(), key=key, values=start, columns=3)


def _adapter_form(*, key: str) -> Filled:
    """What is set of the adapter, nothing where none trains."""
    st.caption("Train small matrices added to frozen weights (LoRA): gradients and optimizer take a fraction of the "
               "memory. The automatic learning rate is ten times as high.")  # fmt: skip
    schema, start = AdapterConfig.model_json_schema(), AdapterConfig().model_dump()
    kind = config_form(schema, key=key, values=start, only=("kind",), columns=3)
    if kind.values["kind"] == "none":
        return NOTHING
    return kind | config_form(schema, key=key, values=start, only=[each for each in start if each != "kind"], columns=3)


def _prompts_form(encoder: str, start: dict, *, key: str) -> Filled:
    """What else is put before texts by their role; empty fields show the encoder's own where it is in the catalog."""
    prompts = Prompts(by_name=ENCODERS[encoder].prompts if encoder in ENCODERS else {})
    automatic: dict[str, str] = {role: repr(prompt) for role, prompt in prompts.used.items()}
    st.caption("Put before a text by what it is for, and read by the encoder with it. Empty keeps the encoder's own.")
    return config_form(PromptSettings.model_json_schema(), key=key, values=start, columns=3, automatic=automatic)


def show_expectation(request: RunSettings | None, estimate: CostEstimate | None, *, may_time: bool) -> None:
    """Shows the cost estimate from an earlier run like this one; without one, starts a timing."""
    to_time = Estimate(**request.stored) if request is not None and may_time and estimate is None else None
    train_fields.time_by_itself(to_time)
    if request is not None and (remark := request.remark_on_encoder) is not None:
        st.caption(escaped(remark.message, 600))
    if request is not None and estimate is not None:
        st.caption(_expected_line(estimate, may_end_early=request.schedule == "fitted"))
        if estimate.out_of_reach:
            st.warning(f"{estimate.out_of_reach}.")


def _expected_line(estimate: CostEstimate, *, may_end_early: bool) -> str:
    took = f"{'Up to' if may_end_early else 'About'} {duration(estimate.seconds)} to the verdict"
    memory = f", up to {in_bytes(estimate.peak_bytes)} of memory" if estimate.peak_bytes else ""
    memory += f" and {in_bytes(estimate.device_peak_bytes)} of the GPU's" if estimate.device_peak_bytes else ""
    line = f"{took}{memory}, {in_bytes(estimate.disk_bytes)} on the disk"
    if (timing := estimate.timing) is None:
        return f"{line}, like “{escaped(run_title(estimate.by))}” with these settings on this computer."
    seconds = timing.seconds_per_step
    step = f"{seconds:.2f} s" if seconds >= 0.1 else f"{1000 * seconds:.0f} ms"
    steps = f"{counted(timing.steps, 'step')} of {step}"
    if timing.training_length is not None:
        steps += f", {count(timing.training_length)} tokens a view"
    return f"{line}: {steps} on {count(timing.usable_texts)} usable texts, timed on this computer."
