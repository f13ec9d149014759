import HandoffModel
import HandoffWire

/// Finding other devices, and opening one channel to each.
extension PairingMachine {
    /// Handles a received token: the device with the larger token dials; the other one dials if that does not happen.
    mutating func heard(_ other: PairingToken, at now: Duration) -> [Action] {
        guard other != token, contacts[other] != nil || contacts.count < Self.maximumContacts else { return [] }
        if contacts[other] == nil {
            contacts[other] = Contact(nextDial: token > other ? now : now + Self.dialFallbackDelay)
        }
        return dialDueContacts(at: now)
    }

    /// Dials every device whose dial is due.
    mutating func dialDueContacts(at now: Duration) -> [Action] {
        guard case .searching = phase else { return [] }
        var actions: [Action] = []
        for (other, contact) in contacts.sorted(by: { $0.key < $1.key })
        where isFree(other, contact) && contact.nextDial <= now {
            guard freeChannels > 0 else { break }
            contacts[other]?.isDialling = true
            actions.append(.dial(other))
        }
        return actions
    }

    /// The number of channels that may still be opened now.
    var freeChannels: Int {
        Self.maximumChannels - exchanges.count - contacts.values.count { $0.isDialling }
    }

    /// Whether a device may be dialled: it has no channel, and none is being opened.
    func isFree(_ other: PairingToken, _ contact: Contact) -> Bool {
        !contact.isDialling && channelCount < Self.maximumContacts
            && !exchanges.values.contains { $0.peerToken == other }
    }

    mutating func opened(_ channel: ChannelID, _ other: PairingToken, at now: Moment) -> [Action] {
        contacts[other]?.isDialling = false
        contacts[other]?.nextDial = now.uptime + Self.redialDelay
        guard reserveChannel() else { return [.close(channel, lingers: false)] }
        var exchange = PairingExchange(dialling: other, as: token, own, at: now)
        let actions = exchange.start()
        exchanges[channel] = exchange
        return closeDuplicate(channel, at: now.uptime) + perform(actions, of: channel, at: now.uptime)
    }

    mutating func accepted(_ channel: ChannelID, at now: Moment) -> [Action] {
        guard reserveChannel() else { return [.close(channel, lingers: false)] }
        exchanges[channel] = PairingExchange(dialling: nil, as: token, own, at: now)
        return []
    }

    private mutating func reserveChannel() -> Bool {
        if case .over = phase { return false }
        guard exchanges.count < Self.maximumChannels, channelCount < Self.maximumContacts else { return false }
        channelCount += 1
        return true
    }

    /// Closes one of two channels between the same devices: the one dialled by the larger token is kept.
    mutating func closeDuplicate(_ channel: ChannelID, at now: Duration) -> [Action] {
        guard let other = exchanges[channel]?.peerToken else { return [] }
        let duplicates = exchanges.filter { $0.value.peerToken == other && !$0.value.isOver }
        guard duplicates.count > 1 else { return [] }
        let kept =
            duplicates.keys.first { isChosen($0) }
            ?? duplicates.keys.sorted().first { duplicates[$0]?.isCaller == (token > other) }
            ?? duplicates.keys.min()
        return duplicates.keys.sorted().filter { $0 != kept }.flatMap { drop($0, at: now) }
    }

    /// Closes a channel that is not needed.
    mutating func drop(_ channel: ChannelID, at now: Duration) -> [Action] {
        exchanges[channel] = nil
        forget(channel)
        return [.close(channel, lingers: false)]
    }

    func isChosen(_ channel: ChannelID) -> Bool {
        if case .chosen(channel) = phase { true } else { false }
    }
}
