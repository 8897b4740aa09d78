"""Text: readable LaTeX, tokens, stems and topics."""
