import FoundationEssentials
import HandoffCore
import HandoffCrypto
import HandoffModel
// FoundationEssentials has a DeviceID of the file system.
import struct HandoffModel.DeviceID
import HandoffWire
import SystemPackage

/// The file `devices` of the state directory: the circle, and which state of it the other devices are known to have.
///
/// Format 2 contains a ``CircleMessage`` and the data kept with it; format 1, a list of names and keys, is read and
/// replaced at the next change.
enum CircleFile {
    /// What is known about another device.
    struct Peer: Codable, Hashable, Sendable {
        /// The circle digest that it acknowledged last.
        var digest: [UInt8]?
        /// The given key: the advertising key from a card or from pairing, until the device itself has sent it in its
        /// circle; it is used here, and not passed on.
        var givenKey: [UInt8]?
        /// Microseconds since 1970, to the hour.
        var lastSeen: Int64?
    }

    struct Contents: Hashable, Sendable {
        var circle = Circle()
        var peers: [DeviceID: Peer] = [:]
        /// This device's name in the configuration when that was last applied.
        var configuredName: String?
    }

    private struct Document: Codable {
        var circle: Data
        var peers: [String: Peer]
        var configuredName: String?
    }

    private struct OldEntry: Codable {
        var name: String
        var publicKey: Data
        var advertisingKey: Data
    }

    static let name = "devices"
    private static let file = StateFile<Document>(name: name, version: 2)
    private static let oldFile = StateFile<[OldEntry]>(name: name, version: 1)

    /// Returns the contents of the file; empty when it does not exist yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    static func read(from directory: StateDirectory) throws(HandoffError) -> Contents {
        do {
            if try oldFile.storedVersion(in: directory) == oldFile.version { return try readOld(from: directory) }
            guard let document = try file.read(from: directory) else { return Contents() }
            var contents = Contents(
                circle: try Circle(CircleMessage(decoding: Array(document.circle))),
                configuredName: document.configuredName
            )
            for (id, peer) in document.peers { contents.peers[try DeviceID(id)] = peer }
            return contents
        } catch let error as HandoffError where error.code != .peerMisbehaved {
            throw error
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
            circle: Data(contents.circle.message.encode()),
            peers: Dictionary(uniqueKeysWithValues: contents.peers.map { ($0.key.description, $0.value) }),
            configuredName: contents.configuredName
        )
        try await file.write(document, to: directory)
    }

    private static func readOld(from directory: StateDirectory) throws -> Contents {
        var contents = Contents()
        for entry in try oldFile.read(from: directory) ?? [] {
            let publicKey = try DevicePublicKey(rawRepresentation: Array(entry.publicKey))
            let identity = DeviceIdentity(
                publicKey: publicKey,
                name: DeviceName(cleaning: entry.name, of: publicKey.device)
            )
            try contents.circle.insert(identity, by: nil)
            contents.peers[identity.id] = Peer(givenKey: Array(entry.advertisingKey))
        }
        return contents
    }
}
