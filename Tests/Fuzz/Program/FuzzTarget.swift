import HandoffCore
import HandoffCrypto
import HandoffDaemon
import HandoffModel
import HandoffWire
import Synchronization

/// The fuzzed parsers, the state that they need, and the properties that must hold for every input.
///
/// The state is static, since libFuzzer calls a C function without a context.
enum FuzzTarget {
    private struct Fixture: Sendable {
        let parser: Parser
        let directory: StateDirectory
        let keys: DeviceKeys
        let trial: NoiseResponderTrial<DeviceID>
        var opener: AdvertisementOpener<Int>
    }

    private static let fixture = Mutex<Fixture?>(nil)

    /// Selects the parser that ``take(_:)`` runs.
    static func prepare(_ parser: Parser, _ directory: StateDirectory) {
        // The keys are the same in every run, so that a finding can be reproduced.
        guard let agreement = try? AgreementKey(rawRepresentation: [UInt8](repeating: 7, count: 32)),
            let signing = try? SigningKey(rawRepresentation: [UInt8](repeating: 6, count: 32)),
            let peer = try? AgreementKey(rawRepresentation: [UInt8](repeating: 9, count: 32)),
            let advertising = try? AdvertisingKey(rawRepresentation: [UInt8](repeating: 8, count: 32)),
            let trial = try? NoiseResponderTrial(
                localStatic: agreement,
                candidates: [(DeviceID(number: 9), peer.publicKey)]
            )
        else { preconditionFailure("the keys have the right length") }
        fixture.withLock {
            $0 = Fixture(
                parser: parser,
                directory: directory,
                keys: DeviceKeys(agreement: agreement, signing: signing),
                trial: trial,
                opener: AdvertisementOpener(keys: [(0, advertising)])
            )
        }
    }

    /// Runs the parser, which must throw an error for invalid bytes; anything else is a finding.
    static func take(_ bytes: [UInt8]) {
        fixture.withLock { fixture in
            guard fixture != nil else { return }
            switch fixture?.parser {
            case .advertisement: advertisement(bytes, &fixture)
            case .frame: frames(bytes)
            case .handshake: handshake(bytes, fixture)
            case .message: messages(bytes)
            case .card: card(bytes)
            case .state: state(bytes, fixture)
            case nil: return
            }
        }
    }

    private static func advertisement(_ bytes: [UInt8], _ fixture: inout Fixture?) {
        for slot in [0, 1, UInt64.max] { _ = fixture?.opener.open(bytes, slot: slot) }
        guard let payload = try? AdvertisementPayload(decoding: bytes) else { return }
        precondition(payload.encode() == bytes, "each payload has one encoding of six bytes")
    }

    /// The first byte is the frame limit, and the second is the size of the pieces of the rest.
    private static func frames(_ bytes: [UInt8]) {
        guard bytes.count > 2 else { return }
        let limit = max(1, Int(bytes[0]) * 257)
        var decoder = FrameDecoder(maximumLength: limit)
        var rest = bytes.dropFirst(2)
        while !rest.isEmpty {
            let piece = rest.prefix(1 + Int(bytes[1]))
            rest = rest.dropFirst(piece.count)
            guard (try? decoder.append(Array(piece))) != nil else { return }
            while let frame = try? decoder.next() {
                precondition((1...limit).contains(frame.count), "a frame is within the limit")
            }
            precondition(decoder.bufferedBytes <= 2 + limit + 65_535, "the decoder buffers no more than it documents")
        }
    }

    private static func handshake(_ bytes: [UInt8], _ fixture: Fixture?) {
        guard let fixture else { return }
        var serve = ServerSession(trial: fixture.trial)
        let introduced = try? serve.receiveRequest(bytes)
        precondition(introduced == nil, "a peer without the key is not authenticated")
        let request = Request.stream(StreamRequest(activity: 1))
        var fetch = ClientSession(keys: fixture.keys, peer: fixture.keys.publicKeys, request: request)
        var greeted = fetch
        _ = try? greeted.open(bytes)
        _ = try? fetch.open(serve.greeting)
        let answered = try? fetch.receive(bytes)
        precondition(answered == nil, "an answer of a peer without the key is not accepted")
    }

    private static func messages(_ bytes: [UInt8]) {
        if let request = try? Request(decoding: bytes) {
            precondition((try? Request(decoding: request.encode())) == request, "a request survives encoding")
        }
        if let answer = try? Answer(decoding: bytes) {
            let encoded = answer.encode()
            precondition((try? Answer(decoding: encoded))?.encode() == encoded, "an answer survives encoding")
        }
        _ = try? Acknowledgement(decoding: bytes)
        if let report = try? TakeReport(decoding: bytes) {
            precondition((try? TakeReport(decoding: report.encode())) == report, "a report survives encoding")
        }
        if let piece = try? StreamPiece(decoding: bytes) {
            precondition(piece.encode() == bytes, "each stream piece has one encoding")
        }
        var assembler = MessageAssembler(maximumLength: 100)
        _ = try? assembler.append(bytes)
    }

    private static func card(_ bytes: [UInt8]) {
        guard let card = try? CardText(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
        precondition((try? CardText(parsing: card.text)) == card, "a card survives encoding")
    }

    /// The first byte selects the file, and whether the rest is the whole file or follows a valid first line.
    private static func state(_ bytes: [UInt8], _ fixture: Fixture?) {
        guard let fixture, let choice = bytes.first else { return }
        let name = choice & 1 == 0 ? "identity" : "devices"
        var content = Array(bytes.dropFirst())
        if choice & 2 == 0 {
            let checksum = hexText(HandoffDigest.sha256(content))
            let version = name == "identity" ? 2 : 3
            content = Array("handoffd \(name) \(version) \(checksum)\n".utf8) + content
        }
        guard (try? StateFiles.replace(name, in: fixture.directory.path, with: content)) != nil else { return }
        if name == "identity" {
            _ = try? Identity.read(from: fixture.directory)
        } else {
            _ = try? CircleFile.read(from: fixture.directory, for: Identity(keys: fixture.keys), at: 1)
        }
    }
}
