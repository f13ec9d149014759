import Foundation
import HandoffTestSupport
import Testing

/// A handoff-browser-host on a device's bus, driven as a browser with the extension drives it.
struct BrowserHost: Sendable {
    /// What stands for the browser: when it is killed, so are its pipes.
    let process: ChildProcess
    /// The messages of the host, one on each line.
    let shown: Transcript
    private let lines: FileHandle

    /// Runs `body` with a host that has said that it is ready; the browser is killed afterwards.
    static func run(
        _ browser: String,
        on bus: PrivateBus,
        in world: World,
        _ body: @escaping @Sendable (BrowserHost) async throws -> Void
    ) async throws {
        try await start(browser, on: bus, in: world) { host in
            try host.send(#"{"type":"hello","protocol":1,"browser":"\#(browser)"}"#)
            try await host.shown.line(containing: #""available":true"#)
            try await body(host)
        }
    }

    /// The same before the first message.
    static func start(
        _ browser: String,
        on bus: PrivateBus,
        in world: World,
        _ body: @escaping @Sendable (BrowserHost) async throws -> Void
    ) async throws {
        let pipe = world.directory.appending(path: "messages-\(UUID().uuidString.prefix(8))").path()
        guard mkfifo(pipe, 0o600) == 0 else { throw MissingProgram(description: "cannot make the pipe \(pipe)") }
        // Open for reading too, so that neither end waits for the other one to be opened.
        guard let lines = FileHandle(forUpdatingAtPath: pipe) else {
            throw MissingProgram(description: "cannot open \(pipe)")
        }
        let environment = world.environment.merging(bus.environment) { _, new in new }
        let relay = Repository.file("Tests/Browsers/relay.py").path()
        let command = "exec /usr/bin/python3 -u '\(relay)' '\(Programs.browserHost)' \(browser) < '\(pipe)'"
        try await withTranscript(of: "/bin/sh", ["-c", command], environment: environment) { process, shown in
            try await shown.line(containing: "started")
            try await body(BrowserHost(process: process, shown: shown, lines: lines))
        }
    }

    /// The host's process id.
    var hostProcess: Int32 {
        get async throws {
            try await shown.first { line in line.hasPrefix("started ") ? Int32(line.dropFirst("started ".count)) : nil }
        }
    }

    /// Sends a message, or another line of the relay.
    func send(_ line: String) throws {
        try lines.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Sends the page that the user sees.
    func show(_ url: String, _ title: String = "", focused: Bool = true) throws {
        try send(#"{"type":"page","url":"\#(url)","title":"\#(title)","focused":\#(focused)}"#)
    }

    /// The first message of that type for which `condition` holds, from line `start` on.
    func message(
        _ type: String,
        from start: Int = 0,
        where condition: @escaping @Sendable (JSON) -> Bool = { _ in true }
    ) async throws -> JSON {
        try await shown.first("a message \(type)", from: start) { line in
            guard line.hasPrefix("{"), let message = try? JSON(line) else { return nil }
            return message["type"].string == type && condition(message) ? message : nil
        }
    }

    /// The exit status of the host, once it has ended.
    func status() async throws -> Int32 {
        try await shown.first { line in line.hasPrefix("exited ") ? Int32(line.dropFirst("exited ".count)) : nil }
    }
}
