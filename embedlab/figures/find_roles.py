"""The roles that a candidate's curve can have in the picture of a Find, shared by what draws it and what makes its
rows.
"""

LEADS, GOING, PRUNED, FAILED, UNTOUCHED = "leads", "going", "pruned", "failed", "untouched"
ROLES = (PRUNED, FAILED, UNTOUCHED, GOING, LEADS)  # as they lie on each other, the last one on top
