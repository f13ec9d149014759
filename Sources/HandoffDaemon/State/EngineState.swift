import DequeModule
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio

extension Engine {
    /// The daemon's state: a value that is changed by one event at a time.
    ///
    /// Each facet holds what belongs together, and changes it; what concerns several facets is here.
    struct State: Sendable {
        /// The activities of this device.
        var origin = Origin(streamTokenKey: .generate())
        var nearby: NearbyState
        var trust: TrustState
        var pairing: PairingState
        var sessions = SessionState()
        /// The takes by this device that its origins do not know the outcome of.
        var takes = TakeReports()
        var desktop = DesktopState()
        var radio = OwnRadio()
        /// Notices when the clock is set.
        var clock: ClockSteps
        /// Whether activities stay advertised while the session is locked or idle.
        var staysWhenAway = false
        /// What the rules withhold, as it was shown last.
        var shownWithheld: [WithheldActivity] = []
        /// The activity that is not offered because its app has lost the focus, as it was shown last.
        var shownWithoutFocus: ActivityRegister.ID?
        /// The devices whose keys are for another day than the present one, as they were shown last.
        var shownUnreadable: [DeviceID] = []
        /// How much is scanned, as it was shown last.
        var shownScanning = ScanningStatus.none
        /// The effects that were not shown yet, in order.
        private var outbox: Deque<Effect> = []

        init(trust: TrustState, pairing: PairingState, at now: Moment) {
            self.trust = trust
            self.pairing = pairing
            nearby = NearbyState(at: now)
            clock = ClockSteps(at: now)
        }
    }
}

extension Engine.State {
    // MARK: Effects

    /// Adds an effect to show.
    mutating func show(_ effect: Engine.Effect) {
        outbox.append(effect)
    }

    /// Adds effects for changes of the nearby entries.
    mutating func show(_ changes: [NearbyTable.Change]) {
        for case .removed(let entry) in changes { nearby.previews[entry.id] = nil }
        outbox.append(contentsOf: changes.filter { obstacle(to: $0.entry) == nil }.map(Engine.Effect.nearby))
    }

    /// Shows that an entry is not offered any more, though it is heard.
    mutating func showRemoval(of entry: NearbyEntry) { show(.nearby(.removed(entry))) }

    /// Shows how an activity differs from its previous state.
    mutating func showChange(since before: ActivityRegister.Record) {
        guard let after = try? origin.activity(before.id), after != before else { return }
        show(.activityChanged(from: before, to: after))
    }

    /// Removes and returns the next effect to show.
    mutating func nextEffect() -> Engine.Effect? { outbox.popFirst() }

    /// Drops all effects, because a new observer sees the state as a whole.
    mutating func dropEffects() { outbox.removeAll() }

    // MARK: Changes of several facets

    /// Returns the type and team with that hash, if an installed app handles them or they were seen before.
    func kind(of hash: ActivityTypeHash) -> ActivityKind? {
        desktop.kinds[hash] ?? nearby.knownTypes[hash]
    }

    /// Remembers a type and team; entries of which these are known because of it are shown again.
    mutating func learn(_ kind: ActivityKind) {
        guard nearby.knownTypes.learn(kind) else { return }
        let hash = kind.hash
        for entry in shownEntries where entry.typeHash == hash { show(.nearby(.changed(entry))) }
    }

    /// Notes that somebody has come to this device, or that it has come to others: it looks around, and others hear that it
    /// is there, so that those that have something new for it call it.
    mutating func arrived(at now: Moment) {
        nearby.scanPolicy.arrived(at: now.uptime)
        trust.confirmed.somebodyCame(at: now.uptime)
        trust.directedSchedule.somebodyCame(at: now.uptime)
        sessions.somebodyCame()
        greet(at: now)
    }

    /// Lets the devices of the person hear that this one is there, if there are any: all of them first, and then those that
    /// may not have heard that.
    mutating func greet(at now: Moment) {
        guard !trust.devices.isEmpty else { return }
        origin.greet(at: now.uptime)
        trust.greetings.begin()
    }

    /// Records that a trusted device was in contact just now, in this version of the protocol.
    mutating func recordSeen(_ id: DeviceID, at now: Moment) {
        guard let device = trust.devices[id] else { return }
        let isFirst = nearby.lastSeen.updateValue(now, forKey: id) == nil
        if isFirst { show(.deviceHeard(device)) }
    }

    /// Forgets everything about a device that was just removed.
    mutating func forget(_ id: DeviceID) {
        nearby.lastSeen[id] = nil
        nearby.refusing[id] = nil
        sessions.forget(id)
        trust.confirmed.forget(id)
        takes.forget(id)
        origin.forgetTakes(by: id)
        show(nearby.table.remove(id))
        show(.deviceRemoved(id))
    }
}
