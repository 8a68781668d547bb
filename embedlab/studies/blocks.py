"""UNSEE's projector: how many blocks it has, for each of the objectives without negatives (Figures 2 to 5)."""

from embedlab.studies.base import StudyKind

BLOCKS = [
    StudyKind(
        key="blocks",
        title="Blocks of the projector",
        sentence="Each objective without negatives with one to four blocks above the encoder, as lines or a heat map. "
        "The paper draws Spearman on STSBenchmark over its steps; here it is the result on this corpus.",
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
]
