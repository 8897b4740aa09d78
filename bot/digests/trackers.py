"""Unwrap tracking links offline: many hold the address that they lead to."""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from bot import limits

_MAX_DEPTH = 4  # a mail gateway's link around a newsletter's around Google's
# Amazon's mail service, which Elsevier uses: /CL0/ and the address, percent-encoded, as one segment of the path.
_SES = re.compile(r"/C?L0/([^/]+)")
# Proofpoint, third version: the address between two underscores on both sides; "*" stands for an encoded character.
_PROOFPOINT_3 = re.compile(r"/v3/__(.+?)__;")
# Query parameters that redirectors name the target by.
_TARGETS = (
    "url",
    "u",
    "q",
    "target",
    "redirect",
    "redirect_url",
    "redirecturl",
    "dest",
    "destination",
    "link",
    "to",
)
# Springer Nature, Substack and others: the address inside a query string or JSON in base64.
_BASE64 = re.compile(r"[A-Za-z0-9_-]{24,4000}")
_ENCODED_SCHEMES = ("aHR0c", "h0dH", "dHRw")  # "http" in base64, by its offset modulo 3
_INNER_ADDRESS = re.compile(
    rb"https?(?::|%3A)(?:/|%2F){2}[^\s\"'&<>\\\x00-\x1f\x7f-\xff]{4,2000}", re.IGNORECASE
)
# A link to share an article has its address, too, and leads elsewhere.
_SHARING = re.compile(r"share|sharer|intent/|/submit\b|bookmark|mailto:", re.IGNORECASE)
_TRACKING = re.compile(
    r"utm_.*|mc_[ce]id|wt\.ec_id|wt\.mc_id|dgcid|et_?(?:cid|rid|src)|_hs\w+|sap-outbound-id|elq\w*|ecid|campaign\w*"
    r"|fbclid|gclid|mkt_tok|af|needaccess|cmp|ijkey|source|trk\w*|email_\w+|sfmc_\w+",
    re.IGNORECASE,
)


def unwrap(url: str) -> str:
    """Return the address that a tracking link leads to, without tracking parameters; nothing is fetched.

    A link whose target can't be read off it is returned as it is; an empty string if it is not a web address.

    >>> unwrap("https://click.example.org/CL0/https:%2F%2Fwww.cell.com%2Fcell%2Ffulltext%2FS1%3Fdgcid=x/1/0-0/h=4")
    'https://www.cell.com/cell/fulltext/S1'
    >>> unwrap("http://scholar.google.de/scholar_url?url=https://arxiv.org/pdf/1912.02015&hl=de&sa=X")
    'https://arxiv.org/pdf/1912.02015'
    """
    for _ in range(_MAX_DEPTH):
        has_target = "http" in url[5:] or any(scheme in url for scheme in _ENCODED_SCHEMES)
        target = _target(url[: 2 * limits.URL]) if has_target else ""
        if not target:
            break
        url = target
    try:
        parts = urlsplit(url)
    except ValueError:  # such as http://[x
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc or len(url) > limits.URL:
        return ""
    query = parse_qsl(parts.query, keep_blank_values=True) if parts.query.count("&") < 100 else []
    retained = [(name, value) for name, value in query if not _TRACKING.fullmatch(name)]
    # Without tracking parameters it stays as it is: encoding it again might change it.
    if len(retained) == len(query):
        return url
    return urlunsplit(parts._replace(query=urlencode(retained), fragment=""))


def _target(url: str) -> str:
    """Return the address inside a link; empty if there is none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if _SHARING.search(f"{parts.netloc}{parts.path}"):
        return ""
    if match := _SES.search(parts.path):
        return _web_address(unquote(match[1]))
    if match := _PROOFPOINT_3.search(url):
        return _web_address(match[1])
    query = parse_qsl(parts.query, max_num_fields=100) if parts.query.count("&") < 100 else []
    values = {name.lower(): value for name, value in reversed(query)}
    if (parts.hostname or "").endswith("urldefense.proofpoint.com"):
        # Second version: "-" for "%" and "_" for "/".
        return _web_address(unquote(values.get("u", "").replace("-", "%").replace("_", "/")))
    named = next(filter(None, (_web_address(values.get(name, "")) for name in _TARGETS)), "")
    return named or _in_base64(f"{parts.path}?{parts.query}")


def _in_base64(text: str) -> str:
    """Return the first address inside a token of base64; empty if there is none."""
    for token in _BASE64.findall(text):
        if not any(scheme in token for scheme in _ENCODED_SCHEMES):
            continue
        # Padding is left out in addresses. One character beyond a multiple of four can't be base64.
        encoded = token[:-1] if len(token) % 4 == 1 else token
        if address := _INNER_ADDRESS.search(urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))):
            text = address[0].decode()
            return _web_address(text if "://" in text else unquote(text))
    return ""


def _web_address(text: str) -> str:
    # A gateway may merge the two slashes.
    text = re.sub(r"^(https?:/)(?=[^/])", r"\1/", text, count=1)
    return text if re.match(r"https?://[^/\s]", text) else ""
