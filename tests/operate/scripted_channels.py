"""A channel that tests control."""

from time import sleep


class ScriptedChannel:
    """A channel that does to each delivery what its number says, before or after the start of the body."""

    def __init__(self):
        self.before, self.after, self.sent = {}, {}, []

    def send(self, delivery, start_data):
        if delivery.id in self.before:
            raise self.before[delivery.id]
        start_data()
        if delivery.id in self.after:
            raise self.after[delivery.id]
        self.sent.append(delivery.id)
        return f"250 queued as {delivery.id}"

    def close(self):
        """Nothing to close."""


class PatientChannel(ScriptedChannel):
    """The probing worker: continues after its first message when the others have sent theirs."""

    def __init__(self, others):
        super().__init__()
        self._others = others

    def send(self, delivery, start_data):
        while self.sent and not all(other.sent for other in self._others):
            sleep(0)
        return super().send(delivery, start_data)
