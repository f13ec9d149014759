import DBus
import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The interface files serve the code generators of Qt and GLib", .endsWithin(minutes: 10))
struct CodeGeneratorTests {
    /// The files, each with a short name for what is generated from it.
    private static let files = Interfaces.all.map { interface in
        (
            path: Documentation.directory.appending(path: "dbus/\(interface.name).xml").path(),
            name: Interfaces.page(of: interface)
        )
    }

    @Test("What qdbusxml2cpp makes of them compiles, for programs that call and for those that are called")
    func qt() async throws {
        try await Self.withDirectory { directory in
            let flags = try await Self.flags(of: "Qt5DBus")
            let moc = try await Self.output("/usr/bin/pkg-config", ["--variable=host_bins", "Qt5Core"]) + "/moc"
            var all = ""
            for file in Self.files {
                for (option, kind) in [("-p", "Proxy"), ("-a", "Adaptor")] {
                    let name = file.name + kind
                    try await Self.output("/usr/bin/qdbusxml2cpp", [option, "\(directory)/\(name)", file.path])
                    try await Self.output(moc, ["\(directory)/\(name).h", "-o", "\(directory)/\(name).moc.cpp"])
                    all += "#include \"\(name).cpp\"\n#include \"\(name).moc.cpp\"\n"
                }
            }
            try all.write(toFile: "\(directory)/all.cpp", atomically: true, encoding: .utf8)
            let output = ["-c", "\(directory)/all.cpp", "-o", "\(directory)/all.o"]
            try await Self.output("/usr/bin/g++", ["-std=c++17", "-fPIC", "-I", directory] + flags + output)
            let proxy = try String(contentsOfFile: "\(directory)/Manager1Proxy.h", encoding: .utf8)
            #expect(proxy.contains("QDBusPendingReply<QDBusUnixFileDescriptor> OpenStream("))
            #expect(proxy.contains("QList<QVariantMap> advisories"))
        }
    }

    @Test("What gdbus-codegen makes of them compiles, and passes the descriptors of streams")
    func glib() async throws {
        try await Self.withDirectory { directory in
            let flags = try await Self.flags(of: "gio-unix-2.0")
            for file in Self.files {
                let code = "\(directory)/\(file.name)"
                let names = ["--interface-prefix", "org.handoffd.", "--c-namespace", "Handoff"]
                try await Self.output("/usr/bin/gdbus-codegen", names + ["--generate-c-code", code, file.path])
                try await Self.output(
                    "/usr/bin/gcc",
                    ["-Wall", "-Werror", "-c", "\(code).c", "-o", "\(code).o"] + flags
                )
                let header = try String(contentsOfFile: "\(code).h", encoding: .utf8)
                let passesStreams = ["Manager1", "ActivityDelegate1"].contains(file.name)
                #expect(header.contains("GUnixFDList") == passesStreams, "\(file.name)")
            }
        }
    }

    private static func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "handoff-generators-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(directory.path())
    }

    private static func flags(of library: String) async throws -> [String] {
        let flags = try await output("/usr/bin/pkg-config", ["--cflags", library])
        return flags.split(separator: " ").map(String.init)
    }

    /// Runs a program, which is expected to succeed; returns its output without the end of the line.
    @discardableResult
    private static func output(_ program: String, _ arguments: [String]) async throws -> String {
        let result = try await run(program, arguments)
        try #require(result.status == 0, "\(program) \(arguments.joined(separator: " ")): \(result.stderr)")
        return result.stdout.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
