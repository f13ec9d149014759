import HandoffCrypto
import HandoffModel
import HandoffWire

extension PairingExchange {
    /// The first phase: the handshake and the introductions.
    struct Introduction: Sendable {
        private enum Step: Sendable {
            case handshaking(PairingHandshake)
            /// The other side's introduction is awaited; `ours` is the one that this side sends.
            case awaitingIntroduction(PairingHandshake.Secrets, ours: [UInt8])
        }

        /// The token that the other side advertises; a listener learns it from the first message.
        private(set) var peerToken: PairingToken?
        /// When the other side has to have answered.
        private(set) var deadline: Duration
        private let isCaller: Bool
        private let ownToken: PairingToken
        private let own: LocalIdentity
        private let began: Int64
        private let nonceForTestVectors: PairingNonce?
        private var step: Step

        /// Creates the first phase of an exchange; the parameters are those of the exchange.
        init(
            dialling peerToken: PairingToken?,
            as ownToken: PairingToken,
            _ own: LocalIdentity,
            at now: Moment,
            _ numbersForTestVectors: (ephemeral: AgreementKey, nonce: PairingNonce)?
        ) {
            self.peerToken = peerToken
            self.ownToken = ownToken
            self.own = own
            isCaller = peerToken != nil
            began = now.unixMicroseconds
            deadline = now.uptime + PairingExchange.answerLimit
            nonceForTestVectors = numbersForTestVectors?.nonce
            let ephemeral = numbersForTestVectors?.ephemeral
            step = .handshaking(PairingHandshake(isCaller: isCaller, ephemeralForTestVectors: ephemeral))
        }

        /// Returns what follows the start: the first message of the side that has dialled, nothing on the other side.
        func started() -> Transition {
            guard case .handshaking(var handshake) = step, let peerToken else { return Transition(.introducing(self)) }
            let opening = PairingOpening(caller: ownToken, listener: peerToken)
            guard let message = try? handshake.writeMessage(opening.encode()) else {
                return .ended(.misbehaved("no keys"), after: .introduction)
            }
            var next = self
            next.step = .handshaking(handshake)
            return Transition(.introducing(next), [.send(FrameCodec.encode(message))])
        }

        /// Returns what follows a frame.
        func received(_ frame: [UInt8], at now: Duration) throws -> Transition {
            switch step {
            case .handshaking(let handshake) where isCaller: return try receivedAnswer(frame, handshake)
            case .handshaking(let handshake): return try receivedOpening(frame, handshake, at: now)
            case .awaitingIntroduction(let secrets, let ours):
                return try receivedIntroduction(frame, over: secrets, ours)
            }
        }

        /// Handles the second message of the handshake, after which the listener introduces itself.
        private func receivedAnswer(_ frame: [UInt8], _ handshake: PairingHandshake) throws -> Transition {
            var handshake = handshake
            _ = try handshake.readMessage(frame)
            let secrets = try handshake.split()
            var next = self
            next.step = .awaitingIntroduction(secrets, ours: try introduction(over: secrets.binding))
            return Transition(.introducing(next))
        }

        /// Handles the first message of the handshake; the listener answers it and introduces itself.
        private func receivedOpening(
            _ frame: [UInt8],
            _ handshake: PairingHandshake,
            at now: Duration
        ) throws -> Transition {
            var handshake = handshake
            let opening = try PairingOpening(decoding: try handshake.readMessage(frame))
            guard opening.listener == ownToken, opening.caller != ownToken else {
                throw HandoffError(.peerMisbehaved, "Its first message does not name the two devices.")
            }
            let answer = FrameCodec.encode(try handshake.writeMessage([]))
            var secrets = try handshake.split()
            let ours = try introduction(over: secrets.binding)
            let introduction = FrameCodec.encode(try secrets.transport.encrypt(ours))
            var next = self
            next.peerToken = opening.caller
            next.deadline = now + PairingExchange.answerLimit
            next.step = .awaitingIntroduction(secrets, ours: ours)
            return Transition(.introducing(next), [.send(answer + introduction)])
        }

        /// Handles the introduction of the other side; the caller answers with its own once the listener has proved
        /// that its keys are its own.
        private func receivedIntroduction(
            _ frame: [UInt8],
            over secrets: PairingHandshake.Secrets,
            _ ours: [UInt8]
        ) throws -> Transition {
            var transport = secrets.transport
            let theirs = try transport.decrypt(frame)
            let peer = try Self.identity(introducedBy: theirs, over: secrets.binding)
            let answer = isCaller ? [Action.send(FrameCodec.encode(try transport.encrypt(ours)))] : []
            let record = PairingRecord(
                id: PairingID(handshakeHash: transport.handshakeHash),
                peer: peer,
                settlingKey: secrets.settlingKey,
                status: .notPaired,
                began: began
            )
            let transcript = PairingTranscript(
                handshakeHash: transport.handshakeHash,
                caller: isCaller ? ours : theirs,
                listener: isCaller ? theirs : ours
            )
            let channel = PairingChannel(
                transport,
                isCaller: isCaller,
                record: record,
                transcript: transcript,
                nonceForTestVectors: nonceForTestVectors
            )
            return Transition(.choosing(Choice(over: channel)), answer + [.introduced(peer)])
        }

        /// Returns this side's encoded introduction, with its proof for this channel.
        private func introduction(over binding: PairingBinding) throws -> [UInt8] {
            let proof = try own.proof(over: binding)
            let introduction = PairingIntroduction(
                name: StatedName(own.device.name),
                publicKeys: own.device.publicKeys.rawRepresentation,
                signature: proof.signature,
                mac: proof.mac
            )
            return PairingMessage.introduction(introduction).encode()
        }

        /// Returns the identity in the other side's introduction, which it has proved to be its own.
        ///
        /// A later version may say more in its introduction, which the digits also cover.
        private static func identity(
            introducedBy message: [UInt8],
            over binding: PairingBinding
        ) throws -> DeviceIdentity {
            guard case .introduction(let peer) = try PairingMessage(decoding: message) else {
                throw HandoffError(.peerMisbehaved, "It did not send an introduction.")
            }
            let publicKeys = try DevicePublicKeys(rawRepresentation: peer.publicKeys)
            try binding.verify(PairingProof(signature: peer.signature, mac: peer.mac), of: publicKeys)
            return DeviceIdentity(publicKeys: publicKeys, name: peer.name.name(of: publicKeys.device))
        }
    }
}
