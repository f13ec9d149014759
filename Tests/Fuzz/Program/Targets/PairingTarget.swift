import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// A whole request to pair, in which the harness plays the user and every other device, with handshakes that succeed.
///
/// Each step is a byte and what follows it. The user never confirms digits that were not shown, and the invariant is
/// that nothing is trusted without such a confirmation.
struct PairingTarget: FuzzTarget {
    private let own: LocalIdentity
    private let peers: [PairingPerson]
    private let tokens: [PairingToken]

    init() throws {
        own = try PairingPerson(7, "own").local
        peers = [try PairingPerson(9, "peer"), try PairingPerson(10, "other")]
        tokens = try [5, 1, 9].map { try PairingToken(bytes: [UInt8](repeating: $0, count: 9)) }
    }

    mutating func take(_ bytes: [UInt8]) {
        var run = PairingRun(own, peers: peers, tokens: tokens)
        var input = FuzzInput(bytes)
        while !input.isEmpty { run.step(&input) }
        run.end()
    }
}

/// A device, with the keys with which it proves its identity.
private struct PairingPerson {
    let keys: DeviceKeys
    let local: LocalIdentity

    init(_ number: UInt8, _ name: String) throws {
        keys = try FuzzKeys.device(number)
        local = LocalIdentity(keys, name: try DeviceName(name), advertisingKey: try FuzzKeys.advertisingKey(number))
    }
}

/// One request, its user and the other devices.
private struct PairingRun {
    private let peers: [PairingPerson]
    private let tokens: [PairingToken]
    private var machine: PairingMachine
    private var now = Moment(uptime: .zero, unixMicroseconds: 1_700_000_000_000_000)
    private var channels: [PairingPeer] = []
    private var dials: [PairingToken] = []
    private var offer: (PairingMachine.QuestionID, [PairingMachine.Candidate])?
    private var question: PairingMachine.QuestionID?
    private var abandoned: [PairingID] = []
    private var hasConfirmed = false
    private var failsToPersist = false
    private var failsToTrust = false
    private var outcomes = 0

    init(_ own: LocalIdentity, peers: [PairingPerson], tokens: [PairingToken]) {
        self.peers = peers
        self.tokens = tokens
        machine = PairingMachine(token: tokens[0], own, at: now)
    }

    /// Performs one step of the input.
    mutating func step(_ input: inout FuzzInput) {
        let choice = input.byte()
        let argument = Int(choice >> 4)
        switch choice & 0x0F {
        case 0: handle(.heard(tokens[1 + argument % 2]))
        case 1: accept(argument)
        case 2: dial(succeeds: argument != 0)
        case 3: withChannel(argument) { peer in peer.handshakeMessage() }
        case 4:
            let plaintext = input.chunk()
            withChannel(argument) { $0.frame(plaintext) }
        case 5:
            let kind = input.byte()
            withChannel(argument) { $0.expected(kind) }
        case 6:
            let bytes = input.chunk()
            withChannel(argument) { _ in bytes }
        case 7: if let peer = channel(argument) { handle(.closed(peer.id)) }
        case 8: answer(areSame: argument != 0)
        case 9: choose(argument)
        case 10: wait(.milliseconds(1 << argument))
        case 11: (failsToPersist, failsToTrust) = (argument & 1 != 0, argument & 2 != 0)
        case 12: handle(argument < 14 ? .tick : argument == 14 ? .cancelled : .radioFailed(Self.failure))
        case 13: leaveUnanswered()
        case 14: if let id = abandoned.popLast() { handle(.reconciled(id)) }
        default: handle(.tick)
        }
    }

    /// Lets all time limits pass.
    mutating func end() {
        for peer in channels { handle(.closed(peer.id)) }
        for _ in 0..<8 { wait(.seconds(200)) }
        precondition(machine.isOver && outcomes == 1, "a request ends, once")
    }

    private static let failure = HandoffError(.stateUnwritable, "The disk is full.")

    private mutating func accept(_ argument: Int) {
        guard channels.count < 40 else { return }
        let id = PairingMachine.ChannelID(rawValue: UInt64(channels.count))
        let person = peers[argument % peers.count]
        channels.append(PairingPeer(id, person, token: tokens[1 + argument % 2], to: tokens[0], isCaller: true))
        handle(.accepted(id))
    }

    private mutating func dial(succeeds: Bool) {
        guard let token = dials.popLast() else { return }
        guard succeeds, channels.count < 40 else { return handle(.dialFailed(token)) }
        let id = PairingMachine.ChannelID(rawValue: UInt64(channels.count))
        channels.append(PairingPeer(id, peers[0], token: token, to: tokens[0], isCaller: false))
        handle(.opened(id, token))
    }

    private func channel(_ argument: Int) -> PairingPeer? {
        channels.isEmpty ? nil : channels[argument % channels.count]
    }

    /// Has a peer send something to the machine.
    private mutating func withChannel(_ argument: Int, _ body: (inout PairingPeer) -> [UInt8]?) {
        guard !channels.isEmpty else { return }
        let index = argument % channels.count
        guard let bytes = body(&channels[index]) else { return }
        handle(.received(channels[index].id, bytes))
    }

    private mutating func answer(areSame: Bool) {
        guard let asked = question else { return }
        question = nil
        if areSame { hasConfirmed = true }
        handle(.compared(asked, areSame: areSame))
    }

    private mutating func leaveUnanswered() {
        guard let asked = question ?? offer?.0 else { return }
        (question, offer) = (nil, nil)
        handle(.unanswered(asked))
    }

    private mutating func choose(_ argument: Int) {
        guard let (asked, candidates) = offer else { return }
        offer = nil
        handle(.chose(asked, argument == 15 ? nil : candidates[argument % candidates.count].channel))
    }

    private mutating func wait(_ duration: Duration) {
        now = now.advanced(by: duration)
        handle(.tick)
    }

    private mutating func handle(_ event: PairingMachine.Event) {
        for action in machine.handle(event, at: now) {
            if let failure = perform(action) {
                // No action that follows one that has failed is performed.
                handle(failure)
                break
            }
        }
        precondition(outcomes <= 1, "a request has one outcome")
    }

    /// Performs an action; returns the event that reports its failure.
    private mutating func perform(_ action: PairingMachine.Action) -> PairingMachine.Event? {
        switch action {
        case .dial(let token): dials.append(token)
        case .send(let id, let bytes): channels[Int(id.rawValue)].receive(bytes)
        case .offer(let id, let candidates): offer = (id, candidates)
        case .compare(let id, _, _): question = id
        case .withdrawQuestion: (question, offer) = (nil, nil)
        case .persist(let id, _): return failsToPersist ? .persistFailed(id, Self.failure) : nil
        case .trust(let id, let peer, _):
            precondition(hasConfirmed, "nothing is trusted without a confirmation")
            let keys = peers.map(\.keys.publicKeys)
            precondition(keys.contains(peer.publicKeys), "nothing is trusted that has not proved its keys")
            return failsToTrust ? .trustFailed(id, peer, Self.failure) : nil
        case .finish: outcomes += 1
        case .abandon(let id): abandoned.append(id)
        case .close, .update: break
        }
        return nil
    }
}

/// Another device on one channel, with a handshake of its own.
private struct PairingPeer {
    let id: PairingMachine.ChannelID
    private let person: PairingPerson
    private let opener: PairingOpening
    private let isCaller: Bool
    private var handshake: PairingHandshake
    private var hasOpened = false
    private var transport: NoiseTransport?
    private var binding: PairingBinding?
    private var frames = FrameDecoder(maximumLength: FrameCodec.maximumLength)
    private let nonce = PairingNonce.generate()
    private var theirIntroduction: [UInt8] = []
    private var ownIntroduction: [UInt8] = []

    init(
        _ id: PairingMachine.ChannelID,
        _ person: PairingPerson,
        token: PairingToken,
        to other: PairingToken,
        isCaller: Bool
    ) {
        self.id = id
        self.person = person
        self.isCaller = isCaller
        opener = PairingOpening(caller: isCaller ? token : other, listener: isCaller ? other : token)
        handshake = PairingHandshake(isCaller: isCaller)
    }

    /// The next message of the handshake as this side sends it; nil when it is not this side's turn.
    mutating func handshakeMessage() -> [UInt8]? {
        handshakeMessage(isCaller ? opener.encode() : [])
    }

    /// A frame with that plaintext under the keys of the channel; before there are any, with that payload in the
    /// handshake.
    mutating func frame(_ plaintext: [UInt8]) -> [UInt8]? {
        guard plaintext.count <= 60_000 else { return nil }
        guard let sealed = try? transport?.encrypt(plaintext) else { return handshakeMessage(plaintext) }
        if ownIntroduction.isEmpty { ownIntroduction = plaintext }
        return FrameCodec.encode(sealed)
    }

    private mutating func handshakeMessage(_ payload: [UInt8]) -> [UInt8]? {
        guard isCaller != hasOpened, transport == nil, let message = try? handshake.writeMessage(payload) else {
            return nil
        }
        hasOpened = true
        if !isCaller { split() }
        return FrameCodec.encode(message)
    }

    private mutating func split() {
        let secrets = try? handshake.split()
        (transport, binding) = (secrets?.transport, secrets?.binding)
    }

    /// A well-formed message of that kind, with the content that this peer would send.
    mutating func expected(_ kind: UInt8) -> [UInt8]? {
        let messages: [PairingMessage] = [
            introduction,
            .choice, .commitment(commitment), .share(nonce.bytes), .reveal(nonce.bytes),
            .confirmation(advertisingKey: person.local.advertisingKey.rawRepresentation), .refusal(.failed),
            .withdrawal,
            .done,
        ]
        return frame(messages[Int(kind) % messages.count].encode())
    }

    /// Reads what the machine has sent.
    mutating func receive(_ bytes: [UInt8]) {
        guard (try? frames.append(bytes)) != nil else { preconditionFailure("the machine sends frames") }
        while let frame = try? frames.next() {
            if transport == nil {
                receiveHandshake(frame)
            } else if let plaintext = try? transport?.decrypt(frame), theirIntroduction.isEmpty {
                theirIntroduction = plaintext
            }
        }
    }

    private mutating func receiveHandshake(_ frame: [UInt8]) {
        guard (try? handshake.readMessage(frame)) != nil else { return }
        hasOpened = true
        if isCaller { split() }
    }

    /// The introduction with a proof for this channel; without a channel, with none.
    private var introduction: PairingMessage {
        let device = person.local.device
        let proof = try? binding?.prove(person.keys)
        return .introduction(
            PairingIntroduction(
                name: StatedName(device.name),
                publicKeys: device.publicKeys.rawRepresentation,
                signature: proof?.signature ?? [],
                mac: proof?.mac ?? []
            )
        )
    }

    private var commitment: [UInt8] {
        let hash = transport?.handshakeHash ?? []
        let transcript = PairingTranscript(
            handshakeHash: hash,
            caller: isCaller ? ownIntroduction : theirIntroduction,
            listener: isCaller ? theirIntroduction : ownIntroduction
        )
        return nonce.commitment(to: transcript)
    }
}
