import HandoffCrypto
import HandoffWire

/// The pairing devices nearby, and the exchange with each of them over one channel.
struct PairingPeers: Sendable {
    private struct Contact: Sendable {
        var nextDial: Duration
        var isDialling = false
        /// Whether the device was heard and may still introduce itself: false once it has, or a dial has failed.
        var isAwaited = true
    }

    /// How long to wait for a device that should dial before this device dials it.
    private static let dialFallbackDelay = Duration.seconds(4)

    /// The token that this device advertises.
    let token: PairingToken
    /// The identity that this device sends.
    let own: LocalIdentity
    private var contacts: [PairingToken: Contact] = [:]
    private var exchanges: [PairingMachine.ChannelID: PairingExchange] = [:]
    /// The number of channels so far.
    private var channelCount = 0

    init(token: PairingToken, _ own: LocalIdentity) {
        self.token = token
        self.own = own
    }

    /// The open channels, in the order of their numbers.
    var channels: [PairingMachine.ChannelID] { exchanges.keys.sorted() }

    /// Whether a device nearby is pairing that has not introduced itself yet.
    var hasUnidentified: Bool {
        contacts.values.contains(where: \.isAwaited) || exchanges.values.contains { $0.peer == nil }
    }

    /// When an exchange has to be ticked, as `uptime`; nil for not at all.
    var exchangeDeadline: Duration? { exchanges.values.compactMap(\.deadline).min() }

    /// When the next device may be dialled, as `uptime`; nil for not at all.
    var nextDial: Duration? {
        guard freeChannels > 0 else { return nil }
        return contacts.filter { isFree($0.key, $0.value) }.values.map(\.nextDial).min()
    }

    /// Returns the exchange over a channel; nil when it has ended.
    subscript(channel: PairingMachine.ChannelID) -> PairingExchange? { exchanges[channel] }

    /// Handles a received token, and returns whether its device may be dialled.
    ///
    /// The device with the larger token dials; the other one dials if that does not happen.
    mutating func hear(_ other: PairingToken, at now: Duration) -> Bool {
        guard other != token else { return false }
        guard contacts[other] == nil else { return true }
        guard contacts.count < PairingMachine.maximumContacts else { return false }
        contacts[other] = Contact(nextDial: token > other ? now : now + Self.dialFallbackDelay)
        return true
    }

    /// Returns the devices to dial now; their dials then count as begun.
    mutating func dial(at now: Duration) -> [PairingToken] {
        let due = contacts.filter { isFree($0.key, $0.value) && $0.value.nextDial <= now }.keys.sorted()
        let dialled = due.prefix(max(freeChannels, 0))
        for other in dialled { contacts[other]?.isDialling = true }
        return Array(dialled)
    }

    /// Handles the failure of a dial.
    mutating func dialFailed(_ other: PairingToken, at now: Duration) {
        contacts[other]?.isAwaited = false
        endDial(other, at: now)
    }

    /// Schedules another dial after the exchange over a channel has failed.
    mutating func redial(_ channel: PairingMachine.ChannelID, at now: Duration) {
        guard let other = exchanges[channel]?.peerToken else { return }
        let fallback = token > other ? Duration.zero : Self.dialFallbackDelay
        contacts[other]?.nextDial = now + PairingMachine.redialDelay + fallback
    }

    /// Starts an exchange over a channel that was opened; returns false when there are too many.
    ///
    /// - Parameter dialled: the token of the device that this side has dialled; nil for the side that was dialled.
    mutating func start(_ channel: PairingMachine.ChannelID, dialled: PairingToken?, at now: Moment) -> Bool {
        if let dialled { endDial(dialled, at: now.uptime) }
        guard exchanges.count < PairingMachine.maximumChannels, channelCount < PairingMachine.maximumContacts else {
            return false
        }
        channelCount += 1
        exchanges[channel] = PairingExchange(dialling: dialled, as: token, own, at: now)
        return true
    }

    /// Passes an event to the exchange over a channel, and returns its actions; none when it has ended.
    mutating func update(
        _ channel: PairingMachine.ChannelID,
        _ event: (inout PairingExchange) -> [PairingExchange.Action]
    ) -> [PairingExchange.Action] {
        guard var exchange = exchanges[channel] else { return [] }
        defer { exchanges[channel] = exchange }
        return event(&exchange)
    }

    /// Records that the device at a channel has introduced itself.
    mutating func identify(_ channel: PairingMachine.ChannelID) {
        if let other = exchanges[channel]?.peerToken { contacts[other]?.isAwaited = false }
    }

    /// Removes the exchange over a channel.
    mutating func remove(_ channel: PairingMachine.ChannelID) {
        exchanges[channel] = nil
    }

    /// Returns the channels that are not needed beside another one to the same device as at `channel`: the one dialled
    /// by the larger token is kept, unless the device at another one is chosen.
    ///
    /// Devices are the same when they have proved that they have the same keys. A token proves nothing: it is
    /// advertised, so that anybody can name it.
    func duplicates(
        of channel: PairingMachine.ChannelID,
        chosen: PairingMachine.ChannelID?
    ) -> [PairingMachine.ChannelID] {
        guard let keys = exchanges[channel]?.peer?.publicKeys else { return [] }
        let all = channels.filter { exchanges[$0]?.peer?.publicKeys == keys }
        let kept = all.first { $0 == chosen } ?? all.first { isDialledByLargerToken($0) } ?? all.first
        return all.filter { $0 != kept }
    }

    private func isDialledByLargerToken(_ channel: PairingMachine.ChannelID) -> Bool {
        guard let exchange = exchanges[channel], let other = exchange.peerToken else { return false }
        return exchange.isCaller == (token > other)
    }

    private mutating func endDial(_ other: PairingToken, at now: Duration) {
        contacts[other]?.isDialling = false
        contacts[other]?.nextDial = now + PairingMachine.redialDelay
    }

    /// The number of channels that may still be opened now.
    private var freeChannels: Int {
        PairingMachine.maximumChannels - exchanges.count - contacts.values.count { $0.isDialling }
    }

    /// Whether a device may be dialled: this side has no channel to it, none is being opened, and no device has
    /// introduced itself under its token.
    ///
    /// A channel whose opening only names the token does not count: anybody can open one.
    private func isFree(_ other: PairingToken, _ contact: Contact) -> Bool {
        !contact.isDialling && channelCount < PairingMachine.maximumContacts
            && !exchanges.values.contains { $0.peerToken == other && ($0.isCaller || $0.peer != nil) }
    }
}
