"""Openers that refer to the sentence before, and head words that can be left out.

"This paradigm fails" says little without the paradigm; "Moreover, we show that ..." is complete without its first word,
and "To address these challenges, we propose ..." without its first phrase. A summary takes the first with what it
refers to, or not at all, and leaves the head of the others out where the sentence before is not shown.
"""

from __future__ import annotations

import re

# Words that only link a sentence to the one before: the rest is complete, and means the same.
_HEAD = re.compile(
    r"(?:Finally|Specifically|Moreover|Furthermore|Additionally|In addition|Besides|Also|Notably|Importantly|"
    r"In particular|More importantly|More specifically|Concretely|However|Nevertheless|Nonetheless|"
    r"Therefore|Thus|Hence|"
    r"Consequently|Accordingly|Subsequently|Then|Next|Further|First|Firstly|Second|Secondly|Third|Thirdly|Lastly|"
    r"Meanwhile|Interestingly|"
    r"Last|Surprisingly|Remarkably|Crucially|Overall|In summary|In conclusion|To conclude|In short|Conversely|"
    r"On the other hand|In contrast|By contrast|Beyond that|As a result|Last but not least|Significantly|"
    r"Particularly|Here|In response|At the same time|To this end|To that end|To do so|To achieve this|For example|"
    r"For instance)"
    r",\s+(?=\S)"
)
# The paper speaks of itself: refers to nothing before.
_OWN = (
    r"(?!\s+(?:\w+\s+)?(?:paper|work|study|article|report|survey|review|thesis|research|letter|chapter|"
    r"tutorial|note|"
    r"dissertation|manuscript|position paper|project|contribution|systematic review|technical report)\b)"
)
_EXPLETIVE = (
    r"(?!\s+(?:is|was|has been|remains|becomes|can be|seems|appears)\s+(?:\w+ly\s+|also\s+|often\s+|"
    r"still\s+|not\s+)*"
    r"(?:challenging|difficult|hard|important|crucial|essential|critical|possible|impossible|necessary|"
    r"well[- ]known|known|"
    r"shown|unclear|clear|desirable|common|natural|likely|vital|widely|believed|expensive|costly|imperative|"
    r"tempting)\b)"
)
_REFERS = re.compile(
    rf"(?:(?:This|These|Those)\b{_OWN}|It\b{_EXPLETIVE}|(?:Its|Such(?! as)|They|Their|Them|Both|Doing so|Instead|"
    r"That is|Similarly|Likewise|Otherwise|In doing so|By doing so|"
    r"In this way|In turn|The former|The latter|Among them|Of these|Rather|Unlike these|"
    r"Even so|If so|Either way|The other|(?:One|Another|The (?:first|second|third|last)) is|Yet|But|And|So|Or)"
    r"\b(?! far))"
)
# The same within an introductory phrase: "To address these challenges, we", "Based on this, we".
_REFERS_EARLY = re.compile(
    rf"(?:To|Based on|Different from|Compared (?:to|with)|Building on|Building upon|Using|With|By|Through|From|In|On|"
    rf"For|Under|Due to|Motivated by|Inspired by|"
    r"Given|Despite|Among|As|Beyond|Within|Across|Towards?|Driven by|Combining|Leveraging|Considering|Recognizing|"
    r"Following|Upon|After|Because of|At|Of|Like|Unlike|Since|While|When|If|Although|Though|Even though|"
    r"Even if|Addressing|"
    rf"Overcoming)\b[^,.;]{{0,50}}?\b(?:the (?:above|aforementioned)\b|"
    rf"(?:this|these|those(?! of| that| who| with)|such(?! as))\b{_OWN}|"
    rf"doing so\b|them\b|they\b|it(?=,))|"
    # "To demonstrate its effectiveness, we".
    rf"To (?:\w+ly )?[a-z]+ (?:its|their)\b|"
    # The same behind any introductory phrase: "To facilitate adoption, this framework".
    rf"(?:To|By|With|Through|In|On|For|Using|While|When|Although|Despite|Unlike)\b[^,.;]{{0,120}},(?:[^.;]{{0,80}},)?\s+"
    rf"(?:this|these|such(?! as))\b{_OWN}"
)
# The same further inside, where the problem or the means is only pointed at: "a framework that addresses these
# challenges", "to evaluate these applications", "we propose that they".
_REFERS_INSIDE = re.compile(
    r"\b(?:address|tackl|overcom|mitigat|resolv|solv|alleviat|bridg|fill|evaluat|explor|quantif|handl|reduc)\w*\s+"
    r"(?:both\s+)?(?:these|this|those(?! of| that| who| with)|such(?! as))\s+(?:\w+\s+)?"
    r"(?:challenges?|issues?|problems?|limitations?|gaps?|difficult(?:y|ies)|needs?|drawbacks?|shortcomings?|concerns?|"
    r"questions?|applications?|vulnerabilities|weaknesses|bottlenecks?|obstacles?|constraints?|tensions?)\b|"
    r"^we (?:\w+ly )?(?:propose|argue|show|find) that they\b|\bthis assumption\b",
    re.IGNORECASE,
)

# What may follow such a phrase for it to be left out: a complete clause.
_CLAUSE = re.compile(
    r"[^,.;:]{0,60},\s+(?=(?:we|I|our|the|an?|(?:in )?this (?:paper|work|study|article|survey|report|review|"
    r"thesis))[\s,]|"
    r"[A-Z][\w-]*[A-Z0-9])|[^,.;:]{0,60}\s(?=we\s)"
)


def without_head(sentence: str) -> str:
    """Return the sentence without the head that only links it to the one before.

    What remains is a part of the sentence, and a complete clause.


    >>> without_head("Moreover, we show that it gains 3%.")
    'we show that it gains 3%.'
    >>> without_head("To address these challenges, we propose WeedNet.")
    'we propose WeedNet.'
    """
    rest = sentence
    while True:
        opener = rest[:1].upper() + rest[1:]
        head = _HEAD.match(opener)
        if not head and (phrase := _REFERS_EARLY.match(opener)):
            head = _CLAUSE.match(opener, phrase.end())
        if not head:
            return rest
        rest = rest[head.end() :]


def refers_back(sentence: str) -> bool:
    """Return whether a sentence can't be understood without the one before it, head words aside.

    >>> refers_back("However, this fails.")
    True
    >>> refers_back("However, we fail.")
    False
    >>> refers_back("In this paper, we fail.")
    False
    >>> refers_back("We introduce WeedNet, a network that addresses these challenges.")
    True
    """
    rest = without_head(sentence)
    rest = rest[:1].upper() + rest[1:]
    return any(match(rest) for match in (_REFERS.match, _REFERS_EARLY.match, _REFERS_INSIDE.search))
