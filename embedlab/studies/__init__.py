"""Studies: one setting swept over values and seeds, each point an ordinary run."""

from embedlab.registry import Registry
from embedlab.studies.kinds import KINDS, StudyKind

STUDIES: Registry[StudyKind] = Registry("study", KINDS)
