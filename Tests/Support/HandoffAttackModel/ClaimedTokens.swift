/// The channels of a pairing in a draft of version 2 of this project's protocol, which took channels that name one token
/// for channels to one device, and kept the first of those that were accepted.
package struct ClaimedTokens: Sendable {
    private var channels: [(channel: Int, token: [UInt8])] = []

    /// Makes a list without channels.
    package init() {}

    /// Accepts a channel whose first message names that token, and returns whether it is kept.
    package mutating func accept(_ channel: Int, naming token: [UInt8]) -> Bool {
        guard !channels.contains(where: { $0.token == token }) else { return false }
        channels.append((channel, token))
        return true
    }
}
