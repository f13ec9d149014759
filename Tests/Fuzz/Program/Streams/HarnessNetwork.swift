import HandoffCore
import HandoffCrypto
import HandoffWire

/// The ends of all connections, and what was sent over the network.
struct HarnessNetwork {
    private let secrets: [NetworkSecret]
    private var ends: [NetworkEnd] = []
    private var seen: [[UInt8]] = []
    private(set) var reached: Set<Milestone> = []

    init(_ secrets: [NetworkSecret]) {
        self.secrets = secrets
    }

    /// Performs a step: of a byte, the lowest three bits are what happens, and the next two the device and the stream.
    ///
    /// The content is the number of an end, of one byte, if one is meant, and then a message: the number of one that was
    /// seen and bytes to change it with, or 128 and more for the bytes themselves. A device that lies sends contents.
    mutating func perform(_ step: UInt8, _ content: [UInt8]) {
        let device: NetworkSecret.Opener = step & 8 == 0 ? .caller : .listener
        let stream = step & 16 == 0 ? 0 : 1
        let number = Int(content.first ?? 0)
        switch step & 7 {
        case 0: open(device, stream, nonce: ownNonce)
        case 1: open(device, stream, nonce: Self.chosenNonce(content), lying: true)
        case 2: accept(device, stream, message(content[...]))
        case 3 where canReceive(number): receive(number, message(content.dropFirst()))
        case 4 where canReceive(number): lie(to: number, Array(content.dropFirst()))
        default: break
        }
    }

    // MARK: Messages

    private func message(_ content: ArraySlice<UInt8>) -> [UInt8] {
        let source = Int(content.first ?? 0)
        let rest = Array(content.dropFirst())
        guard source < 128, !seen.isEmpty else { return rest }
        var message = seen[source % seen.count]
        message += [UInt8](repeating: 0, count: max(0, rest.count - message.count))
        for index in rest.indices { message[index] ^= rest[index] }
        return message
    }

    private func canReceive(_ number: Int) -> Bool { number < ends.count && ends[number].isOpen }

    /// The random number of an honest end: no two are the same.
    private var ownNonce: [UInt8] { [UInt8](repeating: UInt8(ends.count), count: NetworkSecret.nonceBytes) }

    /// The one that a device has chosen: never that of an honest end of the other device.
    private static func chosenNonce(_ content: [UInt8]) -> [UInt8] {
        let rest = content.prefix(NetworkSecret.nonceBytes - 1)
        return [0xFF] + rest + [UInt8](repeating: 0, count: NetworkSecret.nonceBytes - 1 - rest.count)
    }

    // MARK: Steps

    private mutating func open(
        _ device: NetworkSecret.Opener,
        _ stream: Int,
        nonce: [UInt8],
        lying isLying: Bool = false
    ) {
        guard ends.count < 24 else { return }
        let end = NetworkEnd(device, of: stream, secrets[stream], nonce: nonce)
        precondition(end.opening.count == NetworkAcceptance.openingBytes, "an opening has one length")
        ends.append(end)
        seen.append(end.opening)
        if isLying { reached.insert(.openingOfPeer) }
    }

    private mutating func accept(_ device: NetworkSecret.Opener, _ stream: Int, _ opening: [UInt8]) {
        guard ends.count < 24 else { return }
        let isRight = ends.contains {
            $0.isOpener && $0.device != device && $0.stream == stream && $0.opening == opening
        }
        let end = NetworkEnd(device, of: stream, secrets[stream], accepting: opening, nonce: ownNonce)
        precondition((end != nil) == isRight, "an end answers nothing but an opening of the other device")
        guard let end else { return }
        precondition(end.answer.count == NetworkOpening.answerBytes, "an answer has one length")
        ends.append(end)
        seen.append(end.answer)
        reached.insert(.accepted)
    }

    private mutating func receive(_ number: Int, _ message: [UInt8]) {
        let end = ends[number]
        let others = ends.filter { $0.isOther(of: end) }
        let isRight = others.contains { end.isOpener ? $0.answer == message : $0.confirms(end, by: message) }
        precondition(ends[number].receive(message) == isRight, "an end accepts what its other end has sent for it")
        guard isRight else { return }
        reached.insert(end.isOpener ? .provenByOpener : .provenByAcceptor)
        if let confirmation = ends[number].confirmation {
            precondition(confirmation.count == NetworkAcceptance.confirmationBytes, "a confirmation has one length")
            seen.append(confirmation)
        }
        compare(ends[number])
    }

    /// Compares a proven connection with what the other end knows of it.
    private func compare(_ end: NetworkEnd) {
        guard let own = end.proven else { return }
        for other in ends where other.isOther(of: end) && other.answer == end.answer {
            guard let theirs = other.proven else { continue }
            precondition(theirs.id == own.id, "both ends know a connection by one identifier")
            precondition(Self.carries(own.sending, theirs.receiving), "each end reads what the other one sends")
            precondition(Self.carries(theirs.sending, own.receiving), "each end reads what the other one sends")
        }
        let same = ends.filter { $0.device == end.device && $0.isOpener == end.isOpener && $0.proven?.id == own.id }
        precondition(
            same.allSatisfy { $0.opening == end.opening && $0.answer == end.answer },
            "an identifier is that of one connection"
        )
    }

    private static func carries(_ sender: NoiseSender, _ receiver: NoiseReceiver) -> Bool {
        var (sender, receiver) = (sender, receiver)
        guard let message = try? sender.encrypt([7]) else { return false }
        return (try? receiver.decrypt(message)) == [7]
    }

    /// A device that has the secret answers or confirms with contents, which must be empty.
    private mutating func lie(to number: Int, _ content: [UInt8]) {
        let end = ends[number]
        let nonce = end.isOpener ? Self.chosenNonce(content) : Array(end.answer.prefix(NetworkSecret.nonceBytes))
        let keys = secrets[end.stream].keys(
            of: end.isOpener ? end.device : end.device.other,
            nonce: Array(end.opening.prefix(NetworkSecret.nonceBytes)),
            answer: nonce
        )
        var (sending, _) = keys.directions(ofOpener: !end.isOpener)
        guard let sealed = try? sending.encrypt(content) else { return }
        let isAccepted = ends[number].receive(end.isOpener ? nonce + sealed : sealed)
        precondition(isAccepted == content.isEmpty, "a message of a connection has no contents")
        guard isAccepted else { return }
        reached.insert(end.isOpener ? .answerOfPeer : .confirmationOfPeer)
        precondition(ends[number].proven?.id.bytes == keys.identifier, "both ends know a connection by one identifier")
        if let confirmation = ends[number].confirmation { seen.append(confirmation) }
    }
}

extension NetworkEnd {
    /// Whether a message is what this end has sent to confirm the connection to the end that accepted it.
    fileprivate func confirms(_ end: NetworkEnd, by message: [UInt8]) -> Bool {
        confirmation == message && answer == end.answer
    }
}
