#!/usr/bin/env bash
# arxiv-latex-cleaner 1.0.11: a listing "if n % 2 == 0:" becomes "if n %", and "100% of owls" in verbatim "100%".
#
# It removes comments from a paper before it goes to arXiv. In verbatim and lstlisting, "%" begins no comment.
# Guess before the run: verbatim text, addresses and text behind "\\%" stay, and only comments go.
# Seen with arxiv-latex-cleaner 1.0.11 on Python 3.11: the rest of each such line is gone, so the published code is
# another one, and LaTeX compiles it without a word. An address with "%2F" in \href is cut at the sign. A comment
# behind a line break, "\\% draft", stays, and anybody can read it in the source on arXiv.
# Undocumented: the README says that it removes comments. One pattern decides: a "%" without a backslash before it.
#
# Installs the pinned package in a temporary folder, and fails if the behaviour changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check arxiv-latex-cleaner==1.0.11
cd "$folder"
mkdir paper
cat >paper/main.tex <<'TEX'
\documentclass{article}
\usepackage{hyperref,listings}
\begin{document}
Owls are 5\% of birds. % a comment
\begin{lstlisting}
if n % 2 == 0:
    print(n)
\end{lstlisting}
\begin{verbatim}
100% of owls
\end{verbatim}
See \url{https://example.org/a%20b} or \href{https://example.org/c%2Fd}{this}.
The last line\\% draft: not for readers
ends here.
\end{document}
TEX
"$folder/venv/bin/arxiv_latex_cleaner" paper >/dev/null 2>&1
cat paper_arXiv/main.tex
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version
from pathlib import Path

lines = Path("paper_arXiv/main.tex").read_text(encoding="utf-8").splitlines()
print("arxiv-latex-cleaner", version("arxiv-latex-cleaner"))
changed = "the behaviour has changed"
assert "if n %" in lines and "    print(n)" in lines, changed
assert "100%" in lines, changed
assert r"See \url{https://example.org/a%20b} or \href{https://example.org/c%" in lines, changed
assert r"The last line\\% draft: not for readers" in lines, changed
assert r"Owls are 5\% of birds. %" in lines
PYTHON
