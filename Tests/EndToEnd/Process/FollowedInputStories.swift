import DBus
import Foundation
import Glibc
import HandoffModel
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("A program publishes by writing lines", .endsWithin(minutes: 10, instances: 4))
struct FollowedInputStories {
    @Test("Each line is the whole activity: it changes in place, is replaced by another type, and ends")
    func lines() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.following { script in
                try script.write(#"{"type": "org.example.edit", "title": "Draft", "userInfo": {"line": 1}}"#)
                try await script.event("offered")
                try await desktop.watching { watcher in
                    let entry = try await watcher.one()
                    try script.write(#"{"type": "org.example.edit", "title": "Draft", "userInfo": {"line": 7}}"#)
                    try await laptop.untilPublished(["line": .int64(7)])
                    try await desktop.fetchNearest { $0.userInfo["line"] == .integer(7) }
                    let now = try await watcher.one()
                    #expect(now["id"].number == entry["id"].number)
                    try script.write(#"{"type": "org.example.draw"}"#)
                    try await desktop.fetchNearest { $0.type.description == "org.example.draw" }
                    try script.write("null")
                    try await script.event("ended")
                    try await watcher.none()
                }
            }
        }
    }

    @Test("A program that says that it has newer state is asked for it, once, and its answer is what arrives")
    func saves() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.following { script in
                try script.write(#"{"type": "org.example.edit", "userInfo": {"line": 1}, "needsSave": true}"#)
                try await script.event("offered")
                // The activity is offered while its line is still being handled; lines are handled in their order.
                try script.write("[1]")
                try await script.event("invalidLine")
                try await desktop.watching { _ = try await $0.one() }
                async let fetched = desktop.json("continue", "--print", "--fresh")
                try await script.event("willSave")
                try script.write(#"{"type": "org.example.edit", "userInfo": {"line": 2}}"#)
                #expect(try await fetched["userInfo"]["line"].number == 2)
            }
        }
    }

    @Test("A line that cannot be used is named with its number and the reason, and changes nothing")
    func faults() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.following { script in
                try script.write(#"{"type": "org.example.edit", "title": "Draft"}"#)
                try await script.event("offered")
                for (line, reason) in [
                    (#"{"type": "org.example.edit", "titel": "x"}"#, "Line 2 changes nothing: \"titel\" is not a key"),
                    ("[1]", "Line 3 changes nothing: a line is a JSON object or null"),
                    (#"{"title": "x"}"#, "the key \"type\" is missing"), ("{", "Line 5 changes nothing"),
                    (#"{"type": "no"}"#, "Line 6 changes nothing"),
                    (#"{"type": "org.example.edit", "eligible": 1}"#, "eligible: it has a value of a wrong type"),
                    (#"{"type": "org.example.edit", "webpageURL": "file:///"}"#, "webpageURL: "),
                    (String(repeating: "x", count: 600_000), "Line 9 changes nothing: it is longer than 512 KiB"),
                ] {
                    try script.write(line)
                    let message = try await script.event("invalidLine")["message"].string
                    #expect(message.contains(reason), "\(message)")
                }
                try await desktop.watching { _ = try await $0.one() }
                #expect(try await desktop.json("continue", "--print")["title"].string == "Draft")
            }
        }
    }

    @Test("A device that opens a stream gets what the program writes for it, or an error if that cannot be sent")
    func streams() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.following { script in
                try script.write(#"{"type": "org.example.edit", "supportsContinuationStreams": true}"#)
                try await script.event("offered")
                _ = try await desktop.watchingOnce()
                for text in ["a\u{0}b\n", String(repeating: "long ", count: 60_000), ""] {
                    async let received = desktop.run("stream", "--receive", "--type", "org.example.edit")
                    let opened = try await script.event("streamOpened")
                    #expect(opened["deviceName"].string == "desktop")
                    let file = URL(filePath: opened["path"].string)
                    let directory = file.deletingLastPathComponent().path()
                    let mode = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions]
                    #expect(mode as? Int == 0o700)
                    try Data(text.utf8).write(to: file)
                    try script.write(#"{"stream": \#(Int(opened["stream"].number ?? 0))}"#)
                    let result = try await received
                    #expect(result.status == 0 && result.stdout == text, "\(result.stderr)")
                    try await script.event("streamEnded")
                    #expect(!FileManager.default.fileExists(atPath: directory))
                }
                try await Self.failing(script, desktop)
            }
        }
    }

    private static func failing(_ script: Script, _ desktop: Device) async throws {
        async let received = desktop.run("stream", "--receive", "--type", "org.example.edit")
        let opened = try await script.event("streamOpened")
        let file = try #require(FileHandle(forWritingAtPath: opened["path"].string))
        try file.truncate(atOffset: 16 * 1024 * 1024 + 1)
        try script.write(#"{"stream": 99}"#)
        let message = try await script.event("invalidLine")["message"].string
        #expect(message.contains("no stream 99 waits"), "\(message)")
        try script.write(#"{"stream": "x"}"#)
        try await script.event("invalidLine")
        try script.write(#"{"stream": \#(Int(opened["stream"].number ?? 0))}"#)
        #expect(try await script.event("streamFailed")["message"].string.contains("larger than 16 MiB"))
        let result = try await received
        #expect(result.status == 1 && result.stdout.isEmpty, "\(result.stderr)")
    }

    @Test("When the daemon restarts, the newest activity is offered again; the end of the input ends it")
    func restart() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                try await world.withDaemon("laptop", on: bus) { laptop in
                    try await laptop.following { script in
                        try script.write(#"{"type": "org.example.edit"}"#)
                        try await script.event("offered")
                        laptop.signal(SIGTERM)
                        _ = await laptop.process.exitStatus()
                        try await script.event("daemonStopped")
                        try script.write(#"{"type": "org.example.draw"}"#)
                        try await world.withDaemon("laptop", on: bus) { again in
                            // The one of before may be offered first, when the line has not been read yet.
                            try await script.event("offered") { $0["type"].string == "org.example.draw" }
                            script.close()
                            #expect(await script.process.exitStatus() == 0)
                            #expect(try await again.json("status")["currentActivity"].string == "")
                        }
                    }
                }
            }
        }
    }
}

extension Device {
    /// Runs `body` while `handoffctl publish --follow` reads what it writes.
    fileprivate func following(_ body: @escaping @Sendable (Script) async throws -> Void) async throws {
        let pipe = world.directory.appending(path: "lines-\(UUID())").path()
        try #require(mkfifo(pipe, 0o600) == 0)
        // For reading as well, so that opening it waits for nobody.
        let input = open(pipe, O_RDWR | O_CLOEXEC)
        try #require(input >= 0)
        let program = "exec '\(Programs.handoffctl)' --bus '\(bus.address)' --json publish --follow < '\(pipe)'"
        try await withTranscript(of: "/bin/sh", ["-c", program], environment: world.environment) { process, output in
            let script = Script(process: process, output: output, input: input)
            defer { script.close() }
            try await body(script)
        }
    }
}

/// A program that writes lines to `handoffctl publish --follow`, and reads the events.
private final class Script: Sendable {
    let process: ChildProcess
    private let output: Transcript
    private let input: Mutex<Int32?>
    private let start = Mutex(0)

    init(process: ChildProcess, output: Transcript, input: Int32) {
        self.process = process
        self.output = output
        self.input = Mutex(input)
    }

    /// Writes a line; the events that are awaited next come after it.
    func write(_ line: String) throws {
        start.withLock { $0 = output.lines.count }
        try input.withLock { input in
            try FileHandle(fileDescriptor: try #require(input)).write(contentsOf: Data((line + "\n").utf8))
        }
    }

    /// Ends the lines.
    func close() {
        input.withLock { input in
            if let open = input { Glibc.close(open) }
            input = nil
        }
    }

    /// Waits for the next event of that name that fulfils `condition`.
    @discardableResult
    func event(_ name: String, where condition: (JSON) -> Bool = { _ in true }) async throws -> JSON {
        let event = try await output.first("the event \(name)", from: start.withLock { $0 }) { line -> JSON? in
            guard line.contains("\"event\":\"\(name)\"") else { return nil }
            let event = try JSON(line)
            return condition(event) ? event : nil
        }
        start.withLock { $0 = output.lines.count }
        return event
    }
}
