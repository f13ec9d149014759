import HandoffCrypto
import HandoffModel
package import HandoffWire

extension Circle {
    /// The circle in the form in which it is sent.
    package var message: CircleMessage {
        CircleMessage(
            members: members.sorted {
                $0.publicKey.rawRepresentation.lexicographicallyPrecedes($1.publicKey.rawRepresentation)
            }
            .map(\.message),
            removals: removals.map {
                CircleMessage.Removal(device: $0.device, generation: $0.removal.generation, number: $0.removal.number)
            }
        )
    }

    /// The circle digest, by which other devices recognize that they have the same circle: the first 8 bytes of the
    /// SHA-256 of the encoded message.
    package var digest: [UInt8] {
        Array(HandoffDigest.sha256(message.encode()).prefix(AnswerEnvelope.circleDigestBytes))
    }

    /// Creates a circle from a received message.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when it names a device twice or has an unusable key.
    package init(_ message: CircleMessage) throws(HandoffError) {
        self.init()
        do {
            for member in message.members {
                let member = try Member(member)
                try add(.member(member), for: member.id)
            }
            for entry in message.removals {
                let removal = Removal(generation: entry.generation, number: entry.number)
                try add(.removed(removal), for: entry.device)
            }
        } catch let error as CryptoError {
            throw HandoffError(.peerMisbehaved, error.message)
        } catch {
            throw HandoffError(.peerMisbehaved, "The circle contains a device twice.")
        }
    }

    private struct DuplicateDevice: Error {}

    private mutating func add(_ state: MembershipState, for id: DeviceID) throws {
        guard self[id] == nil, removal(of: id) == nil else { throw DuplicateDevice() }
        set(state, of: id)
    }
}

extension Member {
    fileprivate var message: CircleMessage.Member {
        CircleMessage.Member(
            publicKey: publicKey.rawRepresentation,
            generation: generation,
            introducedBy: introducedBy,
            name: statedName,
            nameVersion: nameVersion,
            namedBy: namedBy,
            advertisingKey: advertisingKey?.rawRepresentation,
            advertisingKeyVersion: advertisingKeyVersion,
            protocolVersion: protocolVersion
        )
    }

    fileprivate init(_ message: CircleMessage.Member) throws {
        publicKey = try DevicePublicKey(rawRepresentation: message.publicKey)
        generation = message.generation
        introducedBy = message.introducedBy
        statedName = message.name
        nameVersion = message.nameVersion
        namedBy = message.namedBy
        advertisingKey = try message.advertisingKey.map { try AdvertisingKey(rawRepresentation: $0) }
        advertisingKeyVersion = message.advertisingKeyVersion
        protocolVersion = message.protocolVersion
    }
}
