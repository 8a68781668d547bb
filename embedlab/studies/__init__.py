"""Studies: one setting swept over values and seeds, each point an ordinary run."""

from embedlab.registry import Registry
from embedlab.studies.kinds import BLOCKS, CONTRAST, OWN, RECONSTRUCTION, SIZES, TRANSFER, StudyKind

STUDIES: Registry[StudyKind] = Registry("study", [*CONTRAST, *RECONSTRUCTION, *BLOCKS, *SIZES, *TRANSFER, *OWN])
