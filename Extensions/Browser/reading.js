// What runs inside a page, and only when the person continues it elsewhere or here. Each function is passed to the page
// as text, so that it uses nothing outside of itself, and is told the address of the page for which it is meant, without
// what follows `#`: another page may have taken that one's place.

/**
 * Returns where the reader is: {scroll, anchor, selection, page}, of which the last three may be absent; null if elsewhere.
 * What it tells is for `placeToTell` in pages.js, which is not there inside a page.
 */
export function readPosition(address) {
    if (location.href.split("#", 1)[0] !== address) return null;
    // More than is told, since what follows the end decides where it is cut.
    const beginning = (text) => text.trim().replace(/\s+/g, " ").slice(0, 400);
    const element = document.scrollingElement ?? document.documentElement;
    const room = element.scrollHeight - element.clientHeight;
    const position = { scroll: room > 0 ? Math.min(1, Math.max(0, element.scrollTop / room)) : 0 };
    for (const block of document.querySelectorAll("p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, td, dd")) {
        if (block.getBoundingClientRect().top >= 0) {
            const text = beginning(block.textContent ?? "");
            if (text !== "" && element.scrollTop > 0) position.anchor = text;
            break;
        }
    }
    const selection = document.getSelection();
    const node = selection?.anchorNode;
    const owner = node instanceof Element ? node : node?.parentElement;
    // Never what is in a field.
    if (owner && !owner.closest("input, textarea, select, [contenteditable]")) {
        const text = beginning(selection.toString());
        if (text !== "") position.selection = text;
    }
    const offer = document.querySelector('meta[name="handoff-state"]')?.content;
    const isShort = typeof offer === "string" && new TextEncoder().encode(offer).length <= 1024;
    if (isShort && offer !== "") position.page = offer;
    return position;
}

/** Shows the same place as on the other device, and gives the page what it has offered there; nothing to another page. */
export function restorePosition(position, address) {
    if (location.href.split("#", 1)[0] !== address) return;
    const plain = (text) => (text ?? "").trim().replace(/\s+/g, " ");
    const element = document.scrollingElement ?? document.documentElement;
    const blocks = [...document.querySelectorAll("p, li, h1, h2, h3, h4, h5, h6, pre, blockquote, td, dd")];
    const anchor = position.anchor && blocks.find((block) => plain(block.textContent).startsWith(position.anchor));
    const scroll = () => {
        if (anchor) anchor.scrollIntoView({ block: "start", behavior: "instant" });
        else if (typeof position.scroll === "number") {
            const room = element.scrollHeight - element.clientHeight;
            element.scrollTo({ top: position.scroll * room, behavior: "instant" });
        }
    };
    scroll();
    // Pictures that load later move the text.
    if (document.readyState !== "complete") addEventListener("load", scroll, { once: true });
    if (position.selection) {
        const block = blocks.find((block) => plain(block.textContent).includes(position.selection));
        if (block) document.getSelection()?.selectAllChildren(block);
    }
    if (position.page) document.dispatchEvent(new CustomEvent("handoffcontinue", { detail: position.page }));
}
