import FoundationEssentials
import HandoffCore
import HandoffCrypto
import HandoffModel
import SystemPackage

/// A JSON document in the state directory, with a first line that identifies it and contains its checksum.
///
/// The first line is `handoffd NAME VERSION CHECKSUM`; the checksum is the SHA-256 of everything after that line, in
/// hexadecimal. A file that does not match is never overwritten.
struct StateFile<Contents: Codable>: Sendable {
    let name: String
    let version: Int

    /// Reads the file; returns nil when it does not exist.
    ///
    /// - Throws: ``HandoffError`` with `stateUnreadable` or `stateDamaged`.
    func read(from directory: StateDirectory) throws(HandoffError) -> Contents? {
        guard let bytes = try directory.read(name) else { return nil }
        let path = directory.path.appending(name)
        guard let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw damaged("\(path)") }
        let words = String(decoding: bytes[..<lineEnd], as: UTF8.self).split(separator: " ")
        guard words.count == 4, words[0] == "handoffd", words[1] == name, let found = Int(words[2]) else {
            throw damaged("\(path)")
        }
        guard found == version else {
            throw HandoffError(.stateUnreadable, otherVersion(found, at: "\(path)", in: "\(directory.path)"))
        }
        let body = Array(bytes[(lineEnd + 1)...])
        guard words[3] == Self.checksum(body) else { throw damaged("\(path)") }
        do {
            return try JSONDecoder().decode(Contents.self, from: Data(body))
        } catch {
            throw damaged("\(path)")
        }
    }

    /// Replaces the file durably.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then the file has not changed.
    func write(_ contents: Contents, to directory: StateDirectory) async throws(HandoffError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let body: [UInt8]
        do {
            body = Array(try encoder.encode(contents)) + [UInt8(ascii: "\n")]
        } catch {
            throw HandoffError(.stateUnwritable, "\(name) cannot be encoded.")
        }
        let header = "handoffd \(name) \(version) \(Self.checksum(body))\n"
        try await directory.write(Array(header.utf8) + body, to: name)
    }

    private static func checksum(_ body: [UInt8]) -> String {
        hexText(HandoffDigest.sha256(body))
    }

    /// Returns what is wrong and what to do about a file of another format: none is converted.
    private func otherVersion(_ found: Int, at path: String, in directory: String) -> String {
        let what = "\(path) was written by another version of handoffd (format \(found), this one reads \(version))."
        guard found < version else { return "\(what) Update handoffd." }
        return
            "\(what) Move the directory \(directory) away to start again; your other devices must then trust the new "
            + "identity of this one."
    }

    private func damaged(_ path: String) -> HandoffError {
        HandoffError(
            .stateDamaged,
            "\(path) is damaged. handoffd leaves it as it is. Restore it from a backup, or move it away to start again; "
                + "your other devices must then trust the new identity again."
        )
    }
}
