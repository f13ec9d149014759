import HandoffCrypto
import HandoffModel
import HandoffWire

extension PairingExchange {
    /// The first phase: the handshake and the introductions.
    struct Introduction: Sendable {
        private enum Step: Sendable {
            case handshaking(PairingHandshake)
            /// The listener waits for the caller's introduction.
            case awaitingIntroduction(PairingHandshake.Secrets)
        }

        /// The token that the other side advertises; a listener learns it from the first message.
        private(set) var peerToken: PairingToken?
        /// When the other side has to have answered.
        private(set) var deadline: Duration
        private let isCaller: Bool
        private let ownToken: PairingToken
        private let own: DeviceIdentity
        private let began: Int64
        private var step: Step

        /// Creates the first phase of an exchange; the parameters are those of the exchange.
        init(dialling peerToken: PairingToken?, as ownToken: PairingToken, _ own: DeviceIdentity, at now: Moment) {
            self.peerToken = peerToken
            self.ownToken = ownToken
            self.own = own
            isCaller = peerToken != nil
            began = now.unixMicroseconds
            deadline = now.uptime + PairingExchange.answerLimit
            step = .handshaking(PairingHandshake(isCaller: isCaller))
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
            case .awaitingIntroduction(let secrets):
                var transport = secrets.transport
                let payload = try transport.decrypt(frame)
                let channel = try channel(over: transport, secrets.settlingKey, introducing: payload)
                return Transition(.choosing(Choice(over: channel)), [.introduced(channel.record.peer)])
            }
        }

        /// Handles the second message of the handshake, which carries the listener's introduction; the caller answers
        /// with its own.
        private func receivedAnswer(_ frame: [UInt8], _ handshake: PairingHandshake) throws -> Transition {
            var handshake = handshake
            let payload = try handshake.readMessage(frame)
            let secrets = try handshake.split()
            var channel = try channel(over: secrets.transport, secrets.settlingKey, introducing: payload)
            let introduction = Action.send(channel.seal(introduction))
            return Transition(.choosing(Choice(over: channel)), [introduction, .introduced(channel.record.peer)])
        }

        private func receivedOpening(
            _ frame: [UInt8],
            _ handshake: PairingHandshake,
            at now: Duration
        ) throws -> Transition {
            var handshake = handshake
            let opening = try PairingOpening(decoding: try handshake.readMessage(frame))
            guard opening.listener == ownToken else {
                throw HandoffError(.peerMisbehaved, "Its first message names another device.")
            }
            let answer = try handshake.writeMessage(introduction.encode())
            var next = self
            next.peerToken = opening.caller
            next.deadline = now + PairingExchange.answerLimit
            next.step = .awaitingIntroduction(try handshake.split())
            return Transition(.introducing(next), [.send(FrameCodec.encode(answer))])
        }

        private var introduction: PairingMessage {
            .introduction(PairingIntroduction(name: StatedName(own.name), publicKey: own.publicKey.rawRepresentation))
        }

        /// Returns the channel to the peer that has sent the introduction `theirs`: a later version may say more in it,
        /// which the digits also cover.
        private func channel(
            over transport: NoiseTransport,
            _ settlingKey: AdvertisingKey,
            introducing theirs: [UInt8]
        ) throws -> PairingChannel {
            guard case .introduction(let peer) = try PairingMessage(decoding: theirs) else {
                throw HandoffError(.peerMisbehaved, "It did not send an introduction.")
            }
            let ours = introduction.encode()
            let publicKey = try DevicePublicKey(rawRepresentation: peer.publicKey)
            let record = PairingRecord(
                id: PairingID(handshakeHash: transport.handshakeHash),
                peer: DeviceIdentity(publicKey: publicKey, name: peer.name.name(of: publicKey.device)),
                settlingKey: settlingKey,
                status: .notPaired,
                began: began
            )
            let transcript = PairingTranscript(
                handshakeHash: transport.handshakeHash,
                caller: isCaller ? ours : theirs,
                listener: isCaller ? theirs : ours
            )
            return PairingChannel(transport, isCaller: isCaller, record: record, transcript: transcript)
        }
    }
}
