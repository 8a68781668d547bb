"""The page Fine-tune."""
