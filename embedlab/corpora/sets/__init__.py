"""Texts with what people judged of them, from files of any layout: sets to evaluate on, pairs to train on."""
