import DBus
import Foundation
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("No reader takes a part of a stream for all of it", .endsWithin(minutes: 15, instances: 4))
struct BrokenStreamStories {
    /// What is killed while a stream is in use.
    enum Victim: String, CaseIterable, Sendable {
        case writer, daemonOfWriter, daemonOfReader
    }

    @Test(
        "handoffctl fails on both devices when the program that writes, or a daemon, is killed",
        arguments: Victim.allCases,
        [true, false]
    )
    func killed(_ victim: Victim, isAnswering: Bool) async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, Device.endlessInput) { writer, _ in
                // With both directions in use, either call of a process may be the one that sees the reset.
                let input = isAnswering ? Device.endlessInput : "< /dev/null"
                try await desktop.withShell("stream", input) { reader, output in
                    _ = try await output.first { $0 }
                    switch victim {
                    case .writer: writer.kill()
                    case .daemonOfWriter: laptop.process.kill()
                    case .daemonOfReader: desktop.process.kill()
                    }
                    #expect(await reader.exitStatus() == 1)
                    #expect(await reader.stderr.text().contains("The stream broke"))
                    #expect(await writer.exitStatus() == (victim == .writer ? 128 + SIGKILL : 1))
                }
            }
        }
    }

    @Test(
        "A plain socket gets ECONNRESET when the program that writes, or a daemon, is killed",
        arguments: Victim.allCases
    )
    func killedAtSocket(_ victim: Victim) async throws {
        try await Self.sockets("endless") { laptop, desktop, writer, _, reader in
            try await reader.line(containing: "reading")
            switch victim {
            case .writer: writer.kill()
            case .daemonOfWriter: laptop.process.kill()
            case .daemonOfReader: desktop.process.kill()
            }
            try await reader.line(containing: "broken")
        }
    }

    @Test("A program that finishes, turns SO_LINGER off and closes its socket has sent everything")
    func finished() async throws {
        try await Self.sockets("finished") { _, _, _, shown, reader in
            try await shown.line(containing: "closed")
            try await reader.line(containing: "end 300000")
        }
    }

    @Test("A program that closes its socket without finishing has broken the stream")
    func unfinished() async throws {
        try await Self.sockets("unfinished") { _, _, _, shown, reader in
            try await shown.line(containing: "closed")
            try await reader.line(containing: "broken")
        }
    }

    @Test(
        "An app with HandoffKit gets an error when the app that writes, or a daemon, is killed",
        arguments: Victim.allCases
    )
    func killedInLibrary(_ victim: Victim) async throws {
        try await SampleAppStories.run { laptop, desktop, here, there in
            try await desktop.watching { watcher in
                try await there.send("tab 4", "open https://example.org/long", "fill 50000000")
                try await watcher.tab(4)
                _ = try await desktop.json("continue")
            }
            async let fetched = here.send("fetch")
            try await desktop.log.event("stream.opened")
            switch victim {
            case .writer: there.process.kill()
            case .daemonOfWriter: laptop.process.kill()
            case .daemonOfReader: desktop.process.kill()
            }
            // The daemon may be gone before it has passed the stream to the app.
            let reasons = victim == .daemonOfReader ? ["StreamBroken", "NoDaemon"] : ["StreamBroken"]
            let lines = try await fetched
            #expect(lines.contains { line in reasons.contains { line.contains("no page: 4609 \($0)") } }, "\(lines)")
        }
    }

    /// The standard input of a command that gets a signal.
    enum Input: String, CaseIterable, Sendable {
        case zeros, lines, silence

        func redirection(in world: World) throws -> String {
            switch self {
            case .zeros: "< /dev/zero"
            case .lines: Device.endlessInput
            case .silence: try world.silentInput()
            }
        }
    }

    @Test(
        "A signal ends a reader at once, whatever its input is, and its exit status tells; the writer fails",
        arguments: [SIGINT, SIGTERM],
        Input.allCases
    )
    func signalledReader(_ number: Int32, input: Input) async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, Device.endlessInput) { writer, _ in
                try await desktop.withShell("stream", try input.redirection(in: world)) { reader, output in
                    _ = try await output.first { $0 }
                    kill(reader.processID, number)
                    #expect(await reader.exitStatus() == 128 + number)
                    #expect(await writer.exitStatus() == 1)
                }
            }
        }
    }

    @Test(
        "A signal ends a publisher at once, whatever its input is, and its exit status tells; the reader fails",
        arguments: [SIGINT, SIGTERM],
        Input.allCases
    )
    func signalledPublisher(_ number: Int32, input: Input) async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, try input.redirection(in: world)) { publisher, answer in
                try await desktop.withShell("stream", Device.endlessInput) { reader, _ in
                    _ = try await answer.first { $0 }
                    kill(publisher.processID, number)
                    #expect(await publisher.exitStatus() == 128 + number)
                    #expect(await reader.exitStatus() == 1)
                }
            }
        }
    }

    @Test("handoffctl without input fails when the stream breaks after the other side has finished")
    func brokenAfterTheEnd() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, "< <(echo hello)") { writer, _ in
                try await desktop.withShell("stream", try world.silentInput()) { reader, output in
                    try await output.line(containing: "hello")
                    try world.setAir { $0.apart = [["laptop"], ["desktop"]] }
                    #expect(await reader.exitStatus() == 1)
                    #expect(await writer.exitStatus() == 1)
                }
            }
        }
    }

    @Test("A command that sends a file fails when the link is lost, though the reader, without input, has finished")
    func brokenAfterAnEmptyInput() async throws {
        try await World.runPair { world, laptop, desktop in
            try world.write(String(repeating: "Call me Ishmael.\n", count: 20_000), to: "source")
            let file = world.directory.appending(path: "source").path()
            try await laptop.offeringPipe(to: desktop, "< '\(file)'") { writer, _ in
                try await desktop.withShell("stream", "< /dev/null") { reader, output in
                    _ = try await output.first { $0 }
                    try world.setAir { $0.apart = [["laptop"], ["desktop"]] }
                    #expect(await writer.exitStatus() == 1)
                    #expect(await reader.exitStatus() == 1)
                }
            }
        }
    }

    @Test("A second reader of a program that serves one stream fails, and does not wait")
    func second() async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, Device.endlessInput) { _, _ in
                try await desktop.withShell("stream", try world.silentInput()) { _, output in
                    _ = try await output.first { $0 }
                    let refused = try await desktop.run("stream")
                    #expect(refused.status == 1)
                    #expect(refused.stderr.contains("This program accepts only one stream and already has it."))
                }
            }
        }
    }

    @Test("A full disk is named as the reason, and the writer fails too")
    func fullDisk() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.offeringPipe(to: desktop, Device.endlessInput) { writer, _ in
                try await desktop.withShell("stream", "< /dev/null > /dev/full") { reader, _ in
                    #expect(await reader.exitStatus() == 1)
                    #expect(await reader.stderr.text().contains("No space left on device"))
                    #expect(await writer.exitStatus() == 1)
                }
            }
        }
    }

    /// Runs `body` with two programs that use the sockets of a stream: one that writes on the laptop, and one that reads
    /// on the desktop.
    private static func sockets(
        _ how: String,
        _ body:
            @escaping @Sendable (
                _ laptop: Device, _ desktop: Device, _ writer: ChildProcess, _ written: Transcript, _ read: Transcript
            ) async throws -> Void
    ) async throws {
        try await World.runPair { world, laptop, desktop in
            let program = try world.writeSocketProgram()
            let python = "/usr/bin/python3"
            try await withTranscript(of: python, [program, "write", how], environment: laptop.bus.environment) {
                writer,
                written in
                let entry = try await desktop.watchingOnce()
                let arguments = [program, "read", entry.description]
                try await withTranscript(of: python, arguments, environment: desktop.bus.environment) { _, read in
                    try await body(laptop, desktop, writer, written, read)
                }
            }
        }
    }
}
