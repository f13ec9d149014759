import DBus
import Foundation
import HandoffTestSupport
import Testing

/// What code generators make of the interface files, and compilers of that.
enum GeneratedCode {
    /// The files, each with a short name for what is generated from it.
    static let files = Interfaces.all.map { interface in
        (
            path: Documentation.directory.appending(path: "dbus/\(interface.name).xml").path(),
            name: Interfaces.page(of: interface)
        )
    }

    /// Runs `body` with an empty directory, which is removed afterwards.
    static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "handoff-generators-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.path())
    }

    /// The flags with which a program that uses the library is compiled.
    static func flags(of library: String) async throws -> [String] {
        let flags = try await output("/usr/bin/pkg-config", ["--cflags", library])
        return flags.split(separator: " ").map(String.init)
    }

    /// Runs a program, which is expected to succeed; returns its output without the end of the line.
    @discardableResult
    static func output(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await run(program, arguments)
        try #require(result.status == 0, "\(program) \(arguments.joined(separator: " ")): \(result.stderr)")
        return result.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
