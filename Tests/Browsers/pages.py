"""A web site on this computer."""

import contextlib
import http.server
import threading

PARAGRAPHS = 200
# A page that changes its title as fast as it can.
RESTLESS = "<script>let count = 0; setInterval(() => document.title = `restless ${++count}`, 1);</script>"


class Pages(http.server.BaseHTTPRequestHandler):
    """Long pages, whose title is their path."""

    def do_GET(self):
        rows = "".join(f"<p id=p{number}>Paragraph {number} of the page.</p>" for number in range(PARAGRAPHS))
        state = '<meta name="handoff-state" content="chapter 3">' if self.path.startswith("/state") else ""
        listen = "<script>document.addEventListener('handoffcontinue', (e) => document.title = e.detail);</script>"
        listen += RESTLESS if self.path.startswith("/restless") else ""
        body = f"<!doctype html><html><head><title>{self.path.strip('/')}</title>{state}{listen}</head>" \
               f"<body><input value=secret>{rows}</body></html>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        """Says nothing."""


@contextlib.contextmanager
def site():
    """Yields the address of the site."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
