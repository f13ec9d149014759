import Bluetooth
import DequeModule
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire

/// This device's radio as the engine knows it, and the advertisement of the current activity.
struct OwnRadio: Sendable {
    /// A sealed advertisement, and its inputs; most changes of the state do not affect it.
    private struct Sealed: Sendable {
        let broadcast: AdvertisementPacer.Broadcast
        let port: LEPSM
        let key: SealingKey
        /// The only member that can read it; nil when the whole circle can.
        let member: DeviceID?
        let advertisement: Advertisement
        /// The time until which it is kept although its key was replaced; set when the replacement is noticed.
        var end: Duration?
    }

    /// The number of own advertisements that are remembered, to distinguish replays of them from a clone's
    /// advertisements.
    ///
    /// An advertisement opens during three slots, in which the pacer allows 1350 changes, each once more under a new key.
    private static let maximumSent = 2700

    /// How long an advertisement is kept when only its key is replaced.
    ///
    /// A device that was just removed knows the content already. If it dials in this time, it finds out that it is not
    /// trusted any more; otherwise it would dial an address that is not used any more.
    private static let oldKeyDuration = Duration.seconds(10)

    private(set) var state = RadioState.unavailable(RadioError(.serviceAbsent, "The radio has not started yet."))
    /// The duties that the radio has refused last, each with the reason.
    private(set) var refusals: [RadioDuty: RadioError] = [:]
    /// Counts how often the radio has become usable.
    private(set) var generation: UInt64 = 0
    /// The port of the listener; nil when it cannot be reached.
    var port: LEPSM?
    private var sealed: Sealed?
    /// The advertisements that this device sent to its circle and to copies of itself lately, the newest last.
    private var sent: Deque<[UInt8]> = []

    /// Whether the radio can be used.
    var isReady: Bool {
        if case .ready = state { true } else { false }
    }

    /// Whether an advertisement would be on the air.
    var canAdvertise: Bool { isReady && port != nil && refusals[.advertising] == nil }

    /// Why the radio cannot be used; nil when it can.
    var obstacle: RadioError? {
        if case .unavailable(let error) = state { error } else { nil }
    }

    /// Whether sound is going over the radio's adapter.
    var isPlayingAudio: Bool {
        if case .ready(let description) = state { description.isPlayingAudio } else { false }
    }

    /// The time until which an advertisement under a replaced key is kept; nil when there is none.
    var sealedEnd: Duration? { sealed?.end }

    /// Sets the state of the radio.
    mutating func setState(_ state: RadioState) {
        let before = self.state
        self.state = state
        switch (before, state) {
        case (.ready(let old), .ready(let new)) where new.works(like: old): break
        case (_, .ready): generation += 1
        case (_, .unavailable): refusals = [:]
        }
    }

    /// Records why the radio has refused a duty, or that it has not; returns whether that is new.
    mutating func setRefusal(_ error: RadioError?, of duty: RadioDuty) -> Bool {
        guard refusals[duty]?.message != error?.message else { return false }
        refusals[duty] = error
        return true
    }

    /// Whether this device has sent an advertisement with that data to its circle, or to copies of itself, lately.
    func hasSent(_ data: [UInt8]) -> Bool { sent.contains(data) }

    /// Returns the sealed advertisement of the current activity, under the key for `member` or for the whole circle.
    mutating func advertisement(
        for broadcast: AdvertisementPacer.Broadcast?,
        to member: DeviceID?,
        at uptime: Duration,
        _ trust: TrustState
    ) -> Advertisement? {
        // Without trusted devices, no device could read it, and it would only reveal that this device is here.
        guard let broadcast, let port, !trust.devices.isEmpty, isReady else {
            sealed = nil
            return nil
        }
        let key = trust.sendingKey(to: member, at: uptime)
        if let unchanged = unchangedAdvertisement(broadcast, port, key, member, at: uptime) { return unchanged }
        guard let sealer = AdvertisementSealer(key: key, slot: broadcast.slot) else {
            sealed = nil
            return nil
        }
        let advertisement = Advertisement(
            service: Engine.service,
            data: sealer.seal(AdvertisementPayload(broadcast, port: port).encode()),
            pace: broadcast.isFresh ? .fast : .relaxed
        )
        if member == nil || member == trust.identity.id {
            sent.append(advertisement.data)
            if sent.count > Self.maximumSent { sent.removeFirst() }
        }
        sealed = Sealed(broadcast: broadcast, port: port, key: key, member: member, advertisement: advertisement)
        return advertisement
    }

    /// Returns the advertisement that was sealed last, if it still holds.
    private mutating func unchangedAdvertisement(
        _ broadcast: AdvertisementPacer.Broadcast,
        _ port: LEPSM,
        _ key: SealingKey,
        _ member: DeviceID?,
        at uptime: Duration
    ) -> Advertisement? {
        guard let sealed, sealed.broadcast == broadcast, sealed.port == port, sealed.member == member else {
            return nil
        }
        let end = sealed.key == key ? nil : sealed.end ?? uptime + Self.oldKeyDuration
        self.sealed?.end = end
        return sealed.key == key || uptime < end ?? uptime ? sealed.advertisement : nil
    }
}

/// What the daemon does with a radio that works, and what the radio can refuse all the same.
enum RadioDuty: CaseIterable, Sendable {
    case advertising, scanning, listening

    /// The name of the advisory that says that it is refused.
    var advisoryName: String {
        switch self {
        case .advertising: "not-advertising"
        case .scanning: "not-scanning"
        case .listening: "not-listening"
        }
    }

    /// Returns what a refusal means to the user, and what to do.
    func explanation(of error: RadioError) -> String {
        let consequence =
            switch self {
            case .advertising: "Other devices do not see what can be continued from here"
            case .scanning: "This device does not see what can be continued from others"
            case .listening: "Other devices cannot fetch anything from here"
            }
        return "\(consequence): \(error.message)"
    }
}
