"""An abstract in a few of its own sentences, word for word, the finding among them, and TL;DRs by a model.

abstract --claims, roles--> Reading per sentence --summary--> Sentences to show, the finding in bold, words marked
title and abstract --tldr--> one sentence by a language model, where the settings have an endpoint
"""
