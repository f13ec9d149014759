// Tells handoff-browser-host which page the person sees, and opens pages of other devices.
import { isPopup } from "./callers.js";
import { Host } from "./host.js";
import { mayOpen, pageAddress, placeToTell, publishablePage } from "./pages.js";
import { readPosition, restorePosition } from "./reading.js";
import { browserAPI, isPublished, keepFromPages, readSettings } from "./settings.js";

/** The events of a page come many at once, and a page can cause them: no more than one message in this time, in ms. */
const shortestInterval = 100;

/** The popups that are open, each with a port. */
const popups = new Set();
let nearby = [];
/** The tab whose page was sent last, and its address: {id, url}; null when none is published. */
let published = null;
let reportTimer = null;
/** When the last report was made, by a clock that is never set back. */
let lastReport = -Infinity;
let reports = 0;
let isFocusChanged = false;
/** The window that got the focus last, and still has it: what a window says of itself comes later. */
let focusedWindow = null;

const host = new Host({
    ready() {
        published = null;
        isFocusChanged = true;
        report();
        if (popups.size > 0) host.send({ type: "look", on: true });
    },
    message: handle,
    change: tellPopups,
});

// MARK: The page that the person sees

/** Reports the page soon: at once after a pause, else when the last report is old enough. */
function reportSoon() {
    host.connect();
    if (reportTimer !== null) return;
    const wait = Math.max(0, lastReport + shortestInterval - performance.now());
    reportTimer = setTimeout(report, wait);
}

async function report() {
    clearTimeout(reportTimer);
    reportTimer = null;
    lastReport = performance.now();
    reports += 1;
    const turn = reports;
    const { tab, isFocused } = await shownTab();
    // Another program has the focus: its activity, if it has one, takes precedence by itself.
    if (!tab) return;
    // A new tab has no address yet; its page follows.
    if (tab.status === "loading" && (!tab.url || tab.url === "about:blank")) return;
    const page = publishablePage(tab);
    const settings = await readSettings();
    // A later report has seen more.
    if (turn !== reports) return;
    if (!page || !isPublished(page.host, settings)) {
        published = null;
        host.send({ type: "noPage" });
        return;
    }
    const isNew = published?.id !== tab.id || published?.url !== page.url;
    published = { id: tab.id, url: page.url };
    const focused = isFocused && (isFocusChanged || isNew);
    if (focused) isFocusChanged = false;
    host.send({ type: "page", url: page.url, title: page.title, focused });
}

/** The active tab of the normal window that has the focus, or had it last. */
async function shownTab() {
    try {
        const window = await browserAPI.windows.getLastFocused({ populate: true });
        const tab = window.tabs?.find((tab) => tab.active) ?? null;
        return { tab, isFocused: window.focused || window.id === focusedWindow };
    } catch {
        return { tab: null, isFocused: false };
    }
}

browserAPI.tabs.onActivated.addListener(reportSoon);
browserAPI.tabs.onUpdated.addListener((id, change, tab) => {
    if (tab.active && (change.url || change.title || change.status)) reportSoon();
});
browserAPI.tabs.onRemoved.addListener(reportSoon);
browserAPI.windows.onFocusChanged.addListener((id) => {
    focusedWindow = id === browserAPI.windows.WINDOW_ID_NONE ? null : id;
    isFocusChanged = focusedWindow !== null;
    if (!isFocusChanged) return;
    reportSoon();
});
browserAPI.windows.onRemoved.addListener(async () => {
    // Without a window nothing is shown, in a browser that goes on without one.
    const windows = await browserAPI.windows.getAll();
    if (windows.length === 0) {
        published = null;
        host.send({ type: "noPage" });
    }
});
browserAPI.storage.onChanged.addListener(() => {
    isFocusChanged = true;
    reportSoon();
});

// MARK: What the host asks for

function handle(message) {
    switch (message.type) {
        case "save": return save(message);
        case "open": return open(message);
        case "nearby":
            nearby = message.entries;
            return tellPopups();
        case "continued": return tellPopups({ continued: message });
    }
}

/** Looks where the reader is on the published page, if the person has allowed to look. */
async function save({ id }) {
    const answer = { type: "saved", id };
    if (published) {
        const { id, url } = published;
        answer.url = url;
        // The tab may have another page by now: the page itself tells which one it is.
        const place = await run(id, readPosition, [pageAddress(url)]);
        if (place) answer.state = placeToTell(place);
    }
    host.send(answer);
}

/** Opens a page in a new tab of the newest window, and gives it the focus. */
async function open({ id, url, state }) {
    let isOpened = false;
    if (mayOpen(url)) {
        try {
            const tab = await openTab(url);
            isOpened = true;
            restoreWhenLoaded(tab.id, url, state);
        } catch (error) {
            console.warn(`the page was not opened: ${error.message}`);
        }
    }
    host.send({ type: "opened", id, opened: isOpened });
}

async function openTab(url) {
    const window = await browserAPI.windows.getLastFocused({ windowTypes: ["normal"] }).catch(() => null);
    if (!window || window.incognito || window.type !== "normal") {
        const made = await browserAPI.windows.create({ url, focused: true });
        return made.tabs[0];
    }
    const tab = await browserAPI.tabs.create({ windowId: window.id, url, active: true });
    await browserAPI.windows.update(window.id, { focused: true });
    return tab;
}

/**
 * Restores the position once the page is there; a page that the person leaves meanwhile keeps its own. Another page in its
 * place, such as one to which the site redirects, gets nothing.
 */
function restoreWhenLoaded(id, url, state) {
    const hasContent = state && Object.keys(state).length > 0;
    if (!hasContent) return;
    const address = pageAddress(url);
    let isOver = false;
    const stop = () => {
        isOver = true;
        browserAPI.tabs.onUpdated.removeListener(update);
        clearTimeout(timer);
    };
    const update = (updated, change, tab) => {
        if (isOver || updated !== id || change.status !== "complete" || pageAddress(tab.url) !== address) return;
        stop();
        // The tab may have another page when this arrives: the page itself compares again.
        run(id, restorePosition, [state, address]);
    };
    const timer = setTimeout(stop, 30000);
    browserAPI.tabs.onUpdated.addListener(update);
    browserAPI.tabs.get(id).then((tab) => update(id, { status: tab.status }, tab), stop);
}

/** Runs a function in a page; null where the person has not allowed it, or the browser never does. */
async function run(tabId, func, args = []) {
    try {
        const [{ result }] = await browserAPI.scripting.executeScript({ target: { tabId }, func, args });
        return result ?? null;
    } catch {
        return null;
    }
}

// MARK: The popup

browserAPI.runtime.onConnect.addListener((port) => {
    if (!isPopup(port)) return port.disconnect();
    popups.add(port);
    host.connect({ now: true });
    host.send({ type: "look", on: true });
    port.onMessage.addListener((message) => {
        if (message.type === "continue") host.send(message);
    });
    port.onDisconnect.addListener(() => {
        popups.delete(port);
        if (popups.size === 0) {
            nearby = [];
            host.send({ type: "look", on: false });
        }
    });
    tellPopups();
});

function tellPopups(more = {}) {
    for (const port of popups) port.postMessage({ host: host.state, nearby, ...more });
}

// MARK: Start

keepFromPages();
browserAPI.runtime.onStartup.addListener(() => host.connect());
browserAPI.runtime.onInstalled.addListener(() => host.connect());
browserAPI.alarms.onAlarm.addListener(() => host.connect());
browserAPI.alarms.create("connect", { periodInMinutes: 1 });
host.connect();
