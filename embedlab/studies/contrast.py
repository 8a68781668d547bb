"""The crops paper's hyperparameters: Figures S2 and 5a."""

from embedlab.studies.base import StudyKind

_PAPER = "crops paper, A.1 and Figure"
CONTRAST = [
    StudyKind(
        key="temperature",
        title="Temperature",
        sentence="How sharply a text is told from the others of its batch. The paper: accuracy falls as it rises, "
        "0.005 and 0.05 are alike.",
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
        sentence="Longer crops leave fewer texts that give two of them, so steps and usable texts fall beside it. "
        "The paper, which also made its batches smaller: two are best.",
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
        sentence="A share of each crop's tokens becomes [MASK]. The paper: masking takes away from crops.",
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
        sentence="Accuracy rises with the rate until training diverges: in the paper from 0.0005 on, and 0.5 is best "
        "for a token layer.",
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
        sentence="How the vectors of a text's tokens become one. The paper: the mean and [SEP] are best.",
        paper=f"{_PAPER} S2a",
        setting="pooling",
        values=("mean", "cls", "last", "token-7"),
        axis="pooling",
        word="pooling",
        scale="category",
        needs_layers=True,
        untouched_is_one=False,
    ),
    StudyKind(
        key="frozen-layers",
        title="Frozen layers",
        sentence="The embedding block and so many lower layers stay as they are. The paper: two free layers of twelve "
        "come close to all.",
        paper="crops paper, section 5 and Figure 5a",
        setting="frozen_layers",
        values=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
        axis="frozen layers, beside the embedding block",
        word="frozen layers",
        scale="linear",
        needs_layers=True,
    ),
]
