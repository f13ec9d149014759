"""A web site on this computer."""

import contextlib
import http.server
import threading

PARAGRAPHS = 200
# A page that changes its title as fast as it can.
RESTLESS = "<script>let count = 0; setInterval(() => document.title = `restless ${++count}`, 1);</script>"


class Pages(http.server.BaseHTTPRequestHandler):
    """Long pages, whose title is their path.

    What begins with /state offers a state. With /state-moves and /state-slash, the site has moved for Chromium: to
    another origin, and to the same address with a slash. /state-slow has a link to another origin, and does not end to load.
    """

    def do_GET(self):
        if self.path == "/endless":
            return self.server.is_over.wait()
        port = self.server.server_port
        places = {"/state-moves": f"http://localhost:{port}/moved", "/state-slash": "/state-slash/"}
        if self.path in places and "Chrome" in self.headers["User-Agent"]:
            self.send_response(302)
            self.send_header("Location", places[self.path])
            return self.end_headers()
        rows = "".join(f"<p id=p{number}>Paragraph {number} of the page.</p>" for number in range(PARAGRAPHS))
        state = '<meta name="handoff-state" content="chapter 3">' if self.path.startswith("/state") else ""
        listen = "<script>document.addEventListener('handoffcontinue', (e) => document.title = e.detail);</script>"
        listen += RESTLESS if self.path.startswith("/restless") else ""
        if self.path.startswith("/state-slow"):
            rows += f"<a id=away href='http://localhost:{port}/linked'>away</a>"
            rows += "<img src=/endless>" if "Chrome" in self.headers["User-Agent"] else ""
        body = f"<!doctype html><html><head><title>{self.path.strip('/')}</title>{state}{listen}</head>" \
               f"<body><input value=secret>{rows}</body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        return self.wfile.write(body.encode())

    def log_message(self, *arguments):
        """Says nothing."""


@contextlib.contextmanager
def site():
    """Yields the address of the site."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    server.is_over = threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.is_over.set()
        server.shutdown()
        server.server_close()
