"""A publication whose program hears of what it offers on a main loop of GLib."""

from handoff.publishing import Publication


class LoopPublication(Publication):
    """Its events reach a function by their names, for as long as the loop runs."""

    def __init__(self, glib, handle):
        super().__init__()
        self._handle = handle
        self._loop = glib.MainLoop()
        glib.io_add_watch(self.output, glib.IO_IN | glib.IO_HUP, self._read)
        for number in (1, 2, 15):
            glib.unix_signal_add(glib.PRIORITY_DEFAULT, number, self._loop.quit)

    def run(self):
        """Runs the loop until this program is ended, or handoffctl has ended; returns the exit status of handoffctl."""
        self._loop.run()
        self.close()
        return self.wait()

    def _read(self, *_):
        events = self.read()
        for event in events or []:
            self._handle(event["event"])
        if events is None:
            self._loop.quit()
        return events is not None
