"""TSDAE's configuration: noise kind, deletion rate, pooling (Tables 5 to 7)."""

from embedlab.studies.base import StudyKind

RECONSTRUCTION = [
    StudyKind(
        key="noise",
        title="Kind of noise",
        sentence="What is done to three words in ten before the text is rebuilt. The paper: deleting is best.",
        paper="TSDAE, appendix A and Table 5",
        setting="augmentation.noise",
        values=("delete", "swap", "mask", "replace", "add"),
        axis="kind of noise",
        word="noise",
        scale="category",
        recipe="tsdae",
        settings={"pooling": "cls", "augmentation": {"deletion_rate": 0.3}},
        needs_layers=True,
    ),
    StudyKind(
        key="deletion-rate",
        title="Deletion rate",
        sentence="The share of words that are deleted before the text is rebuilt. The paper: 0.6 is best.",
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
        sentence="Which one vector the decoder gets. The paper: [CLS], mean and maximum differ little.",
        paper="TSDAE, appendix A and Table 7",
        setting="pooling",
        values=("cls", "mean", "max"),
        axis="pooling",
        word="pooling",
        scale="category",
        recipe="tsdae",
        needs_layers=True,
        untouched_is_one=False,
    ),
]
