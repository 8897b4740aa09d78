"""Loops of other programs that are measured beside ours in the same run, so that figures of different machines compare.

    smtplib's loop              a connection a message, as the library's documentation sends mail
    arxiv-sanity-lite's loop    a linear SVM a reader over tf-idf of all papers, whose best new papers are recommended

Both are written here from what the programs do; what they do once, such as tf-idf, is not counted.
"""

from __future__ import annotations

import smtplib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random

from faults.home_with_mail_server import MailServer
from sqlalchemy import Engine, event

SENDER = "bot@example.org"
LIKED, PICKS = 20, 10


@contextmanager
def mail_server() -> Iterator[int]:
    """Run a mail server that accepts everything as a process of its own; its port."""
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        yield int(process.stdout.readline())
        process.stdin.close()


def count_statements(count: Callable[[], None]) -> None:
    """Call ``count`` for each statement from now on."""
    event.listen(Engine, "before_cursor_execute", lambda *_: count())


def smtplib_loop(port: int, mails: int, body: bytes) -> float:
    """Send mails with a connection each; seconds of processor time a mail."""
    begin = time.process_time()
    for number in range(mails):
        with smtplib.SMTP("127.0.0.1", port) as connection:
            connection.sendmail(SENDER, [f"r{number}@example.org"], body)
    return (time.process_time() - begin) / mails


def svm_loop(texts: Sequence[str], new: int, readers: int) -> float:
    """Recommend of the last ``new`` papers to readers with 20 liked ones each; seconds of processor time a reader."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    vectorizer = TfidfVectorizer(
        stop_words="english", ngram_range=(1, 2), max_features=20_000, sublinear_tf=True, min_df=5
    )
    features = vectorizer.fit_transform(texts)
    chance = Random(7)
    begin = time.process_time()
    for _ in range(readers):
        liked = np.zeros(len(texts))
        liked[chance.sample(range(len(texts) - new), LIKED)] = 1
        model = LinearSVC(class_weight="balanced", max_iter=10_000, tol=1e-6, C=0.01).fit(features, liked)
        np.argsort(-model.decision_function(features)[-new:])[:PICKS]
    return (time.process_time() - begin) / readers


if __name__ == "__main__":
    with MailServer().running() as server:
        sys.stdout.write(f"{server.port}\n")
        sys.stdout.flush()
        sys.stdin.read()
