import FoundationEssentials
import HandoffCore
import HandoffCrypto
import HandoffModel
// FoundationEssentials has a DeviceID of the file system.
import struct HandoffModel.DeviceID
import SystemPackage

/// The file `devices` of the state directory: the circle with the person's decisions, this device's advertising key, and
/// what is known about each other device.
enum CircleFile {
    /// What is known about a trusted device.
    struct Peer: Hashable, Sendable {
        /// Its advertising key, as it told it.
        var key: AdvertisingKeyRecord?
        /// The key under which this device seals directed advertisements to it, as it told it.
        var sendingKey: DailyKey?
        /// The key under which it seals directed advertisements to this device, which tells it.
        var receivingKey: DailyKey
        /// The digest of this device's statements after the last exchange that was completed with it.
        var toldDigest: [UInt8]?
        /// The digest of its statements that it told last.
        var digest: [UInt8]?
        /// The key of this device that it has said to have.
        var knownKey: AdvertisingKeyRecord.ID?
        /// Microseconds since 1970, to the hour.
        var lastSeen: Int64?
    }

    struct Contents: Hashable, Sendable {
        var circle: Circle
        /// The key under which this device advertises.
        var ownKey: AdvertisingKeyRecord
        /// The highest number of a key that this device has used or told (`KeyIdentifierSource`).
        var keyNumber: UInt16
        var peers: [DeviceID: Peer] = [:]
        /// This device's name in the configuration when that was last applied.
        var configuredName: String?

        /// The state of a device that begins a circle of its own.
        init(of identity: Identity, at slot: UInt64) {
            circle = Circle(of: identity.keys.publicKeys)
            keyNumber = 0
            ownKey = .generate(
                day: DailyKey.keptDay(at: slot),
                id: KeyIdentifierSource(identity.keys).identifier(of: keyNumber)
            )
        }
    }

    fileprivate struct PeerDocument: Codable {
        var key: Data?
        var sendingKey: Data?
        var receivingKey: Data
        var toldDigest: Data?
        var digest: Data?
        var knownKey: Data?
        var lastSeen: Int64?
    }

    private struct Document: Codable {
        var statements: [Data]
        /// The removals that the person has overruled, as contents of statements.
        var overruled: [Data]
        var advertisingKey: Data
        var keyNumber: UInt16
        var peers: [String: PeerDocument]
        var configuredName: String?
    }

    static let name = "devices"
    private static let file = StateFile<Document>(name: name, version: 4)

    /// Returns the contents of the file; those of a new circle when it does not exist yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    static func read(
        from directory: StateDirectory,
        for identity: Identity,
        at slot: UInt64
    ) throws(HandoffError) -> Contents {
        guard let document = try file.read(from: directory) else { return Contents(of: identity, at: slot) }
        do {
            return try contents(document, of: identity, at: slot)
        } catch {
            throw HandoffError(
                .stateDamaged,
                "\(directory.path.appending(name)) contains an invalid device. Restore it from a backup."
            )
        }
    }

    /// Replaces the file.
    ///
    /// - Throws: ``HandoffError`` with `stateUnwritable`; then the file has not changed.
    static func write(_ contents: Contents, to directory: StateDirectory) async throws(HandoffError) {
        let document = Document(
            statements: contents.circle.statements.map { Data($0.bytes) },
            overruled: contents.circle.overruled.sorted().map {
                Data(CircleStatement.remove(author: $0.author, $0.subject).content)
            },
            advertisingKey: Data(contents.ownKey.rawRepresentation),
            keyNumber: contents.keyNumber,
            peers: Dictionary(
                uniqueKeysWithValues: contents.peers.map { ($0.key.description, PeerDocument($0.value)) }
            ),
            configuredName: contents.configuredName
        )
        try await file.write(document, to: directory)
    }

    private struct InvalidStatement: Error {}

    private static func contents(_ document: Document, of identity: Identity, at slot: UInt64) throws -> Contents {
        var contents = Contents(of: identity, at: slot)
        let statements = try document.statements.map { bytes in
            guard let statement = SignedStatement(bytes: Array(bytes)) else { throw InvalidStatement() }
            return statement
        }
        let overruled = try document.overruled.map { bytes in
            guard let statement = CircleStatement(content: Array(bytes)) else { throw InvalidStatement() }
            return statement.place
        }
        contents.circle = Circle(of: identity.keys.publicKeys, statements, overruled: Set(overruled))
        contents.ownKey = try AdvertisingKeyRecord(rawRepresentation: document.advertisingKey)
        contents.keyNumber = document.keyNumber
        for (id, peer) in document.peers { contents.peers[try DeviceID(id)] = try Peer(peer) }
        contents.configuredName = document.configuredName
        return contents
    }
}

extension CircleFile.Peer {
    fileprivate init(_ document: CircleFile.PeerDocument) throws {
        key = try document.key.map { try AdvertisingKeyRecord(rawRepresentation: $0) }
        sendingKey = try document.sendingKey.map { try DailyKey(rawRepresentation: $0) }
        receivingKey = try DailyKey(rawRepresentation: document.receivingKey)
        toldDigest = document.toldDigest.map(Array.init)
        digest = document.digest.map(Array.init)
        knownKey = try document.knownKey.map { try AdvertisingKeyRecord.ID(bytes: $0) }
        lastSeen = document.lastSeen
    }
}

extension CircleFile.PeerDocument {
    fileprivate init(_ peer: CircleFile.Peer) {
        key = peer.key.map { Data($0.rawRepresentation) }
        sendingKey = peer.sendingKey.map { Data($0.rawRepresentation) }
        receivingKey = Data(peer.receivingKey.rawRepresentation)
        toldDigest = peer.toldDigest.map { Data($0) }
        digest = peer.digest.map { Data($0) }
        knownKey = peer.knownKey.map { Data($0.bytes) }
        lastSeen = peer.lastSeen
    }
}
