import FoundationEssentials
package import HandoffModel

/// The tokens of caller and listener: the clear text in the first message of a pairing's handshake.
package struct PairingOpening: Hashable, Sendable {
    /// The token that the caller advertises.
    package let caller: PairingToken
    /// The token that the listener advertises.
    package let listener: PairingToken

    package init(caller: PairingToken, listener: PairingToken) {
        self.caller = caller
        self.listener = listener
    }

    /// Returns the encoded opening.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_PairingOpening()
        message.callerToken = Data(caller.bytes)
        message.listenerToken = Data(listener.bytes)
        return MessageCoding.encode(message)
    }

    /// Decodes an opening.
    ///
    /// - Throws: ``WireError``.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let limit = PairingMessage.maximumBytes
        let message = try MessageCoding.decode(Handoff_V1_PairingOpening.self, from: bytes, limit: limit)
        caller = try PairingToken(bytes: Array(message.callerToken))
        listener = try PairingToken(bytes: Array(message.listenerToken))
    }
}

/// The name and public keys that a device sends when it pairs, and the proof that the keys are its own.
package struct PairingIntroduction: Hashable, Sendable {
    /// As it was stated, whatever it contains.
    package let name: StatedName
    /// 64 bytes.
    package let publicKeys: [UInt8]
    /// 64 bytes.
    package let signature: [UInt8]
    /// 32 bytes.
    package let mac: [UInt8]

    /// Makes an introduction; the lengths are those of a valid one, and are not checked here.
    package init(name: StatedName, publicKeys: [UInt8], signature: [UInt8], mac: [UInt8]) {
        self.name = name
        self.publicKeys = publicKeys
        self.signature = signature
        self.mac = mac
    }
}

/// A message that two devices exchange when they pair.
package enum PairingMessage: Hashable, Sendable {
    /// The sender's identity.
    case introduction(PairingIntroduction)
    /// The sender has chosen to pair with the receiver.
    case choice
    /// The caller's commitment to its nonce.
    case commitment([UInt8])
    /// The listener's nonce.
    case share([UInt8])
    /// The caller's nonce.
    case reveal([UInt8])
    /// The sender's user confirmed that the digits agree; with the sender's advertising key.
    case confirmation(advertisingKey: [UInt8])
    /// This pairing has failed or was declined.
    case refusal(Reason)
    /// The sender takes back its choice; or it has confirmed, but its user now wants to stop.
    case withdrawal
    /// The sender knows that the receiver's choice is withdrawn, or how the pairing ended for the receiver.
    case done

    /// The reason why two devices are not paired; numbers that this version does not know are read as ``failed``.
    package enum Reason: Int, Hashable, CaseIterable, Sendable {
        /// An error occurred.
        case failed = 0
        /// The user chose another device.
        case notChosen = 1
        /// The user cancelled the pairing.
        case cancelled = 2
        /// The user reported that the digits differ.
        case digitsDiffer = 3
        /// The user or the peer did not answer in time.
        case tooSlow = 4
        /// There were too many pairing attempts with the sender.
        case tooManyTries = 5
    }

    /// The number of bytes in a commitment, those of a SHA-256.
    private static let commitmentBytes = 32

    /// The maximum size of a message in bytes; it bounds what an unauthenticated peer can send.
    package static let maximumBytes = 512

    /// Returns the encoded message.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_PairingMessage()
        switch self {
        case .introduction(let introduction):
            message.introduction.name = introduction.name.rawValue
            message.introduction.publicKeys = Data(introduction.publicKeys)
            message.introduction.signature = Data(introduction.signature)
            message.introduction.mac = Data(introduction.mac)
        case .choice: message.choice = Handoff_V1_PairingChoice()
        case .commitment(let bytes): message.commitment = Data(bytes)
        case .share(let bytes): message.share = Data(bytes)
        case .reveal(let bytes): message.reveal = Data(bytes)
        case .confirmation(let advertisingKey): message.confirmation.advertisingKey = Data(advertisingKey)
        case .refusal(let reason):
            message.refusal = Handoff_V1_PairingRefusal()
            message.refusal.reason = Handoff_V1_PairingRefusal.Reason(rawValue: reason.rawValue) ?? .failed
        case .withdrawal: message.withdrawal = Handoff_V1_PairingWithdrawal()
        case .done: message.done = Handoff_V1_PairingDone()
        }
        return MessageCoding.encode(message)
    }

    /// Decodes a message.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for a kind of message that only a newer version knows.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let message = try MessageCoding.decode(
            Handoff_V1_PairingMessage.self,
            from: bytes,
            limit: Self.maximumBytes
        )
        self =
            switch message.kind {
            case .introduction(let introduction): .introduction(try PairingIntroduction(introduction))
            case .choice: .choice
            case .commitment(let bytes): .commitment(try Self.commitment(bytes))
            case .share(let bytes): .share(Array(bytes))
            case .reveal(let bytes): .reveal(Array(bytes))
            case .confirmation(let confirmation): .confirmation(advertisingKey: Array(confirmation.advertisingKey))
            case .refusal(let refusal): .refusal(Reason(rawValue: refusal.reason.rawValue) ?? .failed)
            case .withdrawal: .withdrawal
            case .done: .done
            case nil:
                throw WireError(.unknownKind, "Unknown kind of pairing message: it needs a newer version of handoffd.")
            }
    }

    private static func commitment(_ bytes: Data) throws(WireError) -> [UInt8] {
        guard bytes.count == commitmentBytes else {
            throw WireError(.invalidContent, "A commitment has \(commitmentBytes) bytes, got \(bytes.count).")
        }
        return Array(bytes)
    }
}

extension PairingIntroduction {
    /// Validates a decoded introduction.
    fileprivate init(_ message: Handoff_V1_PairingIntroduction) throws(WireError) {
        do {
            name = try StatedName(message.name)
        } catch {
            throw WireError(error)
        }
        publicKeys = Array(message.publicKeys)
        signature = Array(message.signature)
        mac = Array(message.mac)
    }
}
