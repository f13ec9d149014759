// The part of VS Code's API that the extension uses, for node: it is told on standard input, a JSON object a line, what
// the person does, and prints a line for each that is done and for each message.
'use strict';

const childProcess = require('child_process');
const fs = require('fs');
const Module = require('module');
const path = require('path');
const readline = require('readline');

const settings = { enabled: false, unsaved: false, command: 'handoffctl' };
const listeners = { editor: [], window: [], save: [], settings: [] };
const commands = {};
const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const event = (name) => (listener) => {
    listeners[name].push(listener);
    return { dispose() {} };
};
const emit = (name, value) => listeners[name].forEach((listener) => listener(value));

class Range {
    constructor(...numbers) {
        [this.line, this.character, this.endLine, this.endCharacter] = numbers;
    }

    get active() {
        return { line: this.endLine, character: this.endCharacter };
    }
}

class WorkspaceEdit {
    replace(uri, range, text) {
        Object.assign(this, { uri, range, text });
    }
}

const vscode = {
    env: { remoteName: process.env.REMOTE_NAME },
    Uri: { file: (file) => ({ file }) },
    Range,
    Selection: Range,
    TextEditorRevealType: { InCenterIfOutsideViewport: 2 },
    WorkspaceEdit,
    window: {
        state: { focused: false },
        activeTextEditor: undefined,
        showTextDocument: async (document) => {
            if (document !== vscode.window.activeTextEditor.document) actions.open({ document });
            return vscode.window.activeTextEditor;
        },
        onDidChangeActiveTextEditor: event('editor'),
        onDidChangeWindowState: event('window'),
        showWarningMessage: (text) => tell({ warning: text }),
        showInformationMessage: (text) => tell({ information: text }),
    },
    workspace: {
        getConfiguration: () => ({ get: (name, value) => (name in settings ? settings[name] : value) }),
        // The document that is open here is that of the focused editor.
        openTextDocument: async ({ file }) => {
            if (answer) tell({ held: file });
            await disk;
            const { document } = vscode.window.activeTextEditor;
            return document.uri.fsPath === file ? document : makeDocument({ file, mustBeThere: true });
        },
        applyEdit: async ({ uri, range, text }) => {
            const { document } = vscode.window.activeTextEditor;
            const isWhole = range.line === 0 && range.character === 0 && range.endLine === document.lineCount;
            if (uri !== document.uri || !isWhole || !isWritable) return false;
            Object.assign(document, { content: text, isDirty: true });
            return true;
        },
        onDidSaveTextDocument: event('save'),
        onDidChangeConfiguration: event('settings'),
    },
    commands: {
        registerCommand: (name, body) => {
            commands[name] = body;
            return { dispose() {} };
        },
    },
};

// The disk answers when the test says so, and what handoffctl prints is told, if the test asks for it.
let disk = Promise.resolve();
let answer = null;
let isWatched = false;
let isWritable = true;
const { stat } = fs.promises;
fs.promises.stat = async (name) => {
    const status = await stat(name).catch(() => null);
    if (answer) tell({ held: name });
    await disk;
    if (!status) throw new Error('there is no such file');
    return status;
};
const { spawn } = childProcess;
childProcess.spawn = (...words) => {
    const child = spawn(...words);
    child.stdout.on('data', (text) => {
        if (isWatched) tell({ printed: String(text) });
    });
    return child;
};

const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? vscode : load(name, ...rest));
const extension = require(path.resolve(process.argv[2]));

function makeDocument({ file, scheme = 'file', isDirty = false, mustBeThere = false }) {
    const isFile = fs.existsSync(file) && fs.statSync(file).isFile();
    if (mustBeThere && !isFile) throw new Error('there is no such file');
    return {
        uri: { scheme, fsPath: file }, isUntitled: scheme === 'untitled', isDirty, isClosed: false,
        content: isFile ? fs.readFileSync(file, 'utf8') : '',
        getText() { return this.content; },
        get lineCount() { return this.content.split('\n').length; },
        lineAt(number) { return { text: this.content.split('\n')[number] }; },
    };
}

function editor({ line = 0, character = 0, document = null, ...what }) {
    return {
        selection: { active: { line, character } }, document: document || makeDocument(what),
        revealRange() { tell({ revealed: true }); },
    };
}

const actions = {
    set: (value) => {
        Object.assign(settings, value);
        emit('settings', { affectsConfiguration: (name) => name === 'handoff' });
    },
    open: (value) => {
        const before = vscode.window.activeTextEditor;
        if (before && !(value && value.keeps)) before.document.isClosed = true;
        vscode.window.activeTextEditor = value ? editor(value) : undefined;
        emit('editor', vscode.window.activeTextEditor);
    },
    change: (content) => Object.assign(vscode.window.activeTextEditor.document, { content, isDirty: true }),
    // The cursor moves: the extension is told nothing that it listens to.
    move: (value) => Object.assign(vscode.window.activeTextEditor.selection.active, value),
    save: () => emit('save', vscode.window.activeTextEditor.document),
    focus: (focused) => emit('window', { focused }),
    run: (name) => commands[name](),
    look: () => {
        const { selection, document } = vscode.window.activeTextEditor;
        tell({ file: document.uri.fsPath, text: document.content, isDirty: document.isDirty, ...selection.active });
    },
    refuse: (value) => { isWritable = !value; },
    watch: (value) => { isWatched = value; },
    hold: (value) => {
        if (value) disk = new Promise((resolve) => { answer = resolve; });
        else answer = answer();
    },
};

extension.activate({ subscriptions: [] });
readline.createInterface({ input: process.stdin })
    .on('line', (text) => {
        for (const [name, value] of Object.entries(JSON.parse(text))) actions[name](value);
        tell({ done: true });
    })
    .on('close', () => {
        extension.deactivate();
    });
