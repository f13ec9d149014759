// The file in the focused editor, how handoffctl is told of it, and its unsaved text.
'use strict';

const fs = require('fs');
const { pathToFileURL } = require('url');
const vscode = require('vscode');

const TYPE = 'org.handoffd.document.text';
// How much unsaved text is sent, in bytes: what a stream of `handoffctl publish --follow` carries, less its first line.
const MAXIMUM_BYTES = 16 * 1024 * 1024 - 64;
// The names of files that extensions encrypt.
const ENCRYPTED = /\.(gpg|pgp|asc|age)$/i;
// The number of each document that is open, by which the other computer knows whose text it gets.
const numbers = new WeakMap();
let lastNumber = 0;

/** The file in the focused editor; null when there is none that another computer could open. */
async function focusedFile() {
    const editor = vscode.window.activeTextEditor;
    if (!editor || editor.document.uri.scheme !== 'file' || editor.document.isUntitled) return null;
    const path = editor.document.uri.fsPath;
    const status = await fs.promises.stat(path).catch(() => null);
    if (!status || !status.isFile()) return null;
    // After the wait, so that it is the place of this moment.
    return { ...place(editor), document: editor.document, path, time: Math.floor(status.mtimeMs / 1000) };
}

function place(editor) {
    const position = editor.selection.active;
    const before = editor.document.lineAt(position.line).text.slice(0, position.character);
    return {
        url: pathToFileURL(editor.document.uri.fsPath).href,
        line: position.line + 1,
        // VS Code counts UTF-16 code units.
        column: Array.from(before).length + 1,
        isModified: editor.document.isDirty,
    };
}

function numberOf(document) {
    if (!numbers.has(document)) numbers.set(document, ++lastNumber);
    return numbers.get(document);
}

/** The name of a file, without its directories. */
function nameOf(file) {
    return file.path.slice(file.path.lastIndexOf('/') + 1);
}

/** The beginning of a text, of so many characters as a person counts them. */
function shorten(text, length) {
    const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text);
    return Array.from(characters, ({ segment }) => segment).slice(0, length).join('');
}

/**
 * The line for handoffctl. With needsSave, it asks for the place of the cursor when a device fetches it; with
 * givesText, a device may ask for the unsaved text.
 */
function describe(file, { needsSave, givesText }) {
    return JSON.stringify({
        type: TYPE,
        title: shorten(nameOf(file).replace(/[\u0000-\u001f\u007f]/g, ' '), 200),
        documentURL: file.url,
        needsSave,
        ...(givesText && { supportsContinuationStreams: true }),
        userInfo: {
            version: 1, line: file.line, column: file.column, modified: file.isModified,
            modificationTime: file.time,
            ...(givesText && { buffer: numberOf(file.document) }),
        },
    });
}

/**
 * Writes the unsaved text of a file as it is now, for a stream: a line that says whether it follows and whose it is, then
 * the text.
 */
async function writeText(file, givesText, path) {
    const { state, text } = unsavedText(file, givesText);
    const head = JSON.stringify({ version: 1, state, ...(state === 'text' && { buffer: numberOf(file.document) }) });
    // Only into the file that is there: none is made once handoffctl has stopped waiting.
    await fs.promises.writeFile(path, `${head}\n${text}`, { flag: 'r+' });
}

function unsavedText(file, givesText) {
    if (!givesText) return { state: 'off', text: '' };
    if (!file || file.document.isClosed || !file.document.isDirty) return { state: 'saved', text: '' };
    // What is written to the disk may be encrypted; the text is the user's alone.
    if (ENCRYPTED.test(file.path)) return { state: 'off', text: '' };
    const text = file.document.getText().replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
    // Half a character, of UTF-16.
    if (/\p{Surrogate}/u.test(text)) return { state: 'encoding', text: '' };
    if (Buffer.byteLength(text) > MAXIMUM_BYTES) return { state: 'large', text: '' };
    return { state: 'text', text };
}

module.exports = { describe, focusedFile, nameOf, writeText };
