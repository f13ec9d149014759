/// The parsers that can be fuzzed.
enum Parser: String, CaseIterable {
    case advertisement, frame, handshake, message, card, state
}
