"""The wording of picks, editions and letters, as plain text for all channels to escape."""

from bot.wording.messages import *  # noqa: F403 - callers needn't know which module has a function
from bot.wording.picks import *  # noqa: F403
