"""All runs: their table, and what distinguishes the chosen ones."""
