import Foundation
import HandoffApps
import HandoffModel
import HandoffTestSupport
import TestLimits
import Testing

/// GIO, which decides for most programs of a desktop, is asked about every case in the same environment.
@Suite("Apps for documents are chosen and started as GIO does", .endsWithin(minutes: 10))
struct GIOTableTests {
    /// A case, and what GIO did.
    private struct Row: Decodable {
        let name: String
        let root: String
        let document: String
        let environment: [String: String]
        let type: String
        let app: String?
        /// How it was started; nil if it was not.
        let argv: [String]?
        let directory: String?
        let file: String?
    }

    /// What opens a document, and how.
    private struct Answer: Equatable, CustomStringConvertible {
        let type: String
        let app: String?
        var argv: [String]?
        var directory: String?
        var file: String?

        var description: String {
            guard let app else { return "\(type): no app" }
            guard let argv else { return "\(type): \(app), which cannot be started" }
            return "\(type): \(app) \(argv) in \(directory ?? "?") by \(file ?? "?")"
        }
    }

    @Test("Of several hundred cases, each is decided alike, or differently for a stated reason")
    func table() async throws {
        let directory = URL.temporaryDirectory.appending(path: "gio-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        // The path may have links in it, and programs tell where they really are.
        let path = directory.resolvingSymlinksInPath().path()
        let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "GIO/table.py").path()
        let result = try await run("/usr/bin/python3", ["-B", program, path])
        #expect(result.status == 0, "\(result.stderr)")
        let rows = try JSONDecoder().decode([Row].self, from: Data(result.stdout.utf8))
        #expect(rows.count >= 750)
        var (alike, explained) = (0, Set<String>())
        for row in rows {
            let (gio, own) = (Self.answer(row), try Self.own(row))
            guard gio != own else {
                alike += 1
                continue
            }
            let reason = GIODifferences.reason(for: row.name)
            print("\(row.name.debugDescription)\n    GIO  \(gio)\n    here \(own)\n    \(reason ?? "WITHOUT A REASON")")
            #expect(reason != nil, "\(row.name): GIO \(gio), here \(own)")
            explained.insert(row.name)
        }
        print("\(rows.count) cases: \(alike) alike, \(explained.count) different")
        let stale = GIODifferences.names.filter { name in
            !explained.contains { $0 == name || $0.hasPrefix(name + " (") }
        }
        // A newer GLib knows more terminals.
        #expect(stale.filter { !$0.hasPrefix("terminal: ") } == [], "reasons for what is no different")
    }

    private static func answer(_ row: Row) -> Answer {
        var answer = Answer(type: row.type, app: row.app)
        answer.argv = row.argv.map { [name(of: $0[0])] + $0.dropFirst() }
        answer.directory = row.directory
        answer.file = row.file
        return shortened(answer, row)
    }

    private static func own(_ row: Row) throws -> Answer {
        let variables = row.environment
        let home = variables["HOME"].map { $0 + "/.local/share" } ?? ""
        let data = [variables["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home]
        let all = data + (variables["XDG_DATA_DIRS"] ?? "").split(separator: ":").map(String.init)
        // Without the directories of Flatpak and Snap, which this machine may have.
        let directories = AppDirectories(paths: all.map { $0 + "/applications" })
        let scan = DocumentAppScan(directories: directories, environment: variables)
        let name = Self.name(of: row.document)
        let types = scan.types(ofFileNamed: name, at: Array(row.document.utf8))
        let app = scan.app(for: types)
        // What the database calls an alias counts under the other name.
        let known = MediaTypeAliases(beside: directories).name(of: row.type)
        var answer = Answer(type: types.first == known ? row.type : types.first ?? "", app: app?.id)
        if let command = app?.command {
            let document = try FileURL(path: Array(row.document.utf8))
            let launch = try? scan.launcher.launch(command, opening: document)
            answer.argv = launch.map { [Self.name(of: $0.arguments[0])] + $0.arguments.dropFirst() }
            answer.directory = launch.map { $0.directory ?? row.root }
            answer.file = launch.flatMap { $0.environment["GIO_LAUNCHED_DESKTOP_FILE"] }
            // A program cannot be started in a directory that is not there.
            if let directory = launch?.directory, access(directory, X_OK) != 0 {
                (answer.argv, answer.directory, answer.file) = (nil, nil, nil)
            }
        }
        return shortened(answer, row)
    }

    /// An answer in which `~` is the directory of the case.
    private static func shortened(_ answer: Answer, _ row: Row) -> Answer {
        let short = { (text: String) in text.replacing(row.root, with: "~") }
        var answer = answer
        answer.argv = answer.argv?.map(short)
        answer.directory = answer.directory.map { URL(filePath: $0).standardized.path() }.map(short).map {
            $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0
        }
        answer.file = answer.file.map(short)
        return answer
    }

    private static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
