"""What happened, on disk; imports neither torch nor Streamlit."""
