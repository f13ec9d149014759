// Offers the file in the focused editor, with the place of the cursor, to the user's other computers.
// Docs/Editors.md of handoffd says what is sent, and what happens on the other computer.
'use strict';

const { execFile, spawn } = require('child_process');
const vscode = require('vscode');
const { describe, focusedFile, nameOf, writeText } = require('./file');
const { inform, warn } = require('./messages');
const { TextServer } = require('./showing');

// How long, in milliseconds, a change of the editor waits for the next one; and how long a file stays offered while
// something without a file has the focus, such as the output of a task.
const PAUSE = 100;
const LINGER = 1000;

/** One `handoffctl publish --follow`, and what it offers. */
class Publisher {
    constructor() {
        this.child = null;
        // The file that is offered, as focusedFile() returns it.
        this.offered = null;
        // The file of the last answer to willSave, with which another device goes on.
        this.asked = null;
        this.object = '';
        this.obstacle = '';
        this.continued = '';
        this.timer = null;
        this.isAsking = false;
        // Counts the looks at the focused editor: each waits for the disk, and only the newest counts.
        this.look = 0;
        this.isFailed = false;
        // The program that runs, as the settings named it.
        this.command = '';
        // Counts the lines that change what is offered, and ends of handoffctl.
        this.turn = 0;
    }

    get settings() {
        return vscode.workspace.getConfiguration('handoff');
    }

    get isOn() {
        return this.settings.get('enabled') === true && !this.isFailed;
    }

    get givesText() {
        return this.settings.get('unsaved') === true;
    }

    /** Follows the settings: starts, or ends the activity. */
    configure() {
        this.isFailed = false;
        // What handoffctl has told holds as long as it runs.
        if (!this.isOn || !this.child || this.settings.get('command') !== this.command) {
            this.stop();
            this.obstacle = '';
        }
        if (this.isOn) this.changed();
    }

    /** Looks at the focused editor a moment later. */
    changed(delay = PAUSE, isLate = false) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.update(isLate), delay);
    }

    async update(isLate) {
        if (!this.isOn) return;
        const look = ++this.look;
        const file = await focusedFile();
        if (look !== this.look || !this.isOn) return;
        if (!file) {
            if (this.offered && !isLate) this.changed(LINGER - PAUSE, true);
            else this.end();
        } else if (!this.offered || file.url !== this.offered.url || file.time !== this.offered.time) {
            this.start();
            if (this.child) this.offer(file);
        }
    }

    offer(file) {
        this.turn += 1;
        this.offered = file;
        this.write(this.line(file, true));
    }

    end() {
        if (!this.offered) return;
        this.turn += 1;
        this.offered = null;
        this.asked = null;
        this.object = '';
        this.write('null');
    }

    line(file, needsSave) {
        return describe(file, { needsSave, givesText: this.givesText });
    }

    /** Answers willSave, twice: the second line says that the next device has to ask again. */
    async save() {
        const turn = this.turn;
        const file = (await focusedFile()) || this.offered;
        // Another line was the answer meanwhile, or there is nobody to answer.
        if (turn !== this.turn || !this.isOn) return;
        if (file) {
            this.offered = file;
            this.asked = file;
            this.write(this.line(file, false));
            this.write(this.line(file, true));
        } else {
            this.write('{}');
        }
    }

    /**
     * Gives the unsaved text to a device that has asked for it: of the file with which that device goes on, though another
     * one may be offered by now.
     */
    async send(event) {
        const child = this.child;
        try {
            await writeText(this.asked, this.givesText, event.path);
        } catch {
            // handoffctl breaks the stream then, when it has waited.
            return;
        }
        if (child === this.child) this.write(JSON.stringify({ stream: event.stream }));
    }

    start() {
        if (this.child) return;
        this.command = this.settings.get('command');
        const child = spawn(this.command, ['publish', '--follow', '--json'], {
            stdio: ['pipe', 'pipe', 'pipe'],
        });
        this.child = child;
        let rest = '';
        let errors = '';
        child.stdout.setEncoding('utf8').on('data', (text) => {
            const lines = (rest + text).split('\n');
            rest = lines.pop();
            if (child === this.child) lines.forEach((line) => this.handle(line));
        });
        child.stderr.setEncoding('utf8').on('data', (text) => { errors = (errors + text).slice(-4096); });
        // It has ended; the reason follows with its exit.
        child.stdin.on('error', () => {});
        child.on('error', (error) => this.fail(child, error.message));
        child.on('close', (status) => this.fail(child, errors.trim() || `handoffctl ended with status ${status}`));
    }

    write(line) {
        if (this.child && this.child.stdin.writable) this.child.stdin.write(`${line}\n`);
    }

    /** Ends the activity by ending handoffctl. */
    stop() {
        clearTimeout(this.timer);
        this.turn += 1;
        const child = this.child;
        this.child = null;
        this.offered = null;
        this.asked = null;
        this.object = '';
        if (child) {
            child.stdin.end();
            child.kill('SIGINT');
        }
    }

    /** Switches off until the settings change, and says so, once. */
    fail(child, reason) {
        if (child !== this.child) return;
        this.stop();
        this.isFailed = true;
        this.obstacle = reason;
        warn(reason);
    }

    handle(line) {
        let event;
        try {
            event = JSON.parse(line);
        } catch {
            return;
        }
        switch (event.event) {
        case 'willSave': this.save(); break;
        case 'streamOpened': this.send(event); break;
        case 'offered':
            this.object = event.activity;
            this.obstacle = event.documentProblem || '';
            break;
        case 'continued': this.continued = event.deviceName; break;
        case 'daemonStopped': this.object = ''; break;
        case 'documentLost': case 'withheld': this.obstacle = event.documentProblem || event.message || ''; break;
        case 'sessionAway': this.obstacle = 'The session is locked or idle.'; break;
        case 'documentFound': case 'permitted': case 'sessionBack': this.obstacle = ''; break;
        case 'invalidLine': console.error(`handoff: ${event.message}`); break;
        }
    }

    /** Begins the activity anew if another program has published since, so that it is the current one. */
    ask() {
        if (!this.isOn || !this.object || this.obstacle || this.isAsking) return;
        this.isAsking = true;
        execFile(this.settings.get('command'), ['status', '--json'], { timeout: 5000 }, (error, output) => {
            this.isAsking = false;
            let current = '';
            try {
                current = JSON.parse(output).currentActivity || '';
            } catch {
                return;
            }
            if (error || !current || !this.object || current === this.object) return;
            this.end();
            this.update(true);
        });
    }

    status() {
        const name = this.offered && nameOf(this.offered);
        if (!this.isOn) return `off${this.obstacle && `: ${this.obstacle}`}`;
        if (!name) return 'nothing is offered';
        if (this.obstacle) return `${name} is not offered: ${this.obstacle}`;
        return `${name} is offered${this.continued && `; last continued on ${this.continued}`}`;
    }
}

let publisher = null;
let texts = null;

function activate(context) {
    const own = new Publisher();
    const ownTexts = new TextServer();
    publisher = own;
    texts = ownTexts;
    context.subscriptions.push(
        vscode.window.onDidChangeActiveTextEditor(() => own.changed()),
        vscode.window.onDidChangeWindowState((state) => {
            if (!state.focused) return;
            ownTexts.focused();
            own.ask();
        }),
        vscode.workspace.onDidSaveTextDocument(() => {
            own.changed();
            own.ask();
        }),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (!event.affectsConfiguration('handoff')) return;
            own.configure();
            ownTexts.configure();
        }),
        vscode.commands.registerCommand('handoff.status', () => inform(own.status())),
    );
    own.configure();
    ownTexts.configure();
}

function deactivate() {
    if (publisher) publisher.stop();
    if (texts) texts.stop();
    publisher = null;
    texts = null;
}

module.exports = { activate, deactivate };
