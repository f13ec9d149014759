"""The extension of browsers: what a page offers for its continuation reaches the page of the same address, and no other."""

from browser_test import BrowserExtension
from devices import ProgramTest

PAGE = "https://one.example/article?id=7"
# Each is another page, however near it is: a site may serve each to another reader.
OTHERS = ["https://two.example/article?id=7", "http://one.example/article?id=7", "https://one.example:444/article?id=7",
          "https://one.example/article/?id=7", "https://one.example/article", "https://one.example/article?id=8",
          "https://one.example/", "https://me@one.example/article?id=7", "about:blank", "data:text/html,x"]
STATE = {"scroll": 0.5, "page": "chapter 3"}


class BrowserPagesTests(BrowserExtension, ProgramTest):
    """What is given to a page, and what is taken from it."""

    def setUp(self):
        super().setUp()
        self.start_extension(self.home.environment())
        self.wait_line("the start of the host", type="hello")

    def open(self, url=PAGE, state=None):
        """The host has a page opened; returns its tab."""
        self.tell(host={"type": "open", "id": 1, "url": url, "state": STATE if state is None else state})
        tab = self.wait_line("a tab", **{"for": url})["created"]
        self.wait_line("the answer", type="opened", opened=True)
        return tab

    def settle(self):
        """Returns what pages have got, once all that the extension has begun is done."""
        before = len(self.lines.seen)
        self.tell(url="https://settled.example/", status="complete")
        self.wait_line("a later page", url="https://settled.example/")
        return [line for line in self.lines.seen[before:] if '"got"' in line or '"top"' in line]

    def test_the_page_of_the_same_address_gets_its_place_and_what_it_has_offered_once(self):
        tab = self.open()
        self.tell(tab=tab, url="about:blank", status="complete")
        self.tell(tab=tab, url=PAGE, status="loading")
        self.tell(tab=tab, url=f"{PAGE}#notes", status="complete")
        self.wait_line("the place", page=f"{PAGE}#notes", top=500)
        self.wait_line("what the page has offered", page=f"{PAGE}#notes", got="chapter 3")
        self.tell(tab=tab, url=PAGE, status="complete")
        self.assertEqual(self.settle(), [])

    def test_an_address_in_another_spelling_is_the_same_page(self):
        tab = self.open("HTTPS://One.example:443/a/../article?id=7#top")
        self.tell(tab=tab, url=PAGE, status="complete")
        self.wait_line("what the page has offered", page=PAGE, got="chapter 3")

    def test_a_page_to_which_the_address_leads_gets_nothing(self):
        for url in OTHERS:
            with self.subTest(url=url):
                tab = self.open()
                self.tell(tab=tab, url=url, status="loading")
                self.tell(tab=tab, url=url, status="complete")
                self.assertEqual(self.settle(), [])

    def test_a_page_that_takes_the_place_at_the_last_moment_gets_nothing(self):
        for url in OTHERS:
            with self.subTest(url=url):
                tab = self.open()
                self.tell(hold=True)
                self.tell(tab=tab, url=PAGE, status="complete")
                self.wait_line("a function for the page", running="restorePosition")
                self.tell(tab=tab, url=url, status="loading")
                self.tell(hold=False)
                self.wait_line("the end of the function", ran="restorePosition")
                self.assertNotIn('"got"', "".join(self.lines.seen[-5:]))
                self.assertEqual(self.settle(), [])

    def test_the_page_itself_gets_it_when_another_one_has_led_to_it(self):
        tab = self.open()
        self.tell(tab=tab, url="https://login.example/", status="complete")
        self.tell(tab=tab, url=PAGE, status="complete")
        self.wait_line("what the page has offered", page=PAGE, got="chapter 3")

    def test_what_another_page_offers_is_not_taken_for_the_published_one(self):
        self.tell(url=PAGE, status="complete")
        self.wait_line("the page", type="page", url=PAGE)
        self.tell(host={"type": "save", "id": 1})
        answer = self.wait_line("the state", type="saved", id=1, url=PAGE)
        self.assertEqual(answer["state"]["page"], f"state of {PAGE}")
        self.tell(hold=True)
        self.tell(host={"type": "save", "id": 2})
        self.wait_line("a function for the page", running="readPosition")
        self.tell(url="https://two.example/", status="loading")
        self.tell(hold=False)
        self.assertNotIn("state", self.wait_line("an answer without a state", type="saved", id=2, url=PAGE))


class BrowserCallersTests(BrowserExtension, ProgramTest):
    """Who may call the extension."""

    POPUP = {"id": "handoff@handoffd.org", "url": "moz-extension://0/popup.html"}

    def setUp(self):
        super().setUp()
        self.start_extension(self.home.environment())
        self.wait_line("the start of the host", type="hello")

    def connect(self, sender, name="popup"):
        """Somebody connects and sends `continue`; returns what was told meanwhile."""
        before = len(self.lines.seen)
        self.tell(connect={"name": name, "sender": sender, "message": {"type": "continue", "id": 1, "entry": "7"}})
        self.wait_line("the end of the call", connected=name)
        return "\n".join(self.lines.seen[before:])

    def test_the_popup_sees_what_is_near_and_continues_it(self):
        self.tell(host={"type": "nearby", "entries": [{"entry": "7", "device": "laptop"}]})
        told = self.connect(self.POPUP)
        self.assertIn("laptop", told)
        self.assertIn('{"type":"continue","id":1,"entry":"7"}', told)

    def test_nobody_else_sees_or_continues_anything(self):
        self.tell(host={"type": "nearby", "entries": [{"entry": "7", "device": "laptop"}]})
        tab = {"id": 1, "url": "https://evil.example/"}
        strangers = [
            {**self.POPUP, "url": "https://evil.example/", "tab": tab},
            {**self.POPUP, "url": "https://evil.example/"},
            {**self.POPUP, "tab": tab},
            {**self.POPUP, "id": "other@evil.example"},
            {**self.POPUP, "url": "moz-extension://0/popup.html?x"},
            {"url": self.POPUP["url"]},
            None,
        ]
        for sender in strangers:
            with self.subTest(sender=sender):
                told = self.connect(sender)
                self.assertIn('"refused":"popup"', told)
                self.assertNotIn("laptop", told)
                self.assertNotIn('"type":"continue"', told)
        self.assertIn('"refused":"settings"', self.connect(self.POPUP, "settings"))

    def test_what_the_person_has_turned_on_is_kept_from_scripts_in_pages(self):
        self.connect(self.POPUP)
        self.assertIn('{"accessLevel":"TRUSTED_CONTEXTS"}', self.lines.seen)
