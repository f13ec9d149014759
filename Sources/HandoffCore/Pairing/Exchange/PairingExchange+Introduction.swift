import HandoffCrypto
import HandoffWire

/// The handshake and the introductions.
extension PairingExchange {
    mutating func receive(frame: [UInt8], at now: Duration) throws -> [Action] {
        switch phase {
        case .handshaking(let handshake): try receiveHandshake(handshake, frame, at: now)
        case .introducing(var channel): try receiveIntroduction(&channel, frame)
        case .committing(var channel, let proof):
            try receiveCommitmentMessage(&channel, proof, try Self.opened(frame, &channel), at: now)
        case .comparing(var channel, let comparison):
            try compare(&channel, comparison, try Self.opened(frame, &channel), at: now)
        case .declined(var channel, let record):
            try receiveClosing(record, try Self.opened(frame, &channel), channel)
        case .over: []
        }
    }

    private static func opened(_ frame: [UInt8], _ channel: inout PairingChannel) throws -> PairingMessage {
        try channel.open(frame)
    }

    /// Handles the handshake: the caller receives the listener's introduction in the second message, and answers with
    /// its own.
    private mutating func receiveHandshake(_ handshake: PairingHandshake, _ frame: [UInt8], at now: Duration) throws
        -> [Action]
    {
        var handshake = handshake
        let payload = try handshake.readMessage(frame)
        deadline = now + Self.answerLimit
        if isCaller {
            var channel = PairingChannel(try handshake.split())
            let introduction = Action.send(channel.seal(introduction))
            return [introduction] + (try receiveIntroduction(payload, over: channel))
        }
        let opening = try PairingOpening(decoding: payload)
        guard opening.listener == ownToken else {
            throw HandoffError(.peerMisbehaved, "Its first message names another device.")
        }
        peerToken = opening.caller
        let answer = try handshake.writeMessage(introduction.encode())
        phase = .introducing(PairingChannel(try handshake.split()))
        return [.send(FrameCodec.encode(answer))]
    }

    private mutating func receiveIntroduction(_ channel: inout PairingChannel, _ frame: [UInt8]) throws -> [Action] {
        try receiveIntroduction(try channel.plaintext(of: frame), over: channel)
    }

    private mutating func receiveIntroduction(_ payload: [UInt8], over channel: PairingChannel) throws -> [Action] {
        let peer = try Self.peer(PairingMessage(decoding: payload))
        self.peer = peer
        peerIntroduction = payload
        phase = .committing(channel, .awaitingChoice(local: false, remote: false))
        deadline = nil
        return [.introduced(peer)]
    }

    var introduction: PairingMessage {
        .introduction(PairingIntroduction(name: own.device.name, publicKey: own.device.publicKey.rawRepresentation))
    }

    private static func peer(_ message: PairingMessage) throws -> DeviceIdentity {
        guard case .introduction(let introduction) = message else {
            throw HandoffError(.peerMisbehaved, "It did not send an introduction.")
        }
        let key = try DevicePublicKey(rawRepresentation: introduction.publicKey)
        return DeviceIdentity(publicKey: key, name: introduction.name)
    }
}
