import HandoffCore
import HandoffCrypto
@testable import HandoffDaemon
import HandoffModel
import Logging
import SystemPackage

/// The files of the state directory.
///
/// The first byte selects the file, and whether the rest is the whole file, or the document after a first line with the
/// present format and the right checksum. (What wrote the file had the user's rights, but may have been another
/// version.)
struct StateTarget: FuzzTarget {
    private struct File: Sendable {
        let name: String
        /// The present format.
        let version: Int
        let read: @Sendable (StateDirectory) throws -> Void
    }

    private let directory: StateDirectory
    private let files: [File]

    /// Prepares the files.
    ///
    /// What the daemon itself has written gives the present formats, so that this target follows them.
    init(in directory: StateDirectory) async throws {
        self.directory = directory
        let identity = try await Identity.loaded(from: directory)
        try await CircleFile.write(CircleFile.Contents(of: identity, at: FuzzKeys.slot), to: directory)
        try await PairingsFile.write(PairingRecords([]), to: directory)
        let written = ["identity", "devices", "pairings"]
        let versions = try written.map { try Self.version(of: $0, in: directory) }
        let reader = Identity(keys: try FuzzKeys().own)
        let name = try DeviceName("desk")
        files = [
            File(name: "identity", version: versions[0]) { _ = try Identity.read(from: $0) },
            File(name: "devices", version: versions[1]) {
                _ = try TrustedDevices(from: $0, for: reader, named: name, at: FuzzKeys.slot).all
            },
            File(name: "pairings", version: versions[2]) { _ = try PairingsFile.read(from: $0) },
            File(name: "continuations", version: 1) {
                _ = ContinuationJournal(in: $0, logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
            },
            File(name: "folders", version: 1) {
                _ = try FolderList(from: $0, configured: SyncedFolders(), home: "/home/ann").all
            },
            File(name: "apps", version: 1) { _ = try DefaultApps(from: $0).all },
            File(name: "rules", version: 1) { _ = try RulesFile.file.read(from: $0) },
            File(name: "types", version: 1) {
                _ = KnownTypesService.read(from: $0, logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
            },
        ]
    }

    mutating func take(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        let file = files[Int(choice & 0x7F) % files.count]
        var content = Array(bytes.dropFirst())
        if choice & 0x80 == 0 {
            content = Array("handoffd \(file.name) \(file.version) \(Self.checksum(content))\n".utf8) + content
        }
        guard (try? StateFiles.replace(file.name, in: directory.path, with: content)) != nil else { return }
        try? file.read(directory)
    }

    private static func version(of name: String, in directory: StateDirectory) throws -> Int {
        let bytes = try directory.read(name) ?? []
        let words = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self).split(separator: " ")
        guard words.count == 4, let version = Int(words[2]) else {
            preconditionFailure("\(name) was written just now")
        }
        return version
    }

    private static func checksum(_ content: [UInt8]) -> String { hexText(HandoffDigest.sha256(content)) }
}
