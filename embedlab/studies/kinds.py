"""The kinds of study: the papers' figures on one setting (crops, TSDAE, UNSEE), corpus sizes, and any other setting."""

from dataclasses import dataclass, field, replace
from typing import Literal

Scale = Literal["log", "linear", "category"]
FirstPhase = Literal["", "corpus", "series", "value"]


@dataclass(frozen=True)
class StudyKind:
    """One figure or table of a paper as a menu entry.

    ``setting`` is a path as ``--set`` takes it, empty where it is asked for; ``values`` are the paper's,
    ``token_values`` those for an encoder without layers; ``word`` names a value in a run's name. ``recipe`` is what the
    paper trains and ``settings`` what it sets besides. ``limit`` caps the values at what the corpus holds.
    ``first_phase``: what is trained before the run that is measured, which is of ``second_recipe``: the ``corpus`` or
    ``value`` that is swept, or the recipe of the ``series``. ``swept_recipe``: the values sweep this recipe, and the
    study's own is a horizontal line. ``series`` is a second path, with a line for each of ``series_values``.
    """

    key: str
    title: str
    sentence: str
    paper: str
    setting: str = ""
    values: tuple = ()
    axis: str = ""
    word: str = ""
    scale: Scale | None = None  # of numbers; None: by the values
    recipe: str = "crops"
    settings: dict = field(default_factory=dict)
    token_values: tuple = ()
    limit: Literal["", "texts", "labelled"] = ""
    needs_layers: bool = False
    first_phase: FirstPhase = ""
    second_recipe: str = ""
    swept_recipe: str = ""
    series: str = ""
    series_values: tuple = ()
    series_word: str = ""  # before one of these values, in the name of a line
    names_best: bool = True
    untouched_is_one: bool = True  # whether all values start from the same untouched encoder, read alike

    @property
    def needs_series(self) -> bool:
        """Whether it makes no sense without series: training first, or reading what was trained."""
        return self.first_phase in ("series", "value")

    @property
    def is_own(self) -> bool:
        """Whether the user chooses the setting."""
        return not self.setting


DIRECTLY = "none"  # the value without a first phase
MATCH_MARGIN = 0.02  # of kNN accuracy: so much may be lost and it is still a match
MATCH_MEANS = f"not more than {100 * MATCH_MARGIN:g} points below, at 95 %"
_CORPUS_SIZE = StudyKind(
    key="corpus-size",
    title="Corpus size",
    sentence="Training sees this many texts, drawn by the seed; all are measured. A vocabulary made here uses all "
    "texts. In the paper, with ten epochs, little is gained beyond 10,000.",
    paper="TSDAE, section 7.1, Figures 3 and 6",
    setting="train_texts",
    values=tuple(2**power for power in range(7, 17)),
    axis="texts trained on",
    word="texts",
    scale="log",
    limit="texts",
    names_best=False,
)
_PAPER = "crops paper, A.1 and Figure"

KINDS = [
    StudyKind(
        key="temperature",
        title="Temperature",
        sentence="How sharply a text is separated from the others in its batch. In the paper, accuracy falls as it "
        "rises; 0.005 and 0.05 are about equal.",
        paper=f"{_PAPER} S2a",
        setting="objective.temperature",
        values=(0.005, 0.05, 0.5, 5.0),
        axis="temperature τ",
        word="temperature",
        scale="log",
    ),
    StudyKind(
        key="sentences",
        title="Sentences per crop",
        sentence="Longer crops leave fewer texts that yield two of them, so steps and usable texts fall too. In the "
        "paper, which also used smaller batches, two are best.",
        paper=f"{_PAPER} S2b",
        setting="augmentation.sentences",
        values=(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
        axis="sentences per crop t",
        word="sentences",
        scale="linear",
    ),
    StudyKind(
        key="masking",
        title="Masked share",
        sentence="A share of each crop's tokens becomes [MASK]. In the paper, masking makes crops worse.",
        paper=f"{_PAPER} S2c",
        setting="augmentation.masking_rate",
        values=(0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8),
        axis="masked share of the tokens",
        word="masked share",
        scale="linear",
        recipe="crops-masking",
    ),
    StudyKind(
        key="learning-rate",
        title="Learning rate",
        sentence="Accuracy rises with the rate until training diverges: in the paper from 0.0005 on; 0.5 is best for "
        "a token layer.",
        paper=f"{_PAPER} S2d",
        setting="learning_rate",
        values=(1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3),
        token_values=(0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0),
        axis="learning rate η",
        word="learning rate",
        scale="log",
    ),
    StudyKind(
        key="crop-pooling",
        title="Pooling of crops",
        sentence="How the vectors of a text's tokens become one. In the paper, the mean and [SEP] are best.",
        paper=f"{_PAPER} S2a",
        setting="pooling",
        values=("mean", "cls", "last", "token-7"),
        axis="pooling",
        word="pooling",
        needs_layers=True,
        untouched_is_one=False,
    ),
    StudyKind(
        key="readout",
        title="Pooling for training and reading",
        sentence="Trained with one pooling, then read with each, without training again: a heat map of both. In the "
        "paper's notebooks, training and reading with the mean is best at a temperature of 0.05, level with the 7th "
        "token.",
        paper="crops paper, section 5 and Figure S2a",
        setting="pooling",
        values=("mean", "cls", "last"),
        axis="pooling trained with",
        word="pooling",
        needs_layers=True,
        first_phase="value",
        second_recipe="untouched",
        series="pooling",
        series_values=("mean", "cls", "last"),
        series_word="read with",
        names_best=False,
        untouched_is_one=False,
    ),
    StudyKind(
        key="frozen-layers",
        title="Frozen layers",
        sentence="The embedding block and this many lower layers stay unchanged. In the paper, two free layers of "
        "twelve come close to all.",
        paper="crops paper, section 5 and Figure 5a",
        setting="frozen_layers",
        values=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
        axis="frozen layers, in addition to the embedding block",
        word="frozen layers",
        scale="linear",
        needs_layers=True,
    ),
    StudyKind(
        key="prompts",
        title="Prompts",
        sentence="The texts of the corpus read with no prompt, with the encoder's for documents, and with that for "
        "queries, in training and measuring alike. Other names of its prompts can be added as values.",
        paper="not a figure of the papers",
        setting="prompts.texts",
        values=("none", "document", "query"),
        axis="prompt before each text",
        word="prompt",
        needs_layers=True,
        untouched_is_one=False,
    ),
    StudyKind(
        key="noise",
        title="Kind of noise",
        sentence="What is done to three words in ten before the text is rebuilt. In the paper, deleting is best.",
        paper="TSDAE, appendix A and Table 5",
        setting="augmentation.noise",
        values=("delete", "swap", "mask", "replace", "add"),
        axis="kind of noise",
        word="noise",
        recipe="tsdae",
        settings={"pooling": "cls", "augmentation": {"deletion_rate": 0.3}},
        needs_layers=True,
    ),
    StudyKind(
        key="deletion-rate",
        title="Deletion rate",
        sentence="The share of words that are deleted before the text is rebuilt. In the paper, 0.6 is best.",
        paper="TSDAE, appendix A and Table 6",
        setting="augmentation.deletion_rate",
        values=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
        axis="deletion rate",
        word="deletion rate",
        scale="linear",
        recipe="tsdae",
        settings={"pooling": "cls"},
        needs_layers=True,
    ),
    StudyKind(
        key="pooling",
        title="Pooling of TSDAE",
        sentence="Which single vector the decoder gets. In the paper, [CLS], mean and maximum differ little.",
        paper="TSDAE, appendix A and Table 7",
        setting="pooling",
        values=("cls", "mean", "max"),
        axis="pooling",
        word="pooling",
        recipe="tsdae",
        needs_layers=True,
        untouched_is_one=False,
    ),
    StudyKind(
        key="encoders",
        title="Encoder to start from",
        sentence="The same recipe from several encoders, with the sd over seeds and the final loss; in the paper a "
        "lower loss does not mean a better encoder. The encoder chosen above is not used.",
        paper="TSDAE, appendix B and Tables 4 and 9",
        setting="encoder",
        values=("scratch:bert-mini", "mini"),
        axis="encoder",
        word="encoder",
        recipe="tsdae",
        untouched_is_one=False,
    ),
    StudyKind(
        key="blocks",
        title="Blocks of the projector",
        sentence="Each objective without negatives, with one to four blocks above the encoder, as lines or a heat "
        "map. The paper plots Spearman on STSBenchmark over its steps; here it is the result on this corpus.",
        paper="UNSEE, Figures 2 to 5",
        setting="objective.blocks",
        values=(1, 2, 3, 4),
        axis="blocks of the projector, three linear layers each",
        word="blocks",
        scale="linear",
        recipe="vicreg",
        needs_layers=True,
        series="recipe",
        series_values=("barlow-twins", "vicreg", "corinfomax", "byol"),
    ),
    _CORPUS_SIZE,
    replace(
        _CORPUS_SIZE,
        key="methods-by-size",
        title="Corpus size, methods overlaid",
        sentence="The same for several recipes, one line each: how few texts are enough for which method. In the "
        "paper, TSDAE is often ahead with as few as 1,000 texts.",
        series="recipe",
        series_values=("crops", "sentences"),
    ),
    StudyKind(
        key="labels-after",
        title="Labels after pre-training",
        sentence="Each recipe first trains on all texts without labels; then the supervised reference continues for "
        "ten epochs on this many labeled texts; none is the untrained encoder. In the paper, TSDAE and MLM help most.",
        paper="TSDAE, section 7 and Figures 2 and 5",
        setting="train_texts",
        values=tuple(2**power for power in range(5, 14)),
        axis="labeled texts trained on after pre-training",
        word="labels",
        scale="log",
        settings={"epochs": 10, "max_steps": 20_000},
        limit="labelled",
        first_phase="series",
        second_recipe="supervised",
        series="recipe",
        series_values=(DIRECTLY, "crops"),
        names_best=False,
        untouched_is_one=False,
    ),
    StudyKind(
        key="labels-needed",
        title="Labels needed to match",
        sentence="The supervised reference trains ten epochs on this many labeled texts; the recipe without labels is "
        f"the horizontal line. The answer is the smallest number that matches it: {MATCH_MEANS}.",
        paper="TSDAE, appendix D and Table 10",
        setting="train_texts",
        values=tuple(2**power for power in range(5, 14)),
        axis="labeled texts trained on",
        word="labels",
        scale="log",
        settings={"epochs": 10, "max_steps": 20_000},
        limit="labelled",
        swept_recipe="supervised",
        names_best=False,
    ),
    StudyKind(
        key="domain-transfer",
        title="Two-phase domain transfer",
        sentence="One run on another corpus, with at most as many texts, then a second on this one with a new "
        "optimizer and warmup; both are measured here. In the paper, most of the gain comes from any abstracts.",
        paper="crops paper, section 4.1 and Figure 4",
        setting="first_phase",
        axis="corpus of the first phase",
        word="first phase",
        first_phase="corpus",
        names_best=False,
        untouched_is_one=False,
    ),
    StudyKind(
        key="own",
        title="A setting of your own",
        sentence="Any number or choice of a run by its path, such as batch_size or augmentation.min_characters.",
        paper="not a figure of the papers",
    ),
]
