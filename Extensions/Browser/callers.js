// Who may call the extension. There is one entry, `runtime.onConnect`, and it is the popup's: nothing listens to messages
// of pages (`runtime.onMessage`), nor to other extensions and web sites (`onConnectExternal`, `onMessageExternal`). The
// host is no caller: the browser itself starts it, by the name in host.js.
import { browserAPI } from "./settings.js";

/**
 * Whether a port is of the popup: the page of that address, in no tab. A script that runs in a page connects from the
 * address and the tab of that page, whatever name it gives to its port.
 */
export function isPopup({ name, sender }) {
    const { runtime } = browserAPI;
    const isOwn = sender?.id === runtime.id && sender.url === runtime.getURL("popup.html");
    return name === "popup" && isOwn && sender.tab === undefined;
}
