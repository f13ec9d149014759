// What is shown to the person. Names of devices and of files, and sentences with them, are written by others: in a message,
// VS Code makes a link of `[text](address)`, also one that runs a command (vs/base/common/linkedText.ts).
'use strict';

const vscode = require('vscode');

/** A text as VS Code shows it letter by letter: it has no link, and no character that turns what is beside it. */
function plain(text) {
    return text
        .replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, ' ')
        .replaceAll('](', '] (');
}

function inform(text) {
    vscode.window.showInformationMessage(plain(`Handoff: ${text}`));
}

function warn(text) {
    vscode.window.showWarningMessage(plain(`Handoff: ${text}`));
}

module.exports = { inform, warn };
