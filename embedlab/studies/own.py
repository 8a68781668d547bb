"""Any other setting, by its path."""

from embedlab.studies.base import StudyKind

OWN = [
    StudyKind(
        key="own",
        title="A setting of your own",
        sentence="Any number or choice of a run by its path, as batch_size or augmentation.min_characters.",
        paper="no figure of the papers",
        setting="",
        values=(),
        axis="",
        word="",
    ),
]
