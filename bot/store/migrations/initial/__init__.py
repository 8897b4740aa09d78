"""The tables of revision 0001, by what they hold; the revision itself is ``versions/0001_initial.py``.

Here and not in ``versions/``, where Alembic takes each module for a revision.
"""
