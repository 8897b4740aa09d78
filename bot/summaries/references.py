"""Find how sentences depend on earlier ones, and the part of a sentence that you can read alone.

"This paradigm fails" needs the sentence before, "WeedNet wins" the one that introduces WeedNet. "Moreover, we show" is
complete without its first word, and "We also show" after any other sentence.

Every pattern takes linear time, as in ``claims``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# Words that only link a sentence to the one before. The rest is complete.
_HEAD = re.compile(
    r"(?:Finally|Specifically|Moreover|Furthermore|Additionally|In addition|Besides|Also|Notably|Importantly|"
    r"In particular|More importantly|More specifically|Concretely|However|Nevertheless|Nonetheless|Therefore|Thus|"
    r"Hence|Consequently|Accordingly|Subsequently|Then|Next|Further|First|Firstly|Second|Secondly|Third|Thirdly|Lastly|"
    r"Meanwhile|Interestingly|Last|Surprisingly|Remarkably|Crucially|Overall|In summary|In conclusion|To conclude|"
    r"In short|Conversely|On the other hand|In contrast|By contrast|Beyond that|As a result|Last but not least|"
    r"Significantly|Particularly|Likewise|Similarly|Indeed|On the contrary|Of note|Here|In response|At the same time|"
    r"To (?:this|that|the) end|To do so|To achieve this|In the process|As a byproduct|In parallel|In specific|"
    r"As an example|Fortunately|For example|For instance|"
    r"As an? (?:[\w-]+ ){0,2}(?:alternative|consequence|countermeasure|remedy|solution)),\s+(?=\S)|"
    r"\(?(?:[1-9]|i{1,3}|iv|vi{0,3}|[a-f])\)\s+(?=[A-Z])|"
    # "Our findings reveal three key insights: (1) Owls win." The others stand in the next sentences.
    r"[^,.;:]{0,60}\b(?:two|three|four|five|six|seven|several) (?:[\w-]+ ){0,2}\w+s: "
    r"\(?(?:1|i)\)\s+(?=[A-Z])(?!.*\(?(?:2|ii)\))"
)
# The paper speaks of itself: refers to nothing before.
_OWN = (
    r"(?!\s+(?:\w+\s+)?(?:paper|work|study|article|report|survey|review|thesis|research|letter|chapter|tutorial|note|"
    r"dissertation|manuscript|position paper|project|contribution|systematic review|technical report|investigation|"
    r"trial|data|findings|observations|results)\b)"
)
_EXPLETIVE = (
    r"(?!\s+(?:would )?(?:appears?|seems?)\s+that)(?!\s+(?:is|was|has been) (?:\w+ )?(?:\w+ed|found|shown) that\b)"
    r"(?!\s+(?:is|was|has been|remains|becomes|can be|seems|appears)\s+(?:\w+ly\s+|also\s+|often\s+|still\s+|"
    r"not\s+)*(?:challenging|difficult|hard|important|crucial|essential|critical|possible|impossible|necessary|"
    r"well[- ]known|known|shown|unclear|clear|desirable|common|natural|likely|vital|widely|believed|expensive|costly|"
    r"imperative|tempting)\b)"
)
_REFERS = re.compile(
    rf"(?:(?:This|These|Those)\b{_OWN}|It\b{_EXPLETIVE}|(?:Its|Such(?! as)|They|Their|Them|Both|Doing so|Instead|"
    r"That is|Similarly|Likewise|Otherwise|In doing so|By doing so|In this way|In turn|The former|The latter|"
    r"Among them|Of these|Rather|Unlike these|Even so|If so|Either way|The other|(?:One|Another|The (?:first|second|"
    r"third|last)) is|Yet|But|And|So|Or)\b(?! far))"
)
# The same within an introductory phrase: "To address these challenges, we", "Based on this, we".
_REFERS_EARLY = re.compile(
    rf"(?:To|Based on|Different from|Compared (?:to|with)|With|By|Through|From|In|On|For|Under|Due to|Motivated by|"
    r"Inspired by|Given|Despite|Among|As|Beyond|Within|Across|Towards?|Driven by|Upon|After|Because of|At|Of|Like|"
    r"Unlike|Since|While|When|If|Although|Though|Even though|Even if|[A-Z]\w+ing(?: up)?(?:on)?)\b[^,.;]{0,50}?\b"
    rf"(?:the (?:above|aforementioned)\b|(?:this|these|those(?! of| that| who| with)|such(?! as))\b{_OWN}|doing so\b|"
    r"them\b|they\b|(?:it|that)(?=,)|"
    r"the (?:\w+ )?(?:challenge|difficult|gap|issue|limitation|problem|shortcoming)(?:y|ies|s)?(?=,))|"
    # "To demonstrate its effectiveness, we".
    rf"(?:To (?:\w+ly )?[a-z]+|Based on|Building on|Following|Guided by|Inspired by|Motivated by) (?:its|their)\b|"
    # The same after any introductory phrase: "To facilitate adoption, this framework".
    rf"(?:To|By|With|Through|In|On|For|Using|While|When|Although|Despite|"
    rf"Unlike)\b[^,.;]{{0,120}},(?:[^.;]{{0,80}},)?\s+(?:this|these|such(?! as))\b{_OWN}"
)
# The same further inside: "a framework that addresses these challenges", "we propose that they".
_REFERS_INSIDE = re.compile(
    r"\b(?:address|tackl|overcom|mitigat|resolv|solv|alleviat|bridg|clos|fill|fix|evaluat|explor|quantif|handl|reduc)\w*\s+"
    r"(?:both\s+)?(?:these|this|those(?! of| that| who| with)|such(?! as))\s+(?:\w+\s+)?"
    r"(?:challenges?|issues?|problems?|limitations?|gaps?|difficult(?:y|ies)|needs?|drawbacks?|shortcomings?|concerns?|"
    r"questions?|applications?|behaviou?rs?|vulnerabilities|weaknesses|bottlenecks?|obstacles?|constraints?|tensions?)\b|"
    r"\b(?:address|fill|fix|resolv|solv|tackl)\w* (?:this|these|both)(?:,| by\b)|"
    r"^we \w+ (?:\w+ of )?(?:their|its)\b|\bthis (?:assumption|line of)\b",
    re.IGNORECASE,
)

# Without such a phrase the clause behind it would be false: "when these patients were excluded".
_CONDITION = re.compile(r"\b(?:adjust|controll(?:ed|ing) for|correct(?:ed|ing) for|exclud|except|omit|without)\w*")
# The complete clause that has to follow a phrase that is left out.
_CLAUSE = re.compile(
    r"[^,.;:]{0,60},\s+(?=(?:for the first time, )?(?:we|I|our|the|an?|(?:in )?this (?:paper|work|study|article|"
    r"survey|report|review|thesis))[\s,]|[A-Z][\w-]*[A-Z0-9])|[^,.;:]{0,60}\s(?=we\s)"
)


def without_head(sentence: str) -> str:
    """Return the sentence without the head that only links it to the one before: a complete clause.

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
            head = None if head and _CONDITION.search(opener, 0, head.end()) else head
        if not head:
            return rest
        rest = rest[head.end() :]


# A pointer in the middle of a sentence: "This paper bridges this gap", "leverages both paradigms".
_POINTER = re.compile(
    r"\b(?:(?:this|these|such)(?=(?P<phrase>(?: [\w-]+){1,3}))|"
    r"both (?:of )?(?:these |the )?(?:[\w-]+ )?[\w-]+s\b(?![^.;]{0,80}\band\b)|"
    r"the (?:latter|former|aforementioned|above)\b|"
    r"the (?:problem|question|issue|challenge|gap|limitation|shortcoming)s? (?:by|through|with|using|via)\b)",
    re.IGNORECASE,
)
_POINTS_AT_ITSELF = re.compile(
    r"(?: \w+){0,2} (?:paper|work|study|article|report|survey|review|thesis|research|letter|chapter|tutorial|note|"
    r"dissertation|manuscript|project|contribution|trial|data|findings|observations|results|https?|year|century|decade|"
    r"end)\b| (?:as|that|way)\b"
)
# This many words before a pointer may hold its target. A problem mostly stands in the sentence before.
_WORDS_BEFORE = 16
_PROBLEM = re.compile(
    r" (?:\w+ )?(?:challenge|issue|problem|limitation|gap|difficult|drawback|shortcoming|concern|question|weakness|"
    r"bottleneck|obstacle|tension|need)"
)
_NUMBERS = "(?:two|three|four|five|six|seven|eight|nine|ten|[2-9])"
# "These four dimensions", "this constrained setting" narrow down an earlier name.
_NARROWED = re.compile(
    rf" (?:{_NUMBERS}|new|specific|\w{{3,}}(?:al|ed|ent|ic|ing|ive)) (?!(?:are|has|have|is|on|was|were)\b)[a-z]"
    r"(?![^.;]{0,40}:)"
)

# Targets of "these": a plural, or more than one.
_SEVERAL = re.compile(
    r"\b(?!(?:\w*(?:ous|ss|us|is)|across|address(?:es)?|as|does|has|its|this|towards|various|was|versus|"
    r"(?:achiev|allow|enabl|introduc|leverag|present|propos|provid|show|us)e?s)\b)[a-z]{2,}s\b|\band\b"
)
_SOLVES = re.compile(
    r"\b(?:address|alleviat|analy[sz]|bridg|clos|dissect|eliminat|handl|mitigat|overcom|reduc|resolv|solv|tackl)\w* $|"
    r"\b(?:gap|tension|trade-?off) between $"
)


_NAME = re.compile(r"\b[A-Z][a-z]*[A-Z0-9][\w-]*(?:\+\+)?")


def refers_back(sentence: str) -> bool:
    """Return if a sentence needs the one before it, also ``without_head``.

    >>> refers_back("However, this fails."), refers_back("However, we fail.")
    (True, False)
    >>> refers_back("This paper closes this gap."), refers_back("We study three tasks and solve these tasks.")
    (True, False)
    """
    rest = without_head(sentence)
    rest = rest[:1].upper() + rest[1:]
    if _REFERS.match(rest) or _REFERS_EARLY.match(rest) or _REFERS_INSIDE.search(rest):
        return True
    for pointer in _POINTER.finditer(rest):
        phrase = pointer["phrase"] or ""
        before = rest[: pointer.start()].lower()
        # "We study three tasks and solve these tasks".
        is_repeated = any(len(word) > 3 and word.rstrip("s") in before for word in phrase.lower().split())
        is_problem = _PROBLEM.match(phrase) or _SOLVES.search(before)
        is_narrowed = phrase and _NARROWED.match(rest, pointer.end())
        is_vague = is_problem or is_narrowed or pointer[0].lower() == "such"
        may_be_before = pointer[0].lower() != "these" or _SEVERAL.search(before)
        is_late = len(before.split()) >= _WORDS_BEFORE and may_be_before and not is_vague
        if not (is_repeated or is_late or _POINTS_AT_ITSELF.match(phrase)):
            return True
    return False


# Words that add to an earlier sentence: "we also show", "the cells were then washed", "two owls, however", "another".
_LINKS = "(?:also|further|then|additionally|next|finally|thus|therefore|instead|again|subsequently|moreover)"
_AUXILIARY = "(?:are|can|could|had|has|have|is|must|was|were)"
_ADDS = (
    rf"^(?:[^,]{{0,60}}, )?(?:we|it|they|i|(?:this|the|our) \w+),?(?: {_AUXILIARY})? {_LINKS}\b|"
    r"^(?:(?:compared|in|on|with)\b[^,]{0,60}, )?(?:(?!\b(?:that|which|who|while|when|but)\b)[^,;:])*?"
    r"(?<!\band )\balso\b|"
    rf"^[^,;]{{0,50}}\b{_AUXILIARY} then\b|"
    r"^(?:[^\s.;:]+ ){1,4}(?:however|moreover|furthermore|nevertheless|nonetheless)\b|^then\b|"
    r"^[^,.;:]{0,40}(?<!and),? therefore\b|^[^,.;]{0,60}\binstead\b(?! of)|"
    r"^(?:another|(?:an? )?(?:additional|further)|examples (?:are|include)|"
    r"less (?:evidence|information)|of (?:greater|note)|the (?:opposite|same)|as (?:can be|noted|mentioned)|"
    r"(?:analogous|comparable|corresponding|other|similar)(?! (?:than|to)\b)|"
    r"[\w-]+ (?:days|weeks|months|years) later)\b|"
    r"^(?:\w+ ){1,4}the same\b(?! (?:as|time|way)\b)(?![^.;]* as\b)"
)
# "In the second experiment", "the other seven patients", "all three models", "lower in group 2".
_ORDINAL = "(?:second|third|fourth|fifth|next)"
_PARTS = (
    r"(?:cohort|experiment|group|patient|premise|(?:case|part|phase|stage|step|study)(?! (?:in|of|on|to|towards?)\b))"
)
_ONE_OF_SEVERAL = (
    rf"^(?:at|during|for|in) (?:the )?(?:each of the|{_ORDINAL}|other|remaining|latter|former|same)\b(?!-)|"
    rf"^(?:(?:as|in) )?(?:a|the) {_ORDINAL}\b(?!-)(?-i:(?! [A-Z]))|^the first (?!\w+ (?:of|on|to)\b)|"
    rf"\bthe (?:first|second|third) {_PARTS}\b|"
    rf"\bthe first {_NUMBERS}\b(?! (?:days|hours|months|weeks|years)\b)|"
    r"^(?:at|during|for|in) (?:both,|(?:phase|stage|step) (?:one|two|three|[1-4]),)|"
    r"^(?:at|for|in|on) (?:case|dataset|experiment|intervention|problem|study|task)[ -]?[1-9]\b|"
    r"^[^,.;]{0,60}\b(?:the other|(?:the|of) remaining) (?!hand|half|side)|"
    rf"^[^.;:]{{0,60}}\b(?:these|those|each of (?:the|these)) {_NUMBERS}\b(?![,.]\d|%| (?:of|major|main)\b)|"
    rf"\b(?:across|among|between|the) {_NUMBERS} (?:\w+ )?"
    r"(?:agents|arms|drugs|groups|regimens|studies|treatments|trials)\b(?! (?:and|of)\b|:)|"
    rf"\b(?:across|among|between|by|for|from|in|of|with) the {_NUMBERS}\b(?!-|%|[,.]\d| (?:main|major|most)\b)"
    r"(?!(?: [\w-]+){1,3}(?: (?:of|that|where|which)\b|:| \())|"
    rf"\ball {_NUMBERS}\b(?![,.]?\d|%| (?:of|major|main)\b)|"
    rf"^(?:\w+ ){{0,3}}the {_NUMBERS}\b(?![,.-]?\d|%|-| (?:major|main|most)\b)|"
    r"^[^.;]{0,80}\bgroups? (?:[1-4]|i{1,3}|iv|[a-d])\b|"
    r"^[^,.;]{0,60}\bboth (?:of the [\w-]+|agents|arms|drugs|groups|patients|regimens|treatments)\b(?!:| and\b)|"
    r"\bboth (?:\w+ )?(?:arms|groups|isolates|protocols|studies)\b(?!:| \([^)]*[a-z]{4}|[^.;,]{0,60}\band\b)"
)
# "They", "we formulate it as", "his headaches", "closes that gap", "the foregoing data", "our method".
_NAMED_BEFORE = (
    r"^(?:[^,]{0,50}, )?they\b|^(?:\w+ ){0,6}(?:of )?them\b|"
    r"^(?:after|at|by|during|for|from|in|on|since|until|with) that "
    r"(?:date|end|period|point|purpose|reason|stage|time)\b|"
    r"^(?:he|she|that (?:analysis|paper|report|review|study|trial|work))\b|"
    r"^(?:[^,]{0,60}, )?we (?:\w+ly )?[a-z]+ (?:[a-z]+ing )?(?:it(?! \w+(?:ant|ary|ate|ful|ing)\b)|them|their|its)\b|"
    r"^(?:this (?:article|paper|review|study|work) \w+|the \w+ (?:for|of|to)) (?:their|its)\b|"
    r"^(?:(?!\b(?:authors?|boy|child|girl|man|patient|person|woman)\b)[^.;])*?(?-i:\b(?:he|her|his|she)\b)|"
    r"\bthe (?:above|aforementioned|foregoing|listed)\b|\babove(?=[.,;])|"
    r"^the result\b|^the differences? (?!between|in|of)|"
    r"^[^,.;]{0,60}\b(?:our|the proposed|the resulting) (?:[\w-]+ ){0,2}(?:approach|method|framework|"
    r"model|system|algorithm|"
    r"architecture|pipeline|technique|solution|design|formulation|agent|benchmark|dataset|tool|strategy|network)\b"
)
_CONTINUES = re.compile(f"{_ADDS}|{_ONE_OF_SEVERAL}|{_NAMED_BEFORE}", re.IGNORECASE)


def adds(sentence: str) -> bool:
    """Return if a sentence begins as an addition to an earlier one.

    >>> adds("In addition, owls sleep."), adds("In contrast, owls sleep.")
    (True, False)
    """
    return sentence.startswith(("Additionally", "Also", "Further", "In addition", "Moreover"))


def continues(sentence: str) -> bool:
    """Return if a sentence can't come first, but may follow any other.

    >>> continues("We also show that it gains 3%."), continues("Our method gains 3%."), continues("We show a gain.")
    (True, True, False)
    """
    return _CONTINUES.search(without_head(sentence)) is not None


_FIRST_WORDS = 8  # the words before explain a name further on
_PART = re.compile(r"\b(?:arm|cohort|group|regimen) (?:[a-d]|[1-4]|i{1,3}|iv)\b")
_GAINS = re.compile(
    r"It (?:also |\w+ly )?(?:achiev|attain|cut|deliver|exceed|improv|increas|match|outperform|reach|reduc|remov|"
    r"surpass|win|yield)e?s\b"
)


def antecedents(sentences: Sequence[str], proposals: Sequence[int]) -> list[int | None]:
    """Return for each sentence of an abstract the place of the one that it needs.

    A reference needs the sentence before, a name the proposal that introduces it, and "group B" the first one on it.

    >>> antecedents(["We propose WeedNet.", "Weeds fall.", "WeedNet wins.", "This helps."], [0])
    [None, None, 0, 2]
    """
    introduced: dict[str, int] = {}
    for place in proposals:
        for name in _NAME.findall(sentences[place]):
            introduced.setdefault(name, place)
    needs: list[int | None] = []
    for place, sentence in enumerate(sentences):
        parts = _PART.findall(sentence.lower())
        opening = " ".join(without_head(sentence).split()[:_FIRST_WORDS])
        named = [at for name in (*_NAME.findall(opening), *parts) if (at := introduced.get(name, place)) < place]
        if not (place and refers_back(sentence)):
            needs.append(min(named, default=None))
        else:
            # "It removes 95% of weeds" is about the proposal, if there is one.
            made = [at for at in proposals if at < place and _GAINS.match(sentence)]
            needs.append(max(made, default=place - 1))
        for part in parts:
            introduced.setdefault(part, place)
    return needs
