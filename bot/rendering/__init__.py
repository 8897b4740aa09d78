"""What messages of all channels share: templates, phrases, links; and feeds. A paper's text is not trusted."""
