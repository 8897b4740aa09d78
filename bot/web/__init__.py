"""The web pages.

GET shows and POST acts, because mail scanners open every link. Pages need no script and no account, and load nothing
from other sites.
"""
