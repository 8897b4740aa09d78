"""Text: LaTeX made readable, tokens, and what a text is about.

text --readable (LaTeX)--> what is shown
text --tokens--> Token with stem and position --> stem_terms: what ranking weighs
profile text --profile_topics--> the topics that the reader wrote
phrases --topical_phrases--> the phrases of a paper that name topics
corpus texts --> Spellings: how words are usually capitalised
"""
