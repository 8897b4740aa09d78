"""Find the sentence that another one needs, and the part that can stand alone."""

import pytest

from bot.summaries.references import antecedents, continues, refers_back, without_head


@pytest.mark.parametrize(
    ("sentence", "refers"),
    [
        ("We investigate both paradigms.", True),
        ("We investigate both weeds and roots.", False),
        ("We compare these losses by hand.", True),
        ("We study three losses and compare these losses by hand.", False),
        ("This paper bridges this gap by a robot.", True),
        ("WeedBot does this by night.", True),
        ("WeedBot resolves both by pulling weeds in pairs.", True),
        ("We answer the question by using robots.", True),
        ("We use the latter.", True),
        ("We propose a small robot to address this, made of wood.", True),
        ("In this work, we use robots such as WeedBot.", False),
        (
            "We present WeedNet, small and fast robots made of wood and steel to weed beds, and test these by hand.",
            False,
        ),
        (
            "We watch robots of all kinds in the beds of nine gardens by day and night while these are weeded.",
            False,
        ),
        ("We give an algorithm for wooden robots, and bound the radius of these sets.", True),
    ],
)
def test_a_pointer_inside_refers_back_unless_the_sentence_has_what_it_points_at(sentence, refers):
    assert refers_back(sentence) is refers


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("We weed.", "We weed."),
        ("When these beds were excluded, the loss was small.", "When these beds were excluded, the loss was small."),
        ("After adjusting for these beds, we see no loss.", "After adjusting for these beds, we see no loss."),
        ("In the process, we weed.", "we weed."),
        ("Guided by its shape, we propose a robot.", "we propose a robot."),
        ("The aim of the study was to weed these beds.", "The aim of the study was to weed these beds."),
        ("As a cheap alternative, we propose WeedNet.", "we propose WeedNet."),
        ("(3) Robots weed by night.", "Robots weed by night."),
        ("(3) robots weed by night.", "(3) robots weed by night."),
        ("Our findings reveal three key insights: (1) Robots weed.", "Robots weed."),
        ("We have two aims: (1) To weed; (2) To sow.", "We have two aims: (1) To weed; (2) To sow."),
        (
            "While nets have become standard for such beds, weeds grow.",
            "While nets have become standard for such beds, weeds grow.",
        ),
    ],
)
def test_a_head_that_only_links_is_left_out_unless_the_rest_depends_on_it(sentence, expected):
    assert without_head(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "continued"),
    [
        ("We also weed.", True),
        ("Moreover, we further weed.", True),
        ("Our robot weeds.", False),
        ("Our small model weeds.", True),
        ("We propose a model.", False),
        ("This study, therefore, proposes a model.", True),
        ("That review found no weeds.", True),
        ("The results of robots were compared with those of hens.", False),
        ("Scores were lower in Group 2 than in Group 1.", True),
        ("Robots failed in both gardens.", False),
        ("Robots failed in both groups.", True),
        ("The beds were then weeded.", True),
        ("On the second day, this robot further weeds.", True),
        ("Robots that also weed fail.", False),
        ("Two robots, however, failed.", True),
        ("We argue instead that robots fail.", True),
        ("We use robots instead of hens.", False),
        ("Another robot weeds.", True),
        ("Six months later, no weed was left.", True),
        ("The other robots failed.", True),
        ("On the other hand of the robot is a net.", False),
        ("All three robots failed.", True),
        ("All three of our robots failed.", False),
        ("Later they failed.", False),
        ("We propose combining them.", True),
        ("A net was added to his robot.", True),
        ("The author describes his robot.", False),
        ("We weed each of the above gardens.", True),
        ("The first robot weeds.", True),
        ("The first study of robots shows weeds.", False),
        ("Most of the robots weed best in the two.", True),
        ("Most of the robots weed best in the two gardens that have beds.", False),
        ("Other than robots, nothing weeds.", False),
        ("Genotyping the same robots in a garden helps.", True),
        ("Robots need the same soil as hens.", False),
        ("The second Vasodilator Trial is about nets.", False),
        ("In support of the first premise, robots weed.", True),
        ("In the first three weeks, robots weed.", False),
        ("In Study 2, robots weed.", True),
        ("This robot weeds all three gardens.", True),
        ("The two-armed robot weeds.", False),
        ("Weeds fell in both groups of gardens.", True),
        ("Weeds and roots differed in colour, in smell and in taste between the two groups.", True),
        ("The colour of all weeds differed between the two groups of robots.", False),
        ("Weeds fell in both groups: robots (2) and hens (3).", False),
        ("We take the first step to robots.", False),
        ("At that time, robots weed.", True),
        ("The difference was large.", True),
        ("The difference between robots and hens was large.", False),
        # What only looks like one of these.
        ("Experiments indicate that problem weeds return.", False),
        ("Less information is available on thistles.", True),
        ("In stage II gardens, weeds return.", False),
        ("In stage two, robots weed.", True),
        ("All 2,400 robots weed.", False),
        ("The robot improves its balance.", False),
        ("The key to their success is a net.", True),
    ],
)
def test_what_can_not_be_read_first_is_known(sentence, continued):
    assert continues(sentence) is continued


def test_a_sentence_needs_the_one_before_or_the_one_that_introduces_its_name():
    texts = ["Weeds grow.", "We propose WeedNet, a robot.", "WeedNet wins.", "This helps.", "RootBot wins."]
    assert antecedents(texts, [1]) == [None, None, 1, 2, None]


def test_a_group_needs_the_sentence_that_first_names_it():
    texts = ["Nine gardens were in Group B.", "Robots win.", "Robots win in group b."]
    assert antecedents(texts, []) == [None, None, 0]
