"""Queries, documents and judgements: as BEIR, TREC and tables keep them."""
