// The connection to handoff-browser-host, which the browser starts: kept while the browser runs, and made again when it
// ends.
import { browserAPI } from "./settings.js";

const hostName = "org.handoffd.browser";
const protocol = 1;
const firstDelay = 1000;
const longestDelay = 20000;
/** A connection that lasted that long, in ms, was not the fault of what ended it. */
const soundDuration = 30000;

export class Host {
    #port = null;
    #delay = firstDelay;
    #timer = null;
    #since = 0;
    #handlers;
    /** Whether the host has answered; null when there is no connection, and why. */
    state = { connected: false, available: false, message: "" };

    /** handlers: ready() when a host runs, message(object), and change() when `state` has changed. */
    constructor(handlers) {
        this.#handlers = handlers;
    }

    /** Connects unless there is a connection, or one is due later; with `now`, does not wait for that. */
    connect({ now = false } = {}) {
        if (this.#port || (this.#timer !== null && !now)) return;
        clearTimeout(this.#timer);
        this.#timer = null;
        this.#since = performance.now();
        const port = browserAPI.runtime.connectNative(hostName);
        this.#port = port;
        port.onMessage.addListener((message) => this.#receive(message));
        port.onDisconnect.addListener(() => {
            const error = port.error ?? browserAPI.runtime.lastError;
            this.#ended(error?.message ?? "");
        });
        this.send({ type: "hello", protocol, browser: browserName() });
    }

    /** Sends a message; without effect when there is no connection. */
    send(message) {
        try {
            this.#port?.postMessage(message);
        } catch {
            // The connection has just ended, which onDisconnect reports.
        }
    }

    #receive(message) {
        if (message.type === "ready") {
            this.state = { ...this.state, connected: true, message: "" };
            this.#handlers.ready();
        } else if (message.type === "status") {
            this.state = { connected: true, available: message.available, message: message.message ?? "" };
        } else if (message.type === "error") {
            console.warn(`handoff-browser-host: ${message.code}: ${message.message}`);
        } else {
            return this.#handlers.message(message);
        }
        this.#handlers.change();
    }

    #ended(message) {
        this.#port = null;
        this.state = { connected: false, available: false, message };
        this.#handlers.change();
        if (performance.now() - this.#since > soundDuration) this.#delay = firstDelay;
        // A background page that sleeps meanwhile is woken by its alarm, and by the next tab that is shown.
        this.#timer = setTimeout(() => this.connect({ now: true }), this.#delay);
        this.#delay = Math.min(longestDelay, this.#delay * 2);
    }
}

/** The name by which the host and the desktop know this browser. */
function browserName() {
    if (browserAPI.runtime.getURL("").startsWith("moz-extension:")) return "firefox";
    const brands = navigator.userAgentData?.brands ?? [];
    return brands.some(({ brand }) => brand === "Google Chrome") ? "chrome" : "chromium";
}
