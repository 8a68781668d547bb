"""Two phases: first another corpus, then one's own (crops paper, Figure 4)."""

from embedlab.studies.base import StudyKind

DIRECTLY = "none"  # the value without a first phase

TRANSFER = [
    StudyKind(
        key="domain-transfer",
        title="Two-phase domain transfer",
        sentence="One run on another corpus, with as many texts at most, then a second on this one with a new "
        "optimiser and warmup; both are measured here. The paper: most of the gain comes from any abstracts.",
        paper="crops paper, section 4.1 and Figure 4",
        setting="first_phase",
        values=(),
        axis="corpus of the first phase",
        word="first phase",
        scale="category",
        first_phase="corpus",
        names_best=False,
        untouched_is_one=False,
    ),
]
