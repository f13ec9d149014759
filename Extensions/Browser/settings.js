// What the person has turned on: for all sites, and for each site that differs. Kept by the browser, on this computer.

/** The settings before the person has chosen anything: no page is published. */
const initial = { all: false, sites: {} };

/** Returns {all: whether pages of sites without a setting are published, sites: {host: boolean}}. */
export async function readSettings() {
    return { ...initial, ...(await browserAPI.storage.local.get(["all", "sites"])) };
}

/** Turns publishing on or off for all sites that have no setting of their own. */
export async function setAll(isOn) {
    await browserAPI.storage.local.set({ all: isOn });
}

/** Turns publishing on or off for one site; what is the same as for all sites is not kept. */
export async function setSite(host, isOn) {
    const { all, sites } = await readSettings();
    const changed = { ...sites };
    if (isOn === all) delete changed[host];
    else changed[host] = isOn;
    await browserAPI.storage.local.set({ sites: changed });
}

/** Whether pages of a host are published. */
export function isPublished(host, settings) {
    return Object.hasOwn(settings.sites, host) ? settings.sites[host] : settings.all;
}

/** Keeps what the person has turned on from scripts in pages, where the browser can. */
export function keepFromPages() {
    browserAPI.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" }).catch(() => {});
}

/** The API of the browser, which has another name in each. */
export const browserAPI = globalThis.browser ?? globalThis.chrome;
