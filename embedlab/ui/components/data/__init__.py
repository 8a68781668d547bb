"""Forms that choose or add stored data, shared by several places."""
