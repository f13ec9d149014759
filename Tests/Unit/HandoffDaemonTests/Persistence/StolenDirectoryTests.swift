import Foundation
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import Logging
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

/// What a thief reads in a state directory, of which Docs/ThreatModel.md tells each file.
@Suite("A stolen state directory tells nothing of the days before", .endsWithin(minutes: 10))
struct StolenDirectoryTests {
    private static let day: Int64 = 86_400_000_000
    private static let firstDay: Int64 = 20_000
    private static let days = 10

    /// Noon of a day of the recording, counted from 0.
    private static func noon(_ number: Int) -> Moment {
        let time = (firstDay + Int64(number)) * day + day / 2
        return Moment(uptime: .microseconds(time), unixMicroseconds: time)
    }

    /// The names of all files, as the daemon's code has them; `lock` is empty.
    private static func namesInCode() throws -> Set<String> {
        let sources = VectorDirectory.root.appending(path: "Sources/HandoffDaemon")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var names: Set<String> = [CircleFile.name, PairingsFile.name]
        for case let file as URL in files where file.pathExtension == "swift" {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where line.contains("= StateFile<") {
                if let name = line.split(separator: "name: \"").dropFirst().first?.split(separator: "\"").first {
                    names.insert(String(name))
                }
            }
        }
        return names
    }

    @Test("No file holds a key of an earlier day, a session's key, or the key of a pairing that is over")
    func secrets() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let history = try await History(in: directory)
                for number in 0..<Self.days { try await history.live(Self.noon(number), in: directory) }
                try await history.writeOthers(to: directory)
                let names = try Self.namesInCode()
                #expect(names.isSuperset(of: ["identity", "devices", "pairings", "rules"]))
                #expect(try path.names == names.union(["lock"]))
                var found: [String: Set<History.Secret>] = [:]
                for name in names { found[name] = history.secrets(in: try path.appending(name).contents) }
                let today = Self.days - 1
                let present: Set<History.Secret> = [
                    .own(today), .ofOthers(today), .directed(today), .directedHere(today),
                ]
                // What ThreatModel.md tells of each file, and no more.
                let told: [String: Set<History.Secret>] = [
                    "identity": [.identity], "devices": present,
                    "pairings": [.pairing("unconfirmed"), .pairing("paired")],
                ]
                for (name, secrets) in found { #expect(secrets == told[name, default: []], "\(name)") }
            }
        }
    }

    @Test("The threat model tells of every file of the state directory, and the map of the code, too")
    func documented() throws {
        for (file, heading) in [
            ("ThreatModel.md", "## A stolen state directory"), ("Architecture.md", "## State on disk"),
        ] {
            let page = VectorDirectory.root.appending(path: "Docs/\(file)")
            let text = try String(contentsOf: page, encoding: .utf8)
            let section = try #require(
                text.split(separator: heading).dropFirst().first?.split(separator: "\n## ").first
            )
            let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }
            let cells = rows.compactMap { $0.split(separator: "|").first }
            let names = cells.flatMap { $0.split(separator: "`").filter { $0.allSatisfy(\.isLetter) }.map(String.init) }
            let expected = try Self.namesInCode().union(["lock"])
            #expect(Set(names) == expected, "\(file)")
        }
    }
}

/// A device over some days, with every secret key that it has had.
private final class History {
    enum Secret: Hashable {
        /// The device's two private keys.
        case identity
        /// The key under which it advertised on a day.
        case own(Int)
        /// The key of another device on a day.
        case ofOthers(Int)
        /// The key of directed advertisements to another device on a day, and to this device.
        case directed(Int), directedHere(Int)
        /// The key of a pairing that ended so.
        case pairing(String)
        /// The ephemeral key of a session, and the first bytes of its hash.
        case session(Int)
    }

    private let identity: Identity
    private let laptop: Peer
    private var kept: KeptState
    private var known: [[UInt8]: Secret] = [:]
    private var day = 0

    init(in directory: StateDirectory) async throws {
        identity = try await Identity.loaded(from: directory)
        laptop = try Peer("laptop", at: 96 * 20000 + 48)
        let devices = try TrustedDevices(
            from: directory,
            for: identity,
            named: DeviceName("desk"),
            at: 96 * 20000 + 48
        )
        kept = KeptState(devices: devices, pairings: PairingRecords())
        known[identity.keys.agreement.rawRepresentation] = .identity
        known[identity.keys.signing.rawRepresentation] = .identity
    }

    /// Lives through a day: moves the keys forward as the daemon does, and has a session and a pairing.
    func live(_ noon: Moment, in directory: StateDirectory) async throws {
        kept.moveForward(to: noon)
        if day == 0 {
            try kept.devices.insert(laptop.device, key: laptop.advertisingKey)
            _ = try kept.devices.receive(laptop.message([]), from: laptop.device.id)
        }
        // The last two are young enough when the state is stolen; those before are over.
        let pairings: [Int: [(String, PairingRecord.Status)]] = [
            0: [("old unconfirmed", .unconfirmed), ("old paired", .paired)],
            1: [("not paired", .notPaired)],
            5: [("unconfirmed", .unconfirmed), ("paired", .paired)],
        ]
        for (name, status) in pairings[day] ?? [] { try pair(name, status, noon) }
        try haveSession()
        noteKeys()
        try await CircleFile.write(kept.devices.contents, to: directory)
        try await PairingsFile.write(kept.pairings, to: directory)
        day += 1
    }

    private func pair(_ name: String, _ status: PairingRecord.Status, _ now: Moment) throws {
        let key = AdvertisingKey.generate()
        known[key.rawRepresentation] = .pairing(name)
        kept.pairings.keep(
            PairingRecord(
                id: try #require(PairingID(bytes: Array(key.rawRepresentation.prefix(8)))),
                peer: DeviceIdentity(publicKeys: DeviceKeys.generate().publicKeys, name: try DeviceName(name)),
                settlingKey: key,
                status: status,
                began: now.unixMicroseconds
            )
        )
    }

    private func haveSession() throws {
        let (ephemeral, greeting) = (AgreementKey.generate(), SessionGreeting.random())
        var here = NoiseHandshake.calling(
            laptop.keys.publicKeys,
            as: identity.keys,
            after: greeting,
            ephemeralForTestVectors: ephemeral
        )
        var there = NoiseHandshake.answering(identity.keys.publicKeys, as: laptop.keys, after: greeting)
        _ = try there.readMessage(try here.writeMessage([1]))
        _ = try here.readMessage(try there.writeMessage([2]))
        known[ephemeral.rawRepresentation] = .session(day)
        known[here.handshakeHash] = .session(day)
    }

    private func noteKeys() {
        let contents = kept.devices.contents
        known[contents.ownKey.daily.key.rawRepresentation] = .own(day)
        for peer in contents.peers.values {
            if let key = peer.key { known[key.daily.key.rawRepresentation] = .ofOthers(day) }
            if let key = peer.sendingKey { known[key.key.rawRepresentation] = .directed(day) }
            known[peer.receivingKey.key.rawRepresentation] = .directedHere(day)
        }
    }

    /// Writes the files that hold no keys, with something in each.
    func writeOthers(to directory: StateDirectory) async throws {
        try await RulesFile.file.write(RulesFile(), to: directory)
        for name in ["folders", "apps"] {
            try await StateFile<[String: String]>(name: name, version: 1).write(["notes": "/home/notes"], to: directory)
        }
        try await StateFile<[String]>(name: "types", version: 1).write(["org.example.notes"], to: directory)
        let agreements = StateFile<[String: [String]]>(name: "agreements", version: 1)
        try await agreements.write(["text/x-lua": ["org.example"]], to: directory)
        let journal = ContinuationJournal(
            in: directory,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        let entry = ContinuationJournal.Entry(app: "org.example.notes", type: "org.example.notes.editing")
        try await journal.insert(entry, journal.makeID())
    }

    /// The secrets that stand anywhere in a file: in its bytes, or in what it holds as base64.
    func secrets(in file: [UInt8]) -> Set<Secret> {
        // JSON escapes the slashes of base64.
        let texts = String(decoding: file.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self).split(separator: "\"")
        let contents = [file] + texts.compactMap { Data(base64Encoded: String($0)).map(Array.init) }
        var found: Set<Secret> = []
        for content in contents where content.count >= 32 {
            for start in 0...(content.count - 32) {
                if let secret = known[Array(content[start..<start + 32])] { found.insert(secret) }
            }
        }
        return found
    }
}
