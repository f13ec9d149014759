import FoundationEssentials
import Glibc
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("A state file is read completely, or is an error and never overwritten", .endsWithin(minutes: 10))
struct StateFileTests {
    @Test("An identity is created once, and is the same ever after")
    func identity() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let first = try await Identity.loaded(from: directory)
                let second = try await Identity.loaded(from: directory)
                #expect(first.id == second.id)
                #expect(first.keys.agreement.rawRepresentation == second.keys.agreement.rawRepresentation)
                #expect(first.keys.signing.rawRepresentation == second.keys.signing.rawRepresentation)
                #expect(try path.appending("identity").mode == 0o600)
            }
        }
    }

    @Test("The identities of two devices have nothing in common")
    func twoIdentities() async throws {
        let first = try await withTemporaryDirectory { try await Self.identity(at: $0) }
        let second = try await withTemporaryDirectory { try await Self.identity(at: $0) }
        #expect(first.id != second.id)
        #expect(first.keys.signing.rawRepresentation != second.keys.signing.rawRepresentation)
    }

    @Test("An identity with a flipped bit is refused, and not overwritten")
    func flippedIdentity() async throws {
        try await withTemporaryDirectory { path in
            _ = try await Self.identity(at: path)
            let file = path.appending("identity")
            let whole = try file.contents
            for damaged in Damage.bitFlips(of: whole) {
                try file.write(damaged)
                await #expect(throws: HandoffError.self) { try await Self.identity(at: path) }
                #expect(try file.contents == damaged)
            }
            try file.write(whole)
            _ = try await Self.identity(at: path)
        }
    }

    @Test("A truncated identity is refused, even an empty one, and not overwritten")
    func truncatedIdentity() async throws {
        try await withTemporaryDirectory { path in
            _ = try await Self.identity(at: path)
            let file = path.appending("identity")
            for damaged in Damage.truncations(of: try file.contents) {
                try file.write(damaged)
                await #expect { try await Self.identity(at: path) } throws: { error in
                    (error as? HandoffError)?.code == .stateDamaged && "\(error)".contains(file.string)
                }
                #expect(try file.contents == damaged)
            }
        }
    }

    @Test("A file of a newer version is an error with that reason, and remains unchanged")
    func newerVersion() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                try await StateFile<[String]>(name: "identity", version: 3).write(["?"], to: directory)
                let bytes = try path.appending("identity").contents
                await #expect { try await Identity.loaded(from: directory) } throws: { error in
                    let error = error as? HandoffError
                    return error?.code == .stateUnreadable && error?.message.contains("Update handoffd") == true
                }
                #expect(try path.appending("identity").contents == bytes)
            }
        }
    }

    @Test("An identity without a signing key is an error that says what to do, and remains unchanged")
    func olderVersion() async throws {
        struct Document: Codable {
            var privateKey = [UInt8](repeating: 1, count: 32)
            var advertisingKey = [UInt8](repeating: 2, count: 32)
        }
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                try await StateFile<Document>(name: "identity", version: 1).write(Document(), to: directory)
                let bytes = try path.appending("identity").contents
                await #expect { try await Identity.loaded(from: directory) } throws: { error in
                    let error = error as? HandoffError
                    return error?.code == .stateUnreadable
                        && error?.message.contains("Move the directory \(path) away") == true
                }
                #expect(try path.appending("identity").contents == bytes)
            }
        }
    }

    @Test("A complete file with meaningless contents is damaged", arguments: [("identity", 2), ("devices", 4)])
    func wrongContents(_ name: String, version: Int) async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                _ = try await Identity.loaded(from: directory)
                try await StateFile<[String: String]>(name: name, version: version).write(["a": "b"], to: directory)
                await #expect {
                    let identity = try await Identity.loaded(from: directory)
                    _ = try CircleFile.read(from: directory, for: identity, at: 1)
                } throws: { error in
                    (error as? HandoffError)?.code == .stateDamaged && "\(error)".contains(name)
                }
            }
        }
    }

    @Test("A missing identity beside the files of one is not a first start", arguments: ["devices", "pairings"])
    func missingIdentity(_ name: String) async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let identity = try await Identity.loaded(from: directory)
                try await CircleFile.write(CircleFile.Contents(of: identity, at: 1), to: directory)
                try await PairingsFile.write(PairingRecords(), to: directory)
                try #require(unlink(path.appending("identity").string) == 0)
                try #require(unlink(path.appending(name == "devices" ? "pairings" : "devices").string) == 0)
                await #expect { try await Identity.loaded(from: directory) } throws: { error in
                    let error = error as? HandoffError
                    return error?.code == .stateDamaged && error?.message.contains("identity is missing") == true
                }
                #expect(try path.names.filter { $0 != "lock" } == [name])
            }
        }
    }

    @Test("A pairing with a key of low order is damage in the file that is named")
    func insecurePairing() async throws {
        struct Entry: Codable {
            var pairing = Data(repeating: 1, count: 8)
            var name = "tablet"
            // The agreement key 1, which is of low order, and a signing key.
            var publicKeys = Data(
                [1] + [UInt8](repeating: 0, count: 31) + SigningKey.generate().publicKey.rawRepresentation
            )
            var settlingKey = Data(repeating: 1, count: 32)
            var standing = "paired"
            var isSettled = false
            var began: Int64 = 0
        }
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                try await StateFile<[Entry]>(name: "pairings", version: 2).write([Entry()], to: directory)
                #expect { try PairingsFile.read(from: directory) } throws: { error in
                    (error as? HandoffError)?.code == .stateDamaged
                        && "\(error)".contains(path.appending("pairings").string)
                }
            }
        }
    }

    @Test("Keys of a wrong length are refused, although the file is complete")
    func wrongKeys() async throws {
        struct Document: Codable {
            var agreementKey = "AAAA"
            var signingKey = "AAAA"
        }
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                try await StateFile<Document>(name: "identity", version: 2).write(Document(), to: directory)
                await #expect { try await Identity.loaded(from: directory) } throws: { error in
                    (error as? HandoffError)?.code == .stateDamaged && "\(error)".contains("identity")
                }
            }
        }
    }

    private static func identity(at path: FilePath) async throws -> Identity {
        try await StateDirectory.withDirectory(at: path) { try await Identity.loaded(from: $0) }
    }
}
