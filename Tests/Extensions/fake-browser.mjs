// The part of a browser's API that background.js uses, for node: it is told on standard input, a JSON object a line,
// what happens, and prints a line for each message to the host. The argument is the path of background.js.
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const event = () => {
    const listeners = [];
    return {
        addListener: (listener) => listeners.push(listener),
        emit: (...values) => listeners.forEach((listener) => listener(...values)),
    };
};
const tab = { id: 1, active: true, status: 'complete', url: 'about:blank', title: 'a page' };
const port = { onMessage: event(), onDisconnect: event(), postMessage: (value) => console.log(JSON.stringify(value)) };

globalThis.browser = {
    tabs: { onActivated: event(), onUpdated: event(), onRemoved: event() },
    windows: {
        WINDOW_ID_NONE: -1,
        onFocusChanged: event(),
        onRemoved: event(),
        getLastFocused: async () => ({ id: 1, focused: true, tabs: [tab] }),
    },
    storage: { onChanged: event(), local: { get: async () => ({ all: true }) } },
    runtime: {
        onConnect: event(),
        onStartup: event(),
        onInstalled: event(),
        connectNative: () => port,
        getURL: () => 'moz-extension://0/',
    },
    alarms: { onAlarm: event(), create() {} },
};

await import(pathToFileURL(process.argv[2]));
readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const { url, clock } = JSON.parse(line);
    // For the library that shifts the clock.
    if (clock !== undefined) process.env.SHIFTED_CLOCK_SECONDS = String(clock);
    if (url === undefined) return;
    tab.url = url;
    browser.tabs.onUpdated.emit(tab.id, { url }, tab);
});
