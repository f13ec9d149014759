import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// Service data of an advertisement, of an activity or of a pairing.
struct AdvertisementTarget: FuzzTarget {
    private var opener: AdvertisementOpener<Int>

    init() throws {
        let key = try FuzzKeys.advertisingKey(9).daily
        opener = AdvertisementOpener(keys: [(0, SealingKey.daily(key)), (1, .constant(key.key))])
    }

    mutating func take(_ bytes: [UInt8]) {
        for slot in [0, 1, FuzzKeys.slot, UInt64.max] { _ = opener.open(bytes, slot: slot) }
        if let payload = try? AdvertisementPayload(decoding: bytes, slot: FuzzKeys.slot) {
            precondition(
                payload.encode() == bytes || payload.typeHash == nil,
                "each activity has one encoding of six bytes"
            )
        }
        if let pairing = try? PairingAdvertisement(decoding: bytes) {
            precondition(pairing.encode().dropFirst() == bytes.dropFirst(), "a token survives encoding")
        }
    }
}

/// Frames in any pieces, and the fragments in them.
///
/// The first byte is the limit of a frame, the second the size of a piece, the third the limit of a message.
struct FrameTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let limit = max(1, Int(input.byte()) * 257)
        let size = 1 + 64 * Int(input.byte())
        let maximum = Int(input.byte()) * 514
        var decoder = FrameDecoder(maximumLength: limit)
        var assembler = MessageAssembler(maximumLength: maximum)
        var rest = input.remainder()[...]
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            rest = rest.dropFirst(piece.count)
            guard (try? decoder.append(Array(piece))) != nil else { return }
            while let frame = try? decoder.next() {
                precondition((1...limit).contains(frame.count), "a frame is within the limit")
                if let message = try? assembler.append(frame) {
                    precondition(message.count <= maximum, "a message is within the limit")
                }
            }
            precondition(decoder.bufferedBytes <= 2 + limit + 65_535, "the decoder buffers no more than it documents")
        }
    }
}

/// What somebody sends who has no key: to a listener, and as an answer to a caller.
struct StrangerTarget: FuzzTarget {
    private let keys: FuzzKeys
    private let trial: SessionTrial

    init() throws {
        keys = try FuzzKeys()
        trial = try SessionTrial(keys.own, devices: [keys.peer.publicKeys])
    }

    mutating func take(_ bytes: [UInt8]) {
        _ = try? trial.match(bytes, greeting: keys.greeting)
        var server = ServerSession(trial: trial, pairingTrial: trial)
        let introduced = try? server.receiveRequest(bytes)
        precondition(introduced == nil, "a peer without the key is not authenticated")
        let request = Request.stream(StreamRequest(activity: 1))
        var client = ClientSession(keys: keys.own, peer: keys.peer.publicKeys, request: request)
        var greeted = client
        _ = try? greeted.open(bytes)
        _ = try? client.open(server.greeting)
        let answered = try? client.receive(bytes)
        precondition(answered == nil, "an answer of a peer without the key is not accepted")
    }
}
