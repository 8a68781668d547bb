"""The only place, with pages/, that imports Streamlit."""
