import HandoffModel
import HandoffWire

/// The messages of all protocols, decoded alone.
///
/// What is accepted can be encoded, and the encoding is accepted and means the same.
struct MessageTarget: FuzzTarget {
    mutating func take(_ bytes: [UInt8]) {
        if let request = try? Request(decoding: bytes) {
            precondition((try? Request(decoding: request.encode())) == request, "a request survives encoding")
        }
        if let answer = try? AnswerEnvelope(decoding: bytes) {
            let encoded = answer.encode()
            precondition((try? AnswerEnvelope(decoding: encoded))?.encode() == encoded, "an answer survives encoding")
        }
        if let acknowledgement = try? Acknowledgement(decoding: bytes) {
            let again = try? Acknowledgement(decoding: acknowledgement.encode())
            precondition(again == acknowledgement, "an acknowledgement survives encoding")
        }
        if let report = try? TakeReport(decoding: bytes) {
            precondition((try? TakeReport(decoding: report.encode())) == report, "a report survives encoding")
        }
        if let circle = try? CircleMessage(decoding: bytes) {
            precondition((try? CircleMessage(decoding: circle.encode())) == circle, "a circle survives encoding")
        }
        if let message = try? MessagePadding.unpad(bytes) {
            let padded = MessagePadding.pad(message, toAtLeast: bytes.count)
            precondition(padded == bytes, "each size of a padded message has one encoding")
        }
        if let piece = try? StreamPiece(decoding: bytes) {
            precondition(piece.encode() == bytes, "each stream piece has one encoding")
        }
        if let opening = try? PairingOpening(decoding: bytes) {
            precondition((try? PairingOpening(decoding: opening.encode())) == opening, "an opening survives encoding")
        }
        if let message = try? PairingMessage(decoding: bytes) {
            let again = try? PairingMessage(decoding: message.encode())
            precondition(again == message, "a message of a pairing survives encoding")
        }
    }
}
