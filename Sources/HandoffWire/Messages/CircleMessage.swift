import FoundationEssentials
package import HandoffModel
// FoundationEssentials has a DeviceID of the file system.
package import struct HandoffModel.DeviceID

/// The encoded form of a circle's state; `HandoffCore.Circle` gives it its meaning.
package struct CircleMessage: Hashable, Sendable {
    /// A device that belongs to the circle.
    package struct Member: Hashable, Sendable {
        /// 32 bytes.
        package var publicKey: [UInt8]
        package var generation: UInt32
        /// The device that trusted it first; nil when unknown.
        package var introducedBy: DeviceID?
        /// As it was stated, whatever it contains: the digest covers its bytes.
        package var name: StatedName
        package var nameVersion: UInt32
        package var namedBy: DeviceID
        /// 32 bytes; nil when the sender's copy does not have it from the device itself yet.
        package var advertisingKey: [UInt8]?
        /// 0 when there is no key.
        package var advertisingKeyVersion: UInt32
        /// 0 when unknown.
        package var protocolVersion: UInt32

        package init(
            publicKey: [UInt8],
            generation: UInt32,
            introducedBy: DeviceID?,
            name: StatedName,
            nameVersion: UInt32,
            namedBy: DeviceID,
            advertisingKey: [UInt8]?,
            advertisingKeyVersion: UInt32,
            protocolVersion: UInt32
        ) {
            self.publicKey = publicKey
            self.generation = generation
            self.introducedBy = introducedBy
            self.name = name
            self.nameVersion = nameVersion
            self.namedBy = namedBy
            self.advertisingKey = advertisingKey
            self.advertisingKeyVersion = advertisingKeyVersion
            self.protocolVersion = protocolVersion
        }
    }

    /// A device that was removed.
    package struct Removal: Hashable, Sendable {
        package var device: DeviceID
        package var generation: UInt32
        package var number: UInt32

        package init(device: DeviceID, generation: UInt32, number: UInt32) {
            self.device = device
            self.generation = generation
            self.number = number
        }
    }

    /// The maximum encoded size of a state in bytes.
    package static let maximumBytes = 65536

    package var members: [Member]
    package var removals: [Removal]

    package init(members: [Member], removals: [Removal]) {
        self.members = members
        self.removals = removals
    }

    /// Returns the encoded state; equal states have equal bytes.
    package func encode() -> [UInt8] { MessageCoding.encode(Handoff_V1_Circle(self)) }

    /// Decodes a state.
    ///
    /// - Throws: ``WireError`` when a bound is exceeded or a field is invalid.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let message = try MessageCoding.decode(Handoff_V1_Circle.self, from: bytes, limit: Self.maximumBytes)
        try self.init(message)
    }
}

extension CircleMessage {
    /// Validates a decoded state.
    init(_ message: Handoff_V1_Circle) throws(WireError) {
        guard message.members.count <= CircleLimits.members, message.removals.count <= CircleLimits.removals else {
            throw WireError(
                .tooLarge,
                "A circle has at most \(CircleLimits.members) members and \(CircleLimits.removals) removals."
            )
        }
        members = []
        removals = []
        for member in message.members { members.append(try Member(member)) }
        for removal in message.removals { removals.append(try Removal(removal)) }
    }

    fileprivate static func checkNumbers(_ numbers: UInt32...) throws(WireError) {
        guard numbers.allSatisfy({ $0 <= CircleLimits.number }) else {
            throw WireError(.invalidContent, "A number in the circle exceeds 2^31 - 1.")
        }
    }
}

extension CircleMessage.Member {
    fileprivate init(_ message: Handoff_V1_Member) throws(WireError) {
        try CircleMessage.checkNumbers(
            message.generation,
            message.nameVersion,
            message.advertisingKeyVersion,
            message.protocolVersion
        )
        let hasKey = !message.advertisingKey.isEmpty
        guard message.publicKey.count == 32, message.advertisingKey.count == 32 || !hasKey else {
            throw WireError(.invalidContent, "A key of a circle member must have 32 bytes.")
        }
        guard hasKey || message.advertisingKeyVersion == 0 else {
            throw WireError(.invalidContent, "A circle member has an advertising key version but no advertising key.")
        }
        do {
            self.init(
                publicKey: Array(message.publicKey),
                generation: message.generation,
                introducedBy: message.introducedBy.isEmpty ? nil : try DeviceID(bytes: message.introducedBy),
                name: try StatedName(message.name),
                nameVersion: message.nameVersion,
                namedBy: try DeviceID(bytes: message.namedBy),
                advertisingKey: hasKey ? Array(message.advertisingKey) : nil,
                advertisingKeyVersion: message.advertisingKeyVersion,
                protocolVersion: message.protocolVersion
            )
        } catch {
            throw WireError(error)
        }
    }
}

extension CircleMessage.Removal {
    fileprivate init(_ message: Handoff_V1_Removal) throws(WireError) {
        try CircleMessage.checkNumbers(message.generation, message.number)
        do {
            self.init(
                device: try DeviceID(bytes: message.device),
                generation: message.generation,
                number: message.number
            )
        } catch {
            throw WireError(error)
        }
    }
}

extension Handoff_V1_Circle {
    /// Encodes a state.
    init(_ circle: CircleMessage) {
        self.init()
        members = circle.members.map { member in
            var message = Handoff_V1_Member()
            message.publicKey = Data(member.publicKey)
            message.generation = member.generation
            message.introducedBy = Data(member.introducedBy?.bytes ?? [])
            message.name = member.name.rawValue
            message.nameVersion = member.nameVersion
            message.namedBy = Data(member.namedBy.bytes)
            message.advertisingKey = Data(member.advertisingKey ?? [])
            message.advertisingKeyVersion = member.advertisingKeyVersion
            message.protocolVersion = member.protocolVersion
            return message
        }
        removals = circle.removals.map { removal in
            var message = Handoff_V1_Removal()
            message.device = Data(removal.device.bytes)
            message.generation = removal.generation
            message.number = removal.number
            return message
        }
    }
}
