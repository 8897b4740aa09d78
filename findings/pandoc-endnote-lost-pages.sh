#!/usr/bin/env bash
# pandoc 3.9: EndNote's XML loses pages, DOI and address, and an exponent joins its base.
#
# EndNote exports XML with all fields, and marks exponents by a style of its own.
# Guess before the run: title and abstract without loss, DOI, keywords and the whole date.
# Seen with pandoc 3.9 of pypandoc-binary 1.17: no DOI, address or keyword. The pages are in a variable "pages" and the
# issue in "number". CSL names them "page" and "issue", so citeproc prints volume 12, issue 3 as "12: 3" without pages,
# and BibTeX has none. 10 to the power of -3 is "10-3". A paper in proceedings is a periodical: citeproc calls it a
# special issue, and BibTeX loses its booktitle. No warning.
# Undocumented, in Readers/EndNote.hs.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pypandoc-binary==1.17
"$folder/venv/bin/python" - <<'PYTHON'
import json

import pypandoc


def styled(text: str, face: str = "normal") -> str:
    return f'<style face="{face}" font="default" size="100%">{text}</style>'


library = f"""<?xml version="1.0" encoding="UTF-8"?>
<xml><records>
<record><rec-number>1</rec-number><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author>{styled("Lovelace, Ada")}</author></authors></contributors>
<titles><title>{styled("Owls at 10")}{styled("-3", "superscript")}{styled(" mol")}</title>
<secondary-title>{styled("Journal of Owls")}</secondary-title></titles>
<pages>{styled("100-110")}</pages><volume>{styled("12")}</volume><number>{styled("3")}</number>
<keywords><keyword>{styled("owls")}</keyword></keywords>
<dates><year>{styled("2020")}</year></dates>
<urls><related-urls><url>{styled("https://example.org/owls")}</url></related-urls></urls>
<electronic-resource-num>{styled("10.1234/owls.5")}</electronic-resource-num></record>
<record><rec-number>2</rec-number><ref-type name="Conference Proceedings">10</ref-type>
<contributors><authors><author>{styled("Hopper, Grace")}</author></authors></contributors>
<titles><title>{styled("Bats in snow")}</title>
<secondary-title>{styled("Proceedings on Bats")}</secondary-title></titles>
<dates><year>{styled("2021")}</year></dates></record>
</records></xml>"""
print("pandoc", pypandoc.get_pandoc_version())
article, paper = json.loads(pypandoc.convert_text(library, "csljson", format="endnotexml"))
text = pypandoc.convert_text(library, "plain", format="endnotexml", extra_args=["--citeproc"])
bibtex = pypandoc.convert_text(library, "bibtex", format="endnotexml")
print(article, paper, text, bibtex, sep="\n")
assert article["title"] == "Owls at 10-3 mol", "the behaviour has changed"
assert not {"DOI", "URL", "keyword", "page", "issue"} & set(article)
assert (article["pages"], article["number"], paper["type"]) == ("100-110", "3", "periodical")
assert "Journal of Owls 12: 3." in text
assert "Special issue, Proceedings on Bats." in text
assert not any(word in bibtex for word in ("pages", "doi", "url", "Proceedings on Bats"))
PYTHON
