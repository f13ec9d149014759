// The part of a browser's API that background.js uses, for node: it is told on standard input, a JSON object a line,
// what happens, and prints a line for each message to the host, and for what a page gets. The argument is the path of
// background.js.
//
//     {"clock": SECONDS}           the wall clock is set
//     {"url": URL}                 the person goes to a page in the shown tab
//     {"host": MESSAGE}            the host sends a message
//     {"tab": ID, "url", "status"} a tab goes to a page, or has loaded it
//     {"hold": true}               functions for pages wait, and {"hold": false} lets them go
//     {"connect": PORT}            somebody connects: `name`, `sender`, and what is sent then, `message`
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const event = () => {
    const listeners = new Set();
    return {
        addListener: (listener) => listeners.add(listener),
        removeListener: (listener) => listeners.delete(listener),
        emit: (...values) => [...listeners].forEach((listener) => listener(...values)),
    };
};
const tell = (value) => console.log(JSON.stringify(value));
const tabs = [{ id: 1, active: true, status: 'complete', url: 'about:blank', title: 'a page' }];
const port = { onMessage: event(), onDisconnect: event(), postMessage: tell };
let held = null;
let release = null;

// What a page is for the functions of reading.js: they see its address when they run, and nothing of the extension.
function page(tab) {
    const element = { scrollHeight: 1000, clientHeight: 0, scrollTop: 500, scrollTo: ({ top }) => told({ top }) };
    const told = (what) => tell({ page: tab.url, ...what });
    return vm.createContext({
        location: { href: tab.url },
        document: {
            readyState: 'complete', scrollingElement: element, querySelectorAll: () => [], getSelection: () => null,
            querySelector: () => ({ content: `state of ${tab.url}` }),
            dispatchEvent: ({ detail }) => told({ got: detail }),
        },
        CustomEvent: class { constructor(name, { detail }) { this.detail = detail; } },
        Element: class {},
        TextEncoder,
    });
}

globalThis.browser = {
    tabs: {
        onActivated: event(), onUpdated: event(), onRemoved: event(),
        get: async (id) => ({ ...tabs.find((tab) => tab.id === id) }),
        create: async ({ url }) => {
            const made = { id: tabs.length + 1, active: false, status: 'loading', url: 'about:blank', title: '' };
            tabs.push(made);
            tell({ created: made.id, for: url });
            return { ...made };
        },
    },
    windows: {
        WINDOW_ID_NONE: -1,
        onFocusChanged: event(),
        onRemoved: event(),
        getLastFocused: async () => ({ id: 1, type: 'normal', focused: true, tabs: [tabs[0]] }),
        update: async () => {},
    },
    scripting: {
        executeScript: async ({ target, func, args }) => {
            tell({ running: func.name });
            await held;
            const context = page(tabs.find((tab) => tab.id === target.tabId));
            const result = vm.runInContext(`(${func})(...${JSON.stringify(args)})`, context);
            tell({ ran: func.name });
            return [{ result }];
        },
    },
    storage: { onChanged: event(), local: { get: async () => ({ all: true }), setAccessLevel: async (level) => tell(level) } },
    runtime: {
        id: 'handoff@handoffd.org',
        onConnect: event(),
        onStartup: event(),
        onInstalled: event(),
        connectNative: () => port,
        getURL: (path) => `moz-extension://0/${path}`,
    },
    alarms: { onAlarm: event(), create() {} },
};

const actions = {
    // For the library that shifts the clock.
    clock: ({ clock }) => { process.env.SHIFTED_CLOCK_SECONDS = String(clock); },
    host: ({ host }) => port.onMessage.emit(host),
    hold: ({ hold }) => {
        if (hold) held = new Promise((done) => { release = done; });
        else release();
    },
    connect: ({ connect: { name, sender, message } }) => {
        const one = { name, sender, onMessage: event(), onDisconnect: event() };
        one.postMessage = (told) => tell({ popup: told });
        one.disconnect = () => tell({ refused: name });
        browser.runtime.onConnect.emit(one);
        one.onMessage.emit(message);
        tell({ connected: name });
    },
    url: ({ tab: id = 1, url, status }) => {
        const tab = tabs.find((one) => one.id === id);
        const change = { url, ...(status && { status }) };
        Object.assign(tab, change);
        browser.tabs.onUpdated.emit(id, change, { ...tab });
    },
};

await import(pathToFileURL(process.argv[2]));
readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const action = JSON.parse(line);
    for (const name of Object.keys(actions)) if (name in action) actions[name](action);
});
