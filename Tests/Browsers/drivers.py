"""Real browsers, driven over what they have built in: the DevTools protocol over pipes, and Marionette over TCP.

Each waits for answers and events; a time limit only ends a wait that has failed.
"""

import base64
import contextlib
import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time

from world import Failure, TIMEOUT

# Not Debian's wrapper, which passes an extension list of its own (/etc/chromium.d/extensions).
CHROMIUM = "/usr/lib/chromium/chromium"
FIREFOX = "/usr/bin/firefox-esr"
EXTENSION_ID = "handoff@handoffd.org"
# Resolves when the popup shows its settings.
SHOWN = """new Promise((done) => {
    const look = () => document.querySelector('main')?.ariaBusy === 'false' && done();
    look();
    new MutationObserver(look).observe(document, {attributes: true, childList: true, subtree: true});
})"""


class Chromium:
    """A Chromium with the extension."""

    name = "chromium"
    title = "Chromium"

    def __init__(self, environment, profile, extension, log):
        self.profile, self._extension = profile, extension
        self._environment, self._log = environment, log
        self._ids, self._answers, self._lock = 0, {}, threading.Lock()
        self.events = queue.Queue()
        self.extension_id = None

    def arguments(self):
        return [CHROMIUM, "--no-sandbox", f"--user-data-dir={self.profile}", f"--load-extension={self._extension}",
                "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-dev-shm-usage",
                "--disable-background-networking", "--disable-component-update", "--password-store=basic",
                "--lang=en", "--window-size=900,700", "--disable-search-engine-choice-screen",
                "--hide-crash-restore-bubble"]

    @contextlib.contextmanager
    def running(self, *more):
        commands_read, self._commands = os.pipe()
        results, results_write = os.pipe()

        def place():
            # The DevTools protocol is on the descriptors 3 and 4 of the browser.
            one, other = os.dup(commands_read), os.dup(results_write)
            os.dup2(one, 3)
            os.dup2(other, 4)

        self.process = subprocess.Popen(
            [*self.arguments(), "--remote-debugging-pipe", *more, "about:blank"], env=self._environment,
            preexec_fn=place, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
        )
        os.close(commands_read)
        os.close(results_write)
        threading.Thread(target=self._read, args=(results,), daemon=True).start()
        try:
            self.call("Target.setDiscoverTargets", discover=True)
            yield self
        finally:
            self.kill()
            os.close(self._commands)

    def kill(self):
        """Ends the browser and its processes, as a crash does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _read(self, results):
        pending = b""
        with os.fdopen(results, "rb", buffering=0) as pipe:
            while piece := pipe.read(65536):
                *messages, pending = (pending + piece).split(b"\0")
                for message in map(json.loads, messages):
                    if "id" in message:
                        with self._lock:
                            answers = self._answers.pop(message["id"], None)
                        if answers:
                            answers.put(message)
                    else:
                        self.events.put(message)
        with self._lock:
            for answers in self._answers.values():
                answers.put({"error": {"message": "the browser has ended"}})

    def call(self, method, session=None, **parameters):
        answers = queue.Queue()
        with self._lock:
            self._ids += 1
            number = self._ids
            self._answers[number] = answers
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._commands, json.dumps(message).encode() + b"\0")
        try:
            answer = answers.get(timeout=TIMEOUT)
        except queue.Empty:
            raise Failure(f"Chromium did not answer {method} {parameters.get('expression', '')}") from None
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def targets(self):
        return self.call("Target.getTargets")["targetInfos"]

    def wait_target(self, wanted, what):
        """The first target for which `wanted` is true, now or later."""
        while True:
            for target in self.targets():
                if wanted(target):
                    return target
            self.wait_event("Target.", what)

    def wait_no_target(self, gone):
        """Waits until a target has gone."""
        while any(target["targetId"] == gone["targetId"] for target in self.targets()):
            self.wait_event("Target.", "the end of a target")

    def wait_event(self, prefix, what, session=None):
        """The next event of a kind, of one session or of any."""
        while True:
            try:
                event = self.events.get(timeout=TIMEOUT)
            except queue.Empty:
                raise Failure(f"{what}: not within {TIMEOUT:.0f} s; {self.targets()}") from None
            if event["method"].startswith(prefix) and session in (None, event.get("sessionId")):
                return event

    def attach(self, target):
        return self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]

    def evaluate(self, target, expression, gesture=False):
        """The value of an expression, which may be a promise, in a page or the extension's background."""
        session = self.attach(target)
        try:
            result = self.call("Runtime.evaluate", session, expression=expression, awaitPromise=True,
                               returnByValue=True, userGesture=gesture)
        finally:
            with contextlib.suppress(Failure):
                self.call("Target.detachFromTarget", sessionId=session)
        if "exceptionDetails" in result:
            raise Failure(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def background(self):
        return self.wait_target(
            lambda target: target["type"] == "service_worker" and target["url"].endswith("/background.js"),
            "the extension's service worker",
        )

    def in_extension(self, expression):
        background = self.background()
        # The worker is there before its script has begun. A debugger is told of scripts that are there already, too.
        session = self.attach(background)
        try:
            self.call("Debugger.enable", session)
            self.wait_event("Debugger.scriptParsed", "the script of the extension", session)
        finally:
            with contextlib.suppress(Failure):
                self.call("Target.detachFromTarget", sessionId=session)
        return self.evaluate(background, expression)

    # What a person does.

    def open(self, url):
        """Opens an address in a new tab, which is shown; returns the tab."""
        number = self.in_extension(f"chrome.tabs.create({{url: {json.dumps(url)}}}).then((tab) => tab.id)")
        return number

    def navigate(self, url):
        """Goes to another page in the shown tab."""
        self.in_extension(f"chrome.tabs.update({{url: {json.dumps(url)}}}).then(() => null)")

    def show(self, tab):
        self.in_extension(f"chrome.tabs.update({tab}, {{active: true}}).then(() => null)")

    def page(self, url):
        """The tab with that address, once it has loaded."""
        return self.when_at(url, "document.readyState === 'complete' ? done(true) : addEventListener('load', () => done(true))")

    def when_at(self, url, statement):
        """Executes a statement, which calls `done`, in the tab with that address, and returns the tab."""
        # A tab has the address of its page before it has the page: the page before goes without an answer.
        expression = f"new Promise((done) => {{ if (location.href === {json.dumps(url)}) {{ {statement} }} }})"
        deadline = time.monotonic() + TIMEOUT
        while True:
            target = self.wait_target(
                lambda target: target["type"] == "page" and target["url"] == url, f"a tab with {url}"
            )
            try:
                self.evaluate(target, expression)
                return target
            except Failure as failure:
                if time.monotonic() > deadline:
                    raise Failure(f"{url} does not answer: {failure}") from None

    def leave_by_link(self, url):
        """Clicks the link in a page that has not loaded yet."""
        self.when_at(url, """const leave = () => { done(true); setTimeout(() => document.getElementById('away').click()); };
            document.readyState === 'loading' ? addEventListener('DOMContentLoaded', leave) : leave()""")

    def by_script(self, url, function):
        """What a function returns that runs as a script of the extension in the page with that address.

        It runs after all that the extension has begun there because the page has loaded.
        """
        self.page(url)
        return self.in_extension(f"""(async () => {{
            const shown = async () => (await chrome.tabs.query({{}})).find((tab) => tab.url === {json.dumps(url)});
            while ((await shown()).status !== 'complete') await new Promise((done) => {{
                chrome.tabs.onUpdated.addListener(done); shown().then((tab) => tab.status === 'complete' && done());
            }});
            const [{{result}}] = await chrome.scripting.executeScript({{target: {{tabId: (await shown()).id}}, func: {function}}});
            return result;
        }})()""")

    def in_page(self, url, expression):
        return self.evaluate(self.page(url), expression)

    @contextlib.contextmanager
    def private_window(self, url):
        """A private window with that page, which has loaded."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        self.call("Target.createTarget", url=url, browserContextId=context, newWindow=True)
        self.page(url)
        yield
        self.call("Target.disposeBrowserContext", browserContextId=context)

    def has_focus(self, url):
        """Waits until the page has the focus of the desktop."""
        self.in_page(url, "new Promise((done) => document.hasFocus() ? done(true) "
                          ": addEventListener('focus', () => done(true), {once: true}))")

    @contextlib.contextmanager
    def popup(self):
        """The popup of the extension, opened as by a click; yields a function that evaluates in it."""
        with self._popup() as target:
            yield lambda expression: self.evaluate(target, expression, gesture=True)

    @contextlib.contextmanager
    def _popup(self):
        self.in_extension("chrome.action.openPopup().then(() => null)")
        target = self.wait_target(lambda target: target["url"].endswith("/popup.html"), "the popup")
        self.evaluate(target, SHOWN)
        yield target
        with contextlib.suppress(Failure):
            self.evaluate(target, "window.close()")
        self.wait_no_target(target)

    def picture(self, file, scheme):
        """Writes a picture of the popup, once it shows what is near, in the colour scheme `light` or `dark`."""
        with self._popup() as target:
            session = self.attach(target)
            features = [{"name": "prefers-color-scheme", "value": scheme}]
            self.call("Emulation.setEmulatedMedia", session, features=features)
            look = """new Promise((done) => { const look = () => document.querySelector('#nearby button') && done(); look();
                new MutationObserver(look).observe(document, {childList: true, subtree: true}); })"""
            self.call("Runtime.evaluate", session, expression=look, awaitPromise=True)
            file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", session)["data"]))


class Firefox:
    """A Firefox with the extension."""

    name = "firefox"
    title = "Firefox"

    def __init__(self, environment, profile, extension, log, port):
        self.profile, self._extension, self._port = profile, extension, port
        self._environment, self._log = environment, log
        self._ids = 0

    @contextlib.contextmanager
    def running(self, *more):
        self.profile.mkdir(exist_ok=True)
        preferences = {
            "marionette.port": self._port, "browser.shell.checkDefaultBrowser": False, "app.update.enabled": False,
            "datareporting.policy.dataSubmissionEnabled": False, "toolkit.telemetry.enabled": False,
            "browser.aboutwelcome.enabled": False, "extensions.webextOptionalPermissionPrompts": False,
            "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
            "browser.tabs.warnOnClose": False, "browser.startup.homepage_override.mstone": "ignore",
            "security.sandbox.content.level": 0, "focusmanager.testmode": False, "termsofuse.bypassNotification": True,
            "datareporting.policy.dataSubmissionPolicyBypassNotification": True, "browser.startup.page": 0,
        }
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in preferences.items()]
        (self.profile / "user.js").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.process = subprocess.Popen(
            [FIREFOX, "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", str(self.profile),
             *more, "about:blank"],
            env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True, text=True,
        )
        try:
            self._connect()
            yield self
        finally:
            self.kill()

    def kill(self):
        """Ends the browser and its processes, as a crash does."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _connect(self):
        ready = threading.Event()

        def read():
            for line in self.process.stdout:
                self._log.write(line)
                self._log.flush()
                if "Listening on port" in line:
                    ready.set()

        threading.Thread(target=read, daemon=True).start()
        if not ready.wait(TIMEOUT):
            raise Failure("Firefox does not listen")
        self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=TIMEOUT)
        self._stream = self._socket.makefile("rb")
        self._receive()
        self.call("WebDriver:NewSession", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})
        self.call("WebDriver:SetTimeouts", script=int(TIMEOUT * 1000))
        self.call("Addon:Install", path=str(self._extension), temporary=True)

    def _receive(self):
        length = b""
        while (byte := self._stream.read(1)) != b":":
            if not byte:
                raise Failure("Firefox has ended")
            length += byte
        return json.loads(self._stream.read(int(length)))

    def call(self, method, **parameters):
        self._ids += 1
        message = json.dumps([0, self._ids, method, parameters]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        _, number, error, result = self._receive()
        if error or number != self._ids:
            raise Failure(f"{method}: {error}")
        return result

    def in_browser(self, script, *arguments):
        """The value that a script of the browser itself resolves with."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self._script(script, arguments)
        finally:
            self.call("Marionette:SetContext", value="content")

    def _script(self, script, arguments=()):
        body = f"""const done = arguments[arguments.length - 1];
            const act = async (...args) => {{ {script} }};
            act(...[...arguments].slice(0, -1))
                .then((value) => done({{value}}), (error) => done({{error: String(error)}}));"""
        result = self.call("WebDriver:ExecuteAsyncScript", script=body, args=list(arguments))["value"]
        if "error" in result:
            raise Failure(f"{script}: {result['error']}")
        return result.get("value")

    # What a person does.

    def open(self, url):
        """Opens an address in a new tab, which is shown; returns the tab."""
        return self.in_browser(
            "const tab = gBrowser.addTrustedTab(args[0]); gBrowser.selectedTab = tab; return tab.linkedPanel;", url
        )

    def navigate(self, url):
        """Goes to another page in the shown tab."""
        self.in_browser("gBrowser.selectedBrowser.fixupAndLoadURIString(args[0], "
                        "{triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal()});", url)

    def show(self, tab):
        self.in_browser("gBrowser.selectedTab = gBrowser.tabs.find((tab) => tab.linkedPanel === args[0]);", tab)

    def page(self, url):
        """Turns to the tab with that address, once it has loaded, without showing it."""
        self.in_browser(
            """const wanted = () => gBrowser.tabs.some(({linkedBrowser}) => linkedBrowser.currentURI.spec === args[0]
                && !linkedBrowser.webProgress.isLoadingDocument);
            if (!wanted()) await new Promise((done) => {
                const look = () => {
                    if (!wanted()) return;
                    gBrowser.removeTabsProgressListener(listener);
                    done();
                };
                const listener = {onStateChange: look, onLocationChange: look};
                gBrowser.addTabsProgressListener(listener);
            });""", url,
        )
        for handle in self.call("WebDriver:GetWindowHandles"):
            self.call("WebDriver:SwitchToWindow", handle=handle, focus=False)
            if self.call("WebDriver:GetCurrentURL")["value"] == url:
                return
        raise Failure(f"no tab with {url}")

    def in_page(self, url, expression):
        """The value of an expression in the tab with that address, once it has loaded."""
        self.page(url)
        return self._script(f"return await ({expression});")

    @contextlib.contextmanager
    def private_window(self, url):
        """A private window with that page, which has loaded."""
        self.in_browser(
            """const window = OpenBrowserWindow({private: true});
            await new Promise((done) => window.addEventListener("load", done, {once: true}));
            await window.delayedStartupPromise;
            const {linkedBrowser} = window.gBrowser.selectedTab;
            const triggeringPrincipal = Services.scriptSecurityManager.getSystemPrincipal();
            linkedBrowser.fixupAndLoadURIString(args[0], {triggeringPrincipal});
            await new Promise((done) => window.gBrowser.addTabsProgressListener({
                onStateChange(browser, progress, request, flags) {
                    const isOver = flags & Ci.nsIWebProgressListener.STATE_STOP;
                    if (isOver && linkedBrowser.currentURI.spec === args[0]) done();
                }
            }));""", url,
        )
        yield
        self.in_browser(
            """for (const one of [...Services.wm.getEnumerator("navigator:browser")]) {
                if (PrivateBrowsingUtils.isWindowPrivate(one)) one.close();
            }"""
        )

    def settings_page(self):
        """Opens the extension's popup in the shown tab."""
        uuid = self.in_browser(
            'return JSON.parse(Services.prefs.getStringPref("extensions.webextensions.uuids"))[args[0]];', EXTENSION_ID
        )
        self.call("WebDriver:SwitchToWindow", handle=self.call("WebDriver:GetWindowHandles")[0], focus=True)
        self.call("WebDriver:Navigate", url=f"moz-extension://{uuid}/popup.html")

    def click(self, selector):
        """Clicks an element of the page, as a person does."""
        element = self.call("WebDriver:FindElement", using="css selector", value=selector)["value"]
        self.call("WebDriver:ElementClick", id=next(iter(element.values())))
