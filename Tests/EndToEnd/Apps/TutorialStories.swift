import DBus
import Foundation
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("The editor of HandoffKit's tutorial", .endsWithin(minutes: 15, instances: 4))
struct TutorialStories {
    @Test("The whole text continues on the other device, and the text that was there is kept")
    func editor() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            let resource = "Sources/HandoffKit/HandoffKit.docc/Resources/org.example.Editor.desktop"
            let file = try String(contentsOf: Repository.file(resource), encoding: .utf8)
            try world.write(file, to: "share/applications/org.example.Editor.desktop")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let check = try await desktop.run("apps", "--check")
            #expect(check.status == 0, "\(check.stdout)\(check.stderr)")
            let lines = (1...200).map { "line \($0)" }
            try await EditorProcess.editing(on: laptop.bus, in: world) { there in
                try there.type(lines)
                try await desktop.watching { watcher in
                    try await watcher.until { $0.first?["application"].string == "org.example.Editor" }
                    // Whatever was typed so far is in the state; each line that comes later makes the state older again.
                    var count: Double?
                    while count != 200 {
                        try await laptop.untilUnsaved()
                        count = try await desktop.json("continue", "--print", "--fresh")["userInfo"]["lines"].number
                    }
                    let output = try await EditorProcess.editing(on: desktop.bus, in: world) { here in
                        try here.type(["my own draft"])
                        try await desktop.until("the activity of the draft") { try await $0.currentType != nil }
                        #expect(try await desktop.json("continue")["outcome"].string == "app")
                    }
                    // The draft of this device, and then the text of the other one.
                    let end = ["my own draft", "---"] + lines + ["---"]
                    #expect(output.suffix(end.count) == end[...])
                }
            }
        }
    }

    @Test("An editor that cannot fetch the whole text changes nothing, and the other device is told")
    func unreachable() async throws {
        let prepare: @Sendable (World) throws -> Void = {
            try $0.writeApp("org.example.Editor", "DBusActivatable=true")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let output = try await EditorProcess.editing(on: desktop.bus, in: world) { here in
                try here.type(["my own draft"])
                try await desktop.until("the activity of the draft") { try await $0.currentType != nil }
                // It has the type and the version, and accepts no streams.
                try await laptop.publishing("org.example.edit", ["--user-info", #"{"version": 1}"#]) { _ in
                    try await desktop.watching { _ = try await $0.one() }
                    #expect(try await desktop.run("continue").status != 0)
                }
            }
            #expect(output == ["my own draft", "---"])
        }
    }
}

/// An editor of the tutorial on a device's bus.
private struct EditorProcess: Sendable {
    private let input: FileHandle

    /// Runs `body` while an editor runs, and ends its input.
    ///
    /// - Returns: the lines that it has printed, of which the last ones are its texts.
    @discardableResult
    static func editing(
        on bus: PrivateBus,
        in world: World,
        _ body: @escaping @Sendable (EditorProcess) async throws -> Void
    ) async throws -> [String] {
        let pipe = world.directory.appending(path: "typed-\(UUID().uuidString.prefix(8))").path()
        guard mkfifo(pipe, 0o600) == 0 else { throw MissingProgram(description: "cannot make the pipe \(pipe)") }
        // Open for reading too, so that neither end waits for the other one to be opened; closed in every other program,
        // so that closing it here is the end of input.
        let number = open(pipe, O_RDWR | O_CLOEXEC)
        guard number >= 0 else { throw MissingProgram(description: "cannot open \(pipe)") }
        let input = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        let environment = world.environment.merging(bus.environment) { _, new in new }
        let command = "exec '\(Programs.editor)' < '\(pipe)'"
        let transcript = Mutex<Transcript?>(nil)
        try await withTranscript(of: "/bin/sh", ["-c", command], environment: environment) { editor, output in
            transcript.withLock { $0 = output }
            try await bus.waitForOwner(of: "org.example.Editor")
            try await body(EditorProcess(input: input))
            try input.close()
            _ = await editor.exitStatus()
        }
        return transcript.withLock { $0?.lines ?? [] }
    }

    /// Types lines.
    func type(_ lines: [String]) throws {
        try input.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
    }
}
