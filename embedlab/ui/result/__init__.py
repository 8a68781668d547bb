"""What a run found: on Home and Fine-tune."""
