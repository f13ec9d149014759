import FoundationEssentials
package import HandoffModel

/// Who calls whom: the clear text in the first message of a pairing's handshake.
package struct PairingOpening: Hashable, Sendable {
    /// What the caller advertises.
    package let caller: PairingToken
    /// What the listener advertises.
    package let listener: PairingToken

    package init(caller: PairingToken, listener: PairingToken) {
        self.caller = caller
        self.listener = listener
    }

    /// The bytes of this opening.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_PairingOpening()
        message.callerToken = Data(caller.bytes)
        message.listenerToken = Data(listener.bytes)
        return MessageCoding.encode(message)
    }

    /// Reads an opening.
    ///
    /// - Throws: ``WireError``.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let limit = PairingMessage.maximumBytes
        let message = try MessageCoding.decode(Handoff_V1_PairingOpening.self, from: bytes, limit: limit)
        caller = try PairingToken(bytes: Array(message.callerToken))
        listener = try PairingToken(bytes: Array(message.listenerToken))
    }
}

/// How a device introduces itself when it pairs.
package struct PairingIntroduction: Hashable, Sendable {
    package let name: DeviceName
    /// 32 bytes.
    package let publicKey: [UInt8]

    package init(name: DeviceName, publicKey: [UInt8]) {
        self.name = name
        self.publicKey = publicKey
    }
}

/// What two devices say to each other when they pair.
package enum PairingMessage: Hashable, Sendable {
    /// Who the sender is.
    case introduction(PairingIntroduction)
    /// The receiver is the one that the sender is to pair with.
    case choice
    /// The caller's promise of its random number.
    case commitment([UInt8])
    /// The listener's random number.
    case share([UInt8])
    /// The caller's random number.
    case reveal([UInt8])
    /// A person said that the digits are the same; with the sender's advertising key.
    case confirmation(advertisingKey: [UInt8])
    /// The two are not paired, and will not be by this.
    case refusal(Reason)
    /// The sender has confirmed and would like to stop.
    case withdrawal
    /// The sender knows how this has ended for the receiver.
    case done

    /// Why two devices are not paired; numbers that this version does not know are read as ``failed``.
    package enum Reason: Int, Hashable, CaseIterable, Sendable {
        /// Something went wrong.
        case failed = 0
        /// The person pairs with another device this time.
        case notChosen = 1
        /// A person has stopped it.
        case cancelled = 2
        /// A person says that the digits differ.
        case digitsDiffer = 3
        /// Nobody answered in time.
        case tooSlow = 4
        /// The sender has been tried too often.
        case tooManyTries = 5
    }

    /// The most bytes that a message may have; a stranger is never given more.
    package static let maximumBytes = 512

    /// The bytes of this message.
    package func encode() -> [UInt8] {
        var message = Handoff_V1_PairingMessage()
        switch self {
        case .introduction(let introduction):
            message.introduction.name = introduction.name.rawValue
            message.introduction.publicKey = Data(introduction.publicKey)
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

    /// Reads a message.
    ///
    /// - Throws: ``WireError``; ``WireError/Code/unknownKind`` for a message that only a newer version knows.
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
            case .commitment(let bytes): .commitment(Array(bytes))
            case .share(let bytes): .share(Array(bytes))
            case .reveal(let bytes): .reveal(Array(bytes))
            case .confirmation(let confirmation): .confirmation(advertisingKey: Array(confirmation.advertisingKey))
            case .refusal(let refusal): .refusal(Reason(rawValue: refusal.reason.rawValue) ?? .failed)
            case .withdrawal: .withdrawal
            case .done: .done
            case nil: throw WireError(.unknownKind, "A pairing's message is of a kind that this version does not know.")
            }
    }
}

extension PairingIntroduction {
    /// The introduction that travelled.
    fileprivate init(_ message: Handoff_V1_PairingIntroduction) throws(WireError) {
        do {
            name = try DeviceName(message.name)
        } catch {
            throw WireError(error)
        }
        publicKey = Array(message.publicKey)
    }
}
