"""What columns are usually called, by the role they play; the best name first."""

TEXT_NAMES = "text texts abstract body content document sentence description review comment post message".split()
LABEL_NAMES = "label labels class category topic target label_text subject field genre intent section".split()
SURE_LABEL_NAMES = ("label", "labels", "class", "category", "target")
TITLE_NAMES = "title titles headline heading".split()
SUMMARY_NAMES = "tldr motivation method result conclusion".split()
ANCHOR_NAMES = "anchor sentence1 query question text1 premise sentence_a sent0 sentence text".split()
POSITIVE_NAMES = "positive sentence2 document answer text2 hypothesis sentence_b sent1 paraphrase passage doc".split()
NEGATIVE_NAMES = "negative negatives hard_neg hard_negative".split()
SCORE_NAMES = "score similarity similarity_score relatedness_score label".split()
ID_NAMES = "id _id doc_id docid text_id uuid".split()
SPLIT_COLUMNS = ("split", "fold", "set", "partition")
ROW_NAMES = "row name"  # of a first column that its header leaves out, as R writes them
NEVER_LABELS = [*"id _id split fold lang language date year source url file path".split(), ROW_NAMES]
