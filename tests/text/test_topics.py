"""A reader's text taken apart into what is wanted, refused and left unread; vocabulary, abbreviations and spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.text.tokens import Spellings, is_general, names_topic, phrases, stem, tokens, topical_phrases, topical_terms
from bot.text.topics import expanded, read_interests


def wanted(text):
    return [topic.text for topic in read_interests(text).wanted]


def refused(text):
    return [topic.text for topic in read_interests(text).refused]


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("Papers about LLM agents, please", ["LLM agents"]),
        ("How can models help with financial markets?", ["models", "financial markets"]),
        ("What's new in RLHF and reward modeling?", ["RLHF", "reward modeling"]),
        ("RL for language models: verifiable rewards", ["RL", "language models", "verifiable rewards"]),
        ("databases\nquery optimization\nlearned indexes", ["databases", "query optimization", "learned indexes"]),
        (
            "Interested in theories of portfolio management or limit\norder books",
            ["theories", "portfolio management", "limit order books"],
        ),
        ("How do language models hallucinate?", ["language models", "hallucinate"]),
        ("gene expression & chromatin accessibility", ["gene expression", "chromatin accessibility"]),
        ("optimization, robustness", ["optimization", "robustness"]),
        ("AI", ["AI"]),
        ("position papers on policy", ["position papers", "policy"]),
        ("reinforcement learning from human feedback", ["reinforcement learning from human feedback"]),
        ("graphs https://example.org/reward-models", ["graphs"]),
        ("My thesis is about how deer change woods; on the side, mosses", ["deer change woods", "mosses"]),
        ("In my spare time bats. I'm a PhD student, as a hobby I read about mosses", ["bats", "mosses"]),
        ("Our lab studies sleep, my day job is soil chemistry", ["sleep", "soil chemistry"]),
        (
            "side effects, job markets, lab automation, sides",
            ["side effects", "job markets", "lab automation", "sides"],
        ),
        ("sequential and generative recommendation", ["sequential recommendation", "generative recommendation"]),
        ("robotic, and graph learning", ["robotic", "graph learning"]),
        ("", []),
        ("??", []),
    ],
)
def test_a_text_names_topics_without_requests(text, topics):
    assert (wanted(text), refused(text)) == (topics, [])


# "{}" is what is refused.
REFUSALS = """
not {} | no {} | No {}, please | never {} | I never read about {} | I don't care about {} | I don’t care for {}
I do not want {} | I won't read {} | I'm not interested in {} | less interested in {} | not {}, thanks
avoid {} | please avoid {} | we avoid {} | skip {} | please skip {} | ignore {} | exclude {} | hide {} | spare me {}
tired of {} | I'm tired of {} | sick and tired of {} | bored by {} | fed up with {} | enough of {}
less {} | less of {} | fewer {} | please show me less {} | I hate {} | I dislike {} | I can do without {}
anything but {} | nothing about {} | nothing to do with {} | unless {} | rather not {} | I'd rather not see {}
please don't show me {} | do not send me {} | uninterested in {} | excluding {} | except {}
{} isn't for me | {} aren't for me | {} are not for me | {} don't interest me | {} does not interest me | {} bore me
{} are out of scope | {}: no thanks | {} leaves me cold | {} are boring | {} are not my thing | {} isn't relevant
steer clear of {} | stay away from {} | keep me away from {} | away with {} | nothing with {} | none of {}
never mind {}
not so much {} | not really {} | not keen on {} | I'm not into {} | I'm not a fan of {} | I'm not looking for {}
no more {}
I couldn't care less about {} | I could care less about {} | don't bother me with {} | I don't care about {} at all
I have no use for {} | no need for {} | I have little interest in {} | zero interest in {} | I've lost interest in {}
I am done with {} | I'm through with {} | I've seen enough of {} | weary of {} | allergic to {} | indifferent to {}
barring {}
too much {} lately | I see too many papers on {} | as few {} as possible | enough {} already | I can live without {}
I loathe {} | I can't stand {} | I rarely read {} | I tend to skip {} | feel free to skip {} | you can leave out {}
block {}
stop sending me {} | forget {} | forget about {} | filter out {} | deprioritize {} | minus {} | with the exception of {}
leave {} out | keep {} out of my list | please leave {} aside | I find {} boring | {} can be skipped
{} can be left out
{} excluded | {} aside | {} not wanted | {}: no | {}: not interested | {}? No thanks | {}? No, thank you
{} need not apply
{} is not my field | {} isn't my cup of tea | {} is of no interest | {} holds no interest | {} are of no interest to me
{} doesn't do anything for me | {} don't matter to me | {} I can do without | {} is outside my area
""".replace("\n", "|").split("|")


@pytest.mark.parametrize("wording", [wording.strip() for wording in REFUSALS if wording.strip()])
def test_a_refusal_in_any_usual_wording_refuses_what_it_names(wording):
    alone = wording.format("robot grasping")
    assert (wanted(alone), refused(alone)) == ([], ["robot grasping"])
    for beside in (f"Protein folding. {alone}.", f"{alone}; protein folding", f"{alone}\n\nprotein folding"):
        assert ([topic.lower() for topic in wanted(beside)], refused(beside)) == (
            ["protein folding"],
            ["robot grasping"],
        )


@pytest.mark.parametrize(
    ("text", "likes", "dislikes"),
    [
        ("graphs without proofs", ["graphs"], ["proofs"]),
        ("everything on graphs except knowledge graphs", ["graphs"], ["knowledge graphs"]),
        ("theory rather than robots", ["theory"], ["robots"]),
        ("owls instead of robots", ["owls"], ["robots"]),
        ("owls, as opposed to robots", ["owls"], ["robots"]),
        ("graph learning but not knowledge graphs", ["graph learning"], ["knowledge graphs"]),
        ("agents, not robots, and planning", ["agents", "planning"], ["robots"]),
        ("agents (not robots) and planning", ["agents", "planning"], ["robots"]),
        ("agents - no robots - and planning", ["agents", "planning"], ["robots"]),
        ("No robots, drones or cars", [], ["robots", "drones", "cars"]),
        ("planning, but no robots, drones, nor cars", ["planning"], ["robots", "drones", "cars"]),
        ("not robots and drones", [], ["robots", "drones"]),
        ("I don't read about robots, but graphs are welcome", ["graphs"], ["robots"]),
        ("Not robots, though drones", ["drones"], ["robots"]),
        ("I like proofs, robots aren't for me", ["proofs"], ["robots"]),
        ("Owls. Robots aren't for me, nor are drones", ["Owls"], ["Robots", "drones"]),
        ("I hate surveys, love graphs", ["graphs"], ["surveys"]),
        ("Ignore robots, read graphs", ["graphs"], ["robots"]),
        ("Does anyone use robots, and does nobody plan?", ["robots", "plan"], []),
        ("Apart from robots, anything on planning", ["planning"], ["robots"]),
        ("No technical methods", [], ["technical"]),
        ("no methods", [], ["methods"]),
        ("robots; no robots", ["robots"], []),
        ("No robots except drones", ["drones"], ["robots"]),
        ("Planning. No robots, unless drones, and proofs", ["Planning", "drones", "proofs"], ["robots"]),
        ("No robots; owls except drones", ["owls"], ["robots", "drones"]),
        ("planning, but don't care about robots", ["planning"], ["robots"]),
        ("Planning, and I couldn't care less about robots", ["Planning"], ["robots"]),
        ("I can't get enough of owls. No robots", ["owls"], ["robots"]),
    ],
)
def test_a_refusal_ends_where_the_text_turns(text, likes, dislikes):
    assert (wanted(text), refused(text)) == (likes, dislikes)


NO_REFUSALS = """
not only proofs but also Lean | not just proofs | not necessarily proofs | data that can't be shared | how not to fail
models that do not generalise | why agents do not plan | what not to log | agents and when not to trust them
which agents fail, and whether or not they recover | no matter which robots | no doubt robots | notation for nouns
I can't get enough of robots | I can't do without robots | I never tire of robots | I'm not tired of robots
never skip robots
don't leave out robots | don't forget robots | I don't want to miss robots | I'd hate to miss robots
no longer only robots
I don't mind robots | I have nothing against robots | nothing but robots | nothing beats robots
no papers except robots
not least robots | last but not least, robots | robots and nothing else | robots without exception
I do not hate robots
not enough robots lately | I don't get enough robots | no objection to robots | no paper on robots should be missed
learning without supervision | control without a model | missing not at random | non-convex optimization
no-regret learning
never-ending learning | not-for-profit hospitals | less-studied languages | fewer than ten samples
no free lunch theorems
I build agents that get work done with tools
"""


@pytest.mark.parametrize("text", [text.strip() for text in NO_REFUSALS.split("|")])
def test_what_is_no_refusal_refuses_nothing(text):
    assert refused(text) == []
    assert wanted(text) or "not to" in text


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("I work on reward hacking.", ("I work on",)),
        ("I work on reward hacking. How do models help reasoning?", ("I work on", "help")),
        ("Everything on graphs, please; not robots", ("Everything on", "please")),
        ("reward hacking; robots", ()),
        ("No robots", ()),
        ("the of, and", ()),
        ("What happens?", ("What happens",)),
    ],
)
def test_what_is_read_as_neither_is_said_as_it_was_written(text, unread):
    assert read_interests(text).unread == unread


WORDS = (
    "not no don't never avoid without except but and or , . ; : ( ) - “ ’ I we robots graph learning owls proofs "
    "sequential generative RL LLMs isn't for me only rather than models \\textbf{ https://x.org"
)
TEXTS = st.text(max_size=200) | st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=30).map(" ".join)


@given(TEXTS)
def test_any_text_is_read_and_every_topics_words_and_what_is_unread_come_from_it(text):
    interests = read_interests(text)
    squeezed = " ".join(text.split())
    for topic in (*interests.wanted, *interests.refused):
        assert topic.stems
        assert all(word in text.replace("’", "'") for word in topic.text.replace("’", "'").split())
        assert {*expanded(token.stem for token in tokens(topic.text))} <= {*expanded(t.stem for t in tokens(text))}
    assert all(part in squeezed for part in interests.unread)
    assert len({topic.stems for topic in interests.wanted}) == len(interests.wanted)
    assert len({(topic.segment, topic.stems) for topic in interests.refused}) == len(interests.refused)


DISTINCT = "owls robots proofs graphs tokamaks proteins galaxies violins".split()
GLUE = "not | , no | without | but | and | or | ; | . | I don't want | except | isn't for me, | for ".split("|")


@given(st.permutations(DISTINCT), st.lists(st.sampled_from(GLUE), min_size=8, max_size=8))
def test_no_word_is_both_wanted_and_refused(words, glue):
    text = "".join(f" {word} {between} " for word, between in zip(words, glue, strict=True))
    interests = read_interests(text)
    likes = [stem for topic in interests.wanted for stem in topic.stems]
    dislikes = [stem for topic in interests.refused for stem in topic.stems]
    assert sorted(likes + dislikes) == sorted(map(stem, words))


def test_a_topic_is_named_once_whatever_its_variant():
    assert wanted("Reward models, reward modeling, RL, reinforcement learning") == ["Reward models", "RL"]


def test_a_topic_has_the_terms_that_ranking_weighs():
    (topic,) = read_interests("LLM agents").wanted
    assert topic.stems == ("larg", "languag", "model", "agent")
    assert topic.terms == (*topic.stems, "larg languag", "languag model", "model agent")


@pytest.mark.parametrize(
    "word", "strong performance show task propose component help work turn acquire enabling model approach".split()
)
def test_general_academic_vocabulary_names_no_topic(word):
    assert is_general(stem(word))
    assert not names_topic([stem(word)])


@pytest.mark.parametrize("word", "robot reward genome protein retrieval privacy hallucination speech graph".split())
def test_topical_words_name_topics(word):
    assert names_topic([stem(word)])


@pytest.mark.parametrize(
    ("text", "topical"),
    [
        ("We show strong performance on robot manipulation", ["robot manipulation"]),
        ("a novel process reward model", ["process reward model"]),
        ("patterns in electronic health record data", ["electronic health record data"]),
        ("Large language models achieve significant improvements", ["Large language models"]),
        ("time series and test-time compute of the components", ["time series", "test-time compute"]),
    ],
)
def test_phrases_of_a_paper_are_whole_and_topical(text, topical):
    assert [text[run[0].start : run[-1].end] for run in topical_phrases(phrases(text))] == topical


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("LLMs", "large language models"),
        ("RL", "reinforcement learning"),
        ("VLA models", "vision-language-action models"),
    ],
)
def test_abbreviations_match_what_they_stand_for(short, long):
    assert expanded(token.stem for token in tokens(short)) == tuple(token.stem for token in tokens(long))


def test_a_phrase_is_recognised_by_its_bigrams_and_topical_words():
    assert topical_terms("reward models") == ("reward", "reward model")
    assert topical_terms("language models") == ("languag model",)
    assert topical_terms("show") == ("show",)


@pytest.mark.parametrize(
    ("abstract", "title", "usual"),
    [
        ("by LoRA and Bayesian hacking", "Hacking Lora, bayesian PRMs", "hacking LoRA, Bayesian PRMs"),
        ("a low Euclidean one", "Low-Bitrate Non-Euclidean GPT-Neo", "low-bitrate Non-Euclidean GPT-Neo"),
        # A word of a title alone that can be no name has no capital.
        ("we see", "Credit Assignment, Curiosity and Kalman", "Credit assignment, curiosity and Kalman"),
        ("We train S models", "children's speech", "children's speech"),
        ("images of WISE are layer-wise", "layer-wise", "layer-wise"),
        (
            "the learner is fast",
            "Bradley-Terry Learner, Takagi-Sugeno-Kang",
            "Bradley-Terry learner, Takagi-Sugeno-Kang",
        ),
    ],
)
def test_words_are_spelled_as_in_running_text(abstract, title, usual):
    learned = Spellings.learn([abstract])
    assert learned.usual(title) == Spellings(learned.text).usual(title) == usual


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", "no |no x but |x, no x, |owls aren't for me |how do |and |a\n|(A|x (AB) |I'm |,  |as long as a ".split("|")
)
def test_hostile_texts_are_read_in_time_that_grows_with_their_length(part):
    text = part * (100_000 // len(part))
    read_interests(text)
    Spellings.learn([text]).usual(text)
    topical_phrases(phrases(text))


def test_a_topic_behind_and_or_or_alone_is_an_alternative():
    text = "Owls and lamps in towns or, at night, in woods, and rivers. Seas and the lakes"
    topics = read_interests(text).wanted
    assert [topic.text for topic in topics if topic.is_alternative] == ["lamps"]
