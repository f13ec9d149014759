// Shows unsaved text of another computer, which handoff-edit hands over at a socket: as a change that is not saved.
'use strict';

const crypto = require('crypto');
const fs = require('fs');
const net = require('net');
const path = require('path');
const vscode = require('vscode');
const { warn } = require('./messages');

// What handoffctl carries at most, and how long the line before the text may be, in bytes.
const MAXIMUM_TEXT_BYTES = 16 * 1024 * 1024;
const MAXIMUM_HEAD_BYTES = 64 * 1024;
// How long, in milliseconds, a connection may say nothing; handoff-edit waits less.
const PATIENCE = 10_000;

/**
 * The socket of this window, at which one request is read of each connection: a line of JSON, then as many bytes of
 * text as that says. Without a document it asks whether this window could show one.
 */
class TextServer {
    constructor() {
        this.server = null;
        // When this window had the focus last, so that the one is chosen that the person has used last.
        this.focusedAt = vscode.window.state.focused ? uptime() : 0;
    }

    focused() {
        this.focusedAt = uptime();
    }

    /** Follows the settings. A window on another computer has the files of that one. */
    configure() {
        const isOn = vscode.workspace.getConfiguration('handoff').get('enabled') === true && !vscode.env.remoteName;
        if (isOn) this.start();
        else this.stop();
    }

    start() {
        const directory = ownDirectory();
        if (this.server || !directory) return;
        const server = net.createServer((socket) => this.serve(socket));
        // Without it, handoff-edit has this window open the document as it was saved.
        server.on('error', () => {
            if (server === this.server) this.stop();
        });
        server.listen(path.join(directory, `${process.pid}-${crypto.randomBytes(8).toString('hex')}`));
        this.server = server;
    }

    /** Stops listening, which removes the socket. */
    stop() {
        if (this.server) this.server.close();
        this.server = null;
    }

    serve(socket) {
        const parts = [];
        let length = 0;
        let request = null;
        socket.setTimeout(PATIENCE, () => socket.destroy());
        socket.on('error', () => {});
        socket.on('data', (part) => {
            if (request && length >= request.length) return;
            parts.push(part);
            length += part.length;
            try {
                request = request || readHead(Buffer.concat(parts));
            } catch {
                socket.destroy();
            }
            if (request && length >= request.length) this.reply(socket, request, Buffer.concat(parts));
        });
    }

    async reply(socket, request, data) {
        // handoff-edit keeps the connection open for as long as it wants the text shown here.
        const isWanted = () => socket.readable && !socket.readableEnded && !socket.destroyed;
        try {
            const text = new TextDecoder('utf-8', { fatal: true }).decode(data.subarray(request.textBegin));
            if (data.length !== request.length) throw new Error('the text is longer than the request says');
            const answer = request.document ? await show(request, text, isWanted) : this.state();
            socket.end(`${JSON.stringify({ version: 1, ...answer })}\n`);
        } catch {
            socket.destroy();
        }
    }

    state() {
        return { state: savesByItself() ? 'saves' : 'ready', focusedAt: this.focusedAt };
    }
}

/** The time in µs by a clock that nobody sets back, and which is the same for all processes of the computer. */
function uptime() {
    return Number(process.hrtime.bigint() / 1000n);
}

/** The directory for the sockets of all windows, which is the user's alone; null where there can be none. */
function ownDirectory() {
    const runtime = process.env.XDG_RUNTIME_DIR;
    if (!runtime || !path.isAbsolute(runtime)) return null;
    const directory = path.join(runtime, 'handoff-vscode');
    try {
        fs.mkdirSync(directory, { mode: 0o700 });
    } catch (error) {
        if (error.code !== 'EEXIST') return null;
    }
    const status = fs.lstatSync(directory, { throwIfNoEntry: false });
    const isOwn = status && status.isDirectory() && status.uid === process.getuid() && (status.mode & 0o077) === 0;
    return isOwn ? directory : null;
}

/** What a request says, once its first line is there; null before. Throws if it is none. */
function readHead(data) {
    const end = data.indexOf('\n');
    if (end > MAXIMUM_HEAD_BYTES || (end < 0 && data.length > MAXIMUM_HEAD_BYTES)) throw new Error('no request');
    if (end < 0) return null;
    const head = JSON.parse(data.toString('utf8', 0, end));
    const isNumber = (number) => Number.isSafeInteger(number) && number >= 0;
    if (head.version !== 1 || !isNumber(head.bytes) || head.bytes > MAXIMUM_TEXT_BYTES) throw new Error('no request');
    if (head.document !== undefined) {
        const isPath = typeof head.document === 'string' && path.isAbsolute(head.document);
        if (!isPath || !isNumber(head.line) || !isNumber(head.column)) throw new Error('no request');
    }
    const { document, line, column } = head;
    return { document, line, column, textBegin: end + 1, length: end + 1 + head.bytes };
}

/** Shows a document at a place, with a text in the place of its own, unless that is changed here. */
async function show({ document: file, line, column }, text, isWanted) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    if (!isWanted()) return { state: 'late' };
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    if (!isWanted()) return { state: 'late' };
    const obstacle = await replace(document, text);
    const lines = (obstacle ? document.getText() : text).split(/\r\n|\r|\n/);
    const index = Math.min(Math.max(line, 1), lines.length) - 1;
    // VS Code counts UTF-16 code units.
    const character = Array.from(lines[index]).slice(0, Math.max(column, 1) - 1).join('').length;
    editor.selection = new vscode.Selection(index, character, index, character);
    editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    if (!obstacle) return { state: 'shown' };
    warn(`the unsaved text of the other computer is not shown: ${obstacle}`);
    return { state: 'refused' };
}

/** Puts a text in the place of that of a document, which stays unsaved; returns why not, or nothing. */
async function replace(document, text) {
    if (document.isDirty) return 'this document is changed.';
    if (savesByItself(document)) return 'VS Code would save it (files.autoSave).';
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
    return (await vscode.workspace.applyEdit(edit)) ? '' : 'VS Code does not change this document.';
}

/** Whether VS Code saves changes without being told to: what is shown here would get into the file. */
function savesByItself(document) {
    return vscode.workspace.getConfiguration('files', document).get('autoSave', 'off') !== 'off';
}

module.exports = { TextServer };
