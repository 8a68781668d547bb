"""The five prompts of SemCSE (A.2), and how title, text and prompt are joined."""

PROMPTS = (
    "To summarize, the key findings of our research, stated in one sentence that includes all relevant information, "
    "are that",
    "In summary, our research is concerned with",
    "In summary, a comprehensive and detailed conclusive statement would be that",
    "A comprehensive summary for our work would be that",
    "The main takeaway from our work is that",
)


def joined(text: str, title: str = "", prompt: str = "") -> str:
    """Title, text and prompt with one blank between them, as the authors join a prompt to what it continues."""
    return " ".join(part for part in (title.strip(), text.strip(), prompt) if part)
