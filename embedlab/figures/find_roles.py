"""What a candidate's curve can be in the picture of a Find; who draws it and who makes its rows name it by these."""

LEADS, GOING, PRUNED, FAILED, UNTOUCHED = "leads", "going", "pruned", "failed", "untouched"
ROLES = (PRUNED, FAILED, UNTOUCHED, GOING, LEADS)  # as they lie on each other, the last one on top
