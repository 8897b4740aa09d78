"""The way of a paper. Everything here orders calls and decides nothing.

source --retrieve--> digest --parse--> papers --identify/merge--> store          ingesting
store --new since the last edition--> candidates --rank(reader)--> scores        editing
scores --select: threshold, size, diversity, exploration--> picks                editing
picks --summarise, give reasons--> edition                                       editing
summaries --> TL;DRs, where a language model is set up                           shortening
edition --render--> messages                                                     rendering
messages --outbox--> email | Slack | file                                        running
reader --thumb--> feedback --> store --> the next ranking                        bot.feedback
thumbs, each predicted from those before it --> is it learning?                  evaluating
past days --as they were known then--> editions that would have been             replaying
"""
