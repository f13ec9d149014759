// What is near, and what this browser publishes.
import { publishablePage } from "./pages.js";
import { browserAPI, isPublished, readSettings, setAll, setSite } from "./settings.js";

const origins = ["http://*/*", "https://*/*"];
const element = (id) => document.getElementById(id);
const text = (name, ...values) => browserAPI.i18n.getMessage(name, values);

document.documentElement.lang = browserAPI.i18n.getUILanguage();
for (const labelled of document.querySelectorAll("[data-text]")) labelled.textContent = text(labelled.dataset.text);

let continuing = 0;
const port = browserAPI.runtime.connect({ name: "popup" });
port.onMessage.addListener(({ host, nearby, continued }) => {
    const problem = host.available ? "" : host.connected ? host.message || text("connecting") : text("noHost");
    element("problem").textContent = problem;
    element("problem").hidden = problem === "";
    showNearby(nearby);
    if (continued?.id === continuing) showResult(continued);
});

// MARK: Nearby

function showNearby(entries) {
    const list = element("nearby");
    const focused = document.activeElement?.dataset?.entry;
    list.replaceChildren(...entries.map(row));
    element("nothing").hidden = entries.length > 0;
    // The list was replaced under the person's fingers.
    if (focused) list.querySelector(`[data-entry="${CSS.escape(focused)}"]`)?.focus();
}

function row(entry) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.entry = entry.entry;
    button.disabled = !entry.continuable;
    const what = document.createElement("span");
    what.className = "what";
    const isPage = entry.webpage && (entry.type === "" || entry.type === "NSUserActivityTypeBrowsingWeb");
    what.textContent = isPage ? text("webPage") : entry.app || entry.type || text("otherActivity");
    const device = document.createElement("span");
    device.className = "device";
    device.textContent = text(entry.continuable ? "continueFrom" : "notContinuable", entry.device);
    button.append(what, device);
    button.addEventListener("click", () => {
        continuing += 1;
        element("result").textContent = text("continuing", entry.device);
        element("result").hidden = false;
        port.postMessage({ type: "continue", id: continuing, entry: entry.entry });
    });
    const item = document.createElement("li");
    item.append(button);
    return item;
}

function showResult({ continued, message }) {
    element("result").textContent = continued ? text("continued") : message;
    element("result").hidden = false;
}

// MARK: What is published

async function showSettings() {
    const settings = await readSettings();
    const [tab] = await browserAPI.tabs.query({ active: true, currentWindow: true });
    const page = publishablePage(tab);
    element("all").checked = settings.all;
    element("site-row").hidden = !page;
    element("never").hidden = page !== null;
    if (page) {
        element("site-label").textContent = text("thisSite", page.host);
        element("site").checked = isPublished(page.host, settings);
        element("site").dataset.host = page.host;
    }
    element("position").checked = await browserAPI.permissions.contains({ origins });
}

element("all").addEventListener("change", async ({ target }) => {
    await setAll(target.checked);
    await showSettings();
});
element("site").addEventListener("change", async ({ target }) => {
    await setSite(target.dataset.host, target.checked);
    await showSettings();
});
element("position").addEventListener("change", async ({ target }) => {
    // The browser asks the person itself, directly after the click.
    if (target.checked) await browserAPI.permissions.request({ origins });
    else await browserAPI.permissions.remove({ origins });
    await showSettings();
});

await showSettings();
document.querySelector("main").ariaBusy = "false";
