import DBus
import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The shell completes what the daemon knows", .endsWithin(minutes: 10, instances: 4))
struct CompletionStories {
    @Test("bash completes numbers, types, devices, apps and folders of the running daemon")
    func bash() async throws {
        let prepare: @Sendable (World) throws -> Void = { world in
            try world.writeApp("org.example.Editor", "X-Handoff-Exec=true")
        }
        try await World.runApps(prepare) { world, laptop, desktop in
            let shell = try await CompletingShell(world, desktop)
            try await laptop.publishing("org.example.edit") { _ in
                try await desktop.watching { _ = try await $0.one() }
                #expect(try await shell.someWords(after: "continue", "").count == 1)
                #expect(try await shell.someWords(after: "continue", "--type", "") == ["org.example.edit"])
                #expect(try await shell.someWords(after: "devices", "remove", "lap") == ["laptop"])
                let start = String(try await laptop.id.prefix(4))
                #expect(try await shell.someWords(after: "devices", "remove", start).count == 1)
                #expect(try await shell.someWords(after: "rules", "deny", "app", "org") == ["org.example.Editor"])
                _ = try await desktop.run("folders", "add", "notes", world.directory.path())
                #expect(try await shell.someWords(after: "folders", "remove", "").contains("notes"))
            }
        }
    }

    @Test("Completing starts no daemon, and offers nothing where there is none")
    func absent() async throws {
        try await World.run { world in
            try await withPrivateBus { bus in
                let shell = try await CompletingShell(world, bus)
                #expect(try await shell.words(after: ["devices", "remove", ""]) == [])
            }
        }
    }
}

/// A bash that has read the completions of handoffctl.
private struct CompletingShell: Sendable {
    private let world: World
    private let bus: String
    private let script: String

    init(_ world: World, _ device: Device) async throws { try await self.init(world, device.bus) }

    init(_ world: World, _ bus: PrivateBus) async throws {
        self.world = world
        self.bus = bus.address.description
        let made = try await run(Programs.handoffctl, ["--generate-completion-script", "bash"])
        try #require(made.status == 0)
        script = made.stdout
    }

    /// What bash offers for the last of these words, once that is something.
    ///
    /// Completing waits half a second for the daemon, so that a shell never hangs.
    func someWords(after words: String...) async throws -> [String] {
        var found: [String] = []
        while found.isEmpty { found = try await self.words(after: words) }
        return found
    }

    /// What bash offers for the last of these words.
    func words(after words: [String]) async throws -> [String] {
        let line = ["handoffctl", "--bus", bus] + words
        let quoted = line.map { "'\($0)'" }.joined(separator: " ")
        // The script calls the program by the name that was typed.
        let program = """
            handoffctl() { '\(Programs.handoffctl)' "$@"; }
            \(script)
            COMP_WORDS=(\(quoted)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"
            COMP_POINT=${#COMP_LINE}; COMP_TYPE=9
            function=$(complete -p handoffctl | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            "$function" handoffctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try await run("/bin/bash", ["-c", program], environment: world.environment)
        #expect(result.status == 0, "\(result.stderr)")
        return result.stdout.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
