import BlueZ
import Bluetooth
import Epoll
import FoundationEssentials
import Glibc
import HandoffBus
import SystemPackage

/// A report of `handoffctl doctor` for a person who helps from afar: versions and findings, and nothing that identifies a
/// user, a device or a computer.
struct DoctorReport {
    private let lines: [String]

    /// - Parameter peer: the device that the command line names, as it was typed; nil for none.
    init(_ findings: [Finding], _ facts: DoctorFacts, naming peer: String? = nil, kernel: String = Self.kernel) {
        let secrets = Self.secrets(facts)
        let words = Set([peer, peer.map(printable)].compactMap(\.self).filter { !$0.isEmpty })
        lines =
            ["handoffctl \(facts.toolVersion)", "kernel \(kernel)", "bluetoothd \(Self.bluetoothd(facts))"]
            + findings.map { finding in
                let message = Self.without(words, Self.withoutAddresses(finding.message, secrets))
                return "\(finding.grade.rawValue) \(finding.check): \(message)"
            }
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Writes the report to a new file.
    ///
    /// - Throws: what `output` makes of the failure; an existing file is not replaced.
    func write(to path: String, _ output: Output) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "it exists already" : String(cString: strerror(errno))
            throw output.failure(CommandFailure(status: .failed, message: "\(path) cannot be written: \(reason)."))
        }
        defer { close(descriptor) }
        do throws(Errno) {
            try writeAll(Array(text.utf8)[...], to: descriptor)
        } catch {
            throw output.failure(CommandFailure(status: .failed, message: "\(path) cannot be written: \(error)."))
        }
    }

    /// The names that the messages may contain.
    private static func secrets(_ facts: DoctorFacts) -> [String] {
        var secrets = [facts.stateDirectory?.path].compactMap(\.self)
        if case .running(let answers) = facts.daemon {
            let status = answers.status
            secrets += [status.deviceName, status.deviceID] + answers.folderProblems
            secrets += answers.devices.map(\.name) + answers.unconfirmed.map(\.name) + status.questions.map(\.name)
            secrets += answers.faultyFiles.map(\.file) + answers.rules.withheld.map(\.message)
        }
        if let adapter = facts.adapter { secrets += [adapter.alias, adapter.address.description] }
        return secrets.filter { !$0.isEmpty }
    }

    /// Replaces the secrets, and every word that looks like an address, an id or a path.
    private static func withoutAddresses(_ line: String, _ secrets: [String]) -> String {
        var line = line
        for secret in secrets.sorted(by: { $0.count > $1.count }) {
            line = line.replacing(secret, with: "…")
        }
        return line.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let digits = word.filter(\.isHexDigit).count
            let isAddress = word.contains(":") && digits >= 12 || digits >= 16
            return isAddress ? "…" : withoutPath(word)
        }.joined(separator: " ")
    }

    /// Replaces these words where they stand alone: a name of one letter is also a part of other words.
    private static func without(_ words: Set<String>, _ line: String) -> String {
        words.reduce(line) { line, word in
            var rest = line[...]
            var result = ""
            while let range = rest.firstRange(of: word) {
                let isAlone =
                    !(rest[..<range.lowerBound].last?.isLetter ?? false)
                    && !(rest[range.upperBound...].first?.isLetter ?? false)
                result += rest[..<range.lowerBound] + (isAlone ? "…" : rest[range])
                rest = rest[range.upperBound...]
            }
            return result + rest
        }
    }

    /// The directories whose files are the same on every computer.
    private static let commonDirectories = ["/etc/", "/sys/", "/proc/sys/", "/usr/", "/org/"]

    /// Replaces a path in a word, from its first slash on: a home directory names its user, and one in /run has the
    /// user's number (Filesystem Hierarchy Standard).
    private static func withoutPath(_ word: Substring) -> String {
        guard let slash = word.firstIndex(of: "/") else { return String(word) }
        // "and/or" and "1/4" are no paths.
        if slash > word.startIndex, case let before = word[word.index(before: slash)],
            before.isLetter || before.isNumber
        {
            return String(word)
        }
        let path = word[slash...]
        guard path.count > 1, !commonDirectories.contains(where: { path.hasPrefix($0) }) else { return String(word) }
        let end = path.last.map { ".:,;)".contains($0) ? String($0) : "" } ?? ""
        return String(word[..<slash]) + "…" + end
    }

    private static func bluetoothd(_ facts: DoctorFacts) -> String {
        switch facts.bluetooth {
        case .running:
            facts.bluetoothVersion.map(\.description)
                ?? facts.adapter.map { "at least \($0.release)" } ?? "without an adapter"
        case .absent: "absent"
        case .silent: "silent"
        case .noBus: "unknown"
        }
    }

    private static var kernel: String {
        var names = utsname()
        guard uname(&names) == 0 else { return "unknown" }
        return withUnsafeBytes(of: names.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
