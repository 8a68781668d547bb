"""The paper's five prompts, and the one blank between what is joined."""

from embedlab.summaries.base import PROMPTS, joined


def test_the_prompts_are_those_of_the_papers_appendix():
    assert PROMPTS == (
        "To summarize, the key findings of our research, stated in one sentence that includes all relevant "
        "information, are that",
        "In summary, our research is concerned with",
        "In summary, a comprehensive and detailed conclusive statement would be that",
        "A comprehensive summary for our work would be that",
        "The main takeaway from our work is that",
    )


def test_title_text_and_prompt_are_joined_by_one_blank():
    assert joined(" An abstract.\n", "A title ", PROMPTS[4]) == f"A title An abstract. {PROMPTS[4]}"
    assert joined("An abstract.", "", PROMPTS[1]) == f"An abstract. {PROMPTS[1]}"
    assert joined("An abstract.", "A title") == "A title An abstract."
