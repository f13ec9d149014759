"""The extension of browsers when the wall clock is set back."""

from browser_test import BrowserExtension
from devices import PROGRAMS, IntegrationTest


class BrowserClockTests(BrowserExtension, IntegrationTest):
    """The page that the person sees is reported, whatever the clock shows."""

    def test_pages_are_reported_after_the_clock_was_set_back_by_an_hour(self):
        self.start_extension(self.laptop.environment(LD_PRELOAD=PROGRAMS / "libShiftedClock.so"))
        for clock in (0, -3600, -7200):
            url = f"https://example.org/{-clock}"
            self.tell(clock=clock)
            self.tell(url=url)
            self.wait_line(f"a report of {url}", url=url)
