"""What columns are usually called, by the role they play; the best name first."""

TEXT_NAMES = "text texts abstract body content document sentence description review comment post message".split()
LABEL_NAMES = "label labels class category topic target label_text subject field genre intent section".split()
SURE_LABEL_NAMES = ("label", "labels", "class", "category", "target")
TITLE_NAMES = "title titles headline heading".split()
SUMMARY_NAMES = "tldr motivation method result conclusion".split()
ANCHOR_NAMES = ["anchor", "sentence1", "query", "question", "question1", "text1", "premise", "sentence_a", "sent0",
                "#1 string", "sentence", "text"]  # fmt: skip
POSITIVE_NAMES = ["positive", "sentence2", "document", "answer", "question2", "text2", "hypothesis", "sentence_b",
                  "sent1", "#2 string", "entailment", "paraphrase", "passage", "doc"]  # fmt: skip
NEGATIVE_NAMES = "negative negatives hard_neg hard_negative contradiction".split()
SCORE_NAMES = ["score", "similarity", "similarity_score", "relatedness_score", "relatedness", "gold_score",
               "is_duplicate", "is_paraphrase", "duplicate", "quality", "gold_label", "label", "entailment_label",
               "entailment_judgment", "nli_label", "entailment"]  # fmt: skip
QUERY_NAMES = ["query", "question"]
QUERY_ID_NAMES = ["query-id", "query_id", "qid", "queryid", "topic_id"]
DOCUMENT_ID_NAMES = ["corpus-id", "corpus_id", "doc_ids", "doc_id", "docid", "docno", "document_id", "doc-id", "pid"]
GRADE_NAMES = ["gain", "grades", "grade", "score", "relevance", "rel", "label"]
ID_NAMES = "id _id doc_id docid text_id uuid".split()
SPLIT_COLUMNS = ("split", "fold", "set", "partition")
ROW_NAMES = "row name"  # of a first column that its header leaves out, as R writes them
NEVER_LABELS = [*"id _id split fold lang language date year source url file path".split(), ROW_NAMES]
KNOWN_NAMES = frozenset(  # that tell a row of names
    [*TEXT_NAMES, *LABEL_NAMES, *TITLE_NAMES, *SUMMARY_NAMES, *ANCHOR_NAMES, *POSITIVE_NAMES, *NEGATIVE_NAMES,
     *SCORE_NAMES, "id", "summaries", "year", "date"]
)  # fmt: skip
