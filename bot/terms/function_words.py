"""English function words: they name no topic, and each ends a phrase."""

FUNCTION_WORDS = frozenset(
    """
    a about above after again against all almost along already also although always am among an and another
    any are around as at be became because become becomes been before behind being below between both but by
    can cannot could did do does doing done down due during each either else enough even ever every few
    first for from further had has have having he hence her here him his how however i if in indeed into is
    it its itself just last least less like made make makes many may me might more moreover most much must
    my namely near neither never nevertheless next no nor not nothing now of off offs often on once one only onto
    or other others otherwise our ours out over own per perhaps quite rather really same second seem seems
    several shall she should since so some still such than that the their theirs them then there thereby
    therefore these they this those though three through throughout thus to together too toward towards two
    under until up upon us use used uses using very via was we well were what when where whereas whether
    which while who whom whose why will with within without would yet you your
    """.split()
)
