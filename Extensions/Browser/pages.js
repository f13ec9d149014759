// What may be published of a tab. No browser is needed to decide it; handoff-browser-host decides it again.

/** The longest address and title that are sent; Docs/Browsers.md, "What is never published". */
const longestURL = 2048;
const longestTitle = 256;
/** The longest text of a place in a page. */
const longestPlace = 200;

/**
 * Returns {url, title, host} of a tab, or null if its page is never published: of a private window, of another scheme
 * than http and https, with a user name or a password, or with too long an address.
 */
export function publishablePage(tab) {
    if (!tab || tab.incognito || typeof tab.url !== "string" || tab.url.length > longestURL) return null;
    let url;
    try {
        url = new URL(tab.url);
    } catch {
        return null;
    }
    if (url.protocol !== "http:" && url.protocol !== "https:") return null;
    if (url.username !== "" || url.password !== "" || url.host === "") return null;
    return { url: tab.url, title: shorten(tab.title ?? "", longestTitle), host: url.host };
}

/** Whether an address of another device may be opened in a tab. */
export function mayOpen(text) {
    return publishablePage({ url: text }) !== null;
}

/** The address of a page without what follows `#`, which is a place in the same page; null if it is none. */
export function pageAddress(text) {
    try {
        return new URL(text).href.split("#", 1)[0];
    } catch {
        return null;
    }
}

/** What a page has told of where its reader is (`readPosition` in reading.js), with its texts as a message may have them. */
export function placeToTell({ scroll, anchor, selection, page }) {
    const place = { scroll };
    if (anchor) place.anchor = shorten(anchor, longestPlace);
    if (selection) place.selection = shorten(selection, longestPlace);
    // At most 1024 bytes, of which a script of the page may have made half of a surrogate pair.
    if (page) place.page = shorten(page, page.length);
    return place;
}

/**
 * The beginning of a text, of at most `longest` UTF-16 code units, cut between what a reader sees as characters. Half of a
 * surrogate pair, which is in no message, becomes U+FFFD.
 */
export function shorten(text, longest) {
    // What follows the limit decides whether the last character ends there.
    const head = text.slice(0, longest + 100).replace(/[\ud800-\udfff]/gu, "\ufffd");
    if (head.length <= longest) return head;
    const take = (characters) => {
        let short = "";
        for (const character of characters) {
            if (short.length + character.length > longest) break;
            short += character;
        }
        return short;
    };
    const segmenter = globalThis.Intl?.Segmenter && new Intl.Segmenter(undefined, { granularity: "grapheme" });
    // Firefox before 125 has none; and a single character may be longer than the limit.
    return (segmenter && take(Array.from(segmenter.segment(head), ({ segment }) => segment))) || take(Array.from(head));
}
