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
        private(set) var shownUnreadable: [DeviceID] = []
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

    /// Notices whether the clock was set: then what was told and heard before may be of another time than it seems to be.
    private mutating func clockWasSet(at now: Moment) -> ClockSteps.Step? {
        if now.uptime >= clock.settledAt { trust.earlierKeys = nil }
        guard let step = clock.advance(to: now) else { return nil }
        trust.confirmed.clockWasSet()
        trust.greetings.clockWasSet()
        trust.ownKeyDetector.clockWasSet(to: now.slot)
        if step.ahead < .zero {
            // What a device refuses is offered again from a later slot on, which may not come for long.
            nearby.refusing = [:]
            nearby.table.clockWasSetBack(at: now.uptime)
        }
        arrived(at: now)
        show(.radioChanged)
        return step
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

    // MARK: Plans

    /// Handles the time that has passed, and returns what the services have to do from now on.
    ///
    /// - Parameter before: the current activity before the event.
    mutating func plans(at now: Moment, before: ActivityRegister.ID?) -> Engine.Plans {
        let clockStep = clockWasSet(at: now)
        expireRules(at: now)
        if desktop.advanceSites(to: now) { show(.appsChanged) }
        for id in origin.expireSaves(at: now) { show(.saveEnded(id, .timedOut)) }
        let (pairingAdvertisement, pairingEnd) =
            isPairingAllowed(at: now) ? pairing.advertisement(at: now, radio) : (nil, nil)
        let advertised = advertised(at: now, isPairing: pairingAdvertisement != nil)
        let current = origin.current?.id
        if current != before {
            show(.currentChanged(from: before.flatMap { origin.contains($0) ? $0 : nil }, to: current))
        }
        let ordinary = radio.advertisement(for: advertised.broadcast, to: advertised.receiver, at: now.uptime, trust)
        let (scanning, effortEnd) = self.scanning(at: now)
        let deadlines = [
            advertised.next, radio.sealedEnd, nearby.table.nextTimeout, pairingEnd, takes.nextDeadline,
            now.nextKeptDay, effortEnd, rules.pauseEnd(at: now), desktop.sites.nextChange(at: now),
            trust.confirmed.nextDue(after: now.uptime), trust.earlierKeys.map { _ in clock.settledAt },
        ]
        showWithheld()
        showWithoutFocus()
        showUnreadable(at: now)
        showScanning(scanning)
        return Engine.Plans(
            advertising: Engine.AdvertisingPlan(
                advertisement: pairingAdvertisement ?? ordinary,
                content: pairingAdvertisement == nil ? advertised.broadcast?.content : nil,
                radioGeneration: radio.generation
            ),
            scanning: Engine.ScanningPlan(
                effort: scanning.effort,
                services: pairing.services,
                radioGeneration: radio.generation
            ),
            documents: Engine.DocumentPlan(documents: origin.documents, folders: desktop.folders),
            rules: rules,
            siteWork: Engine.SiteWork(version: desktop.sites.version, isDue: desktop.sites.hasDueCheck(at: now)),
            saveCompletions: origin.saveCompletions,
            learntTypes: nearby.knownTypes.learntCount,
            clockStep: clockStep,
            deadline: deadlines.compactMap(\.self).min()
        )
    }

    /// Returns what this device shows, the only device that is to read it, nil for all, and when that changes.
    private mutating func advertised(
        at now: Moment,
        isPairing: Bool
    ) -> (broadcast: AdvertisementPacer.Broadcast?, receiver: DeviceID?, next: Duration?) {
        origin.expire(at: now)
        let key = trust.ownKey
        let heard = Set(nearby.lastSeen.keys.filter { nearby.isHeard($0, at: now) })
        let greeting = trust.greetings.advance(
            to: now.uptime,
            for: membersToGreet(at: now),
            heard: heard,
            isSilent: origin.isSilent,
            isWaiting: isPairing || !radio.canAdvertise || origin.isGreetingAll(at: now.uptime)
        )
        origin.greetMember(greeting.member != nil)
        let (broadcast, next) = origin.advance(to: now, by: SlotSchedule(key: key))
        let turn = trust.directedSchedule.advance(
            to: now.uptime,
            advertising: broadcast,
            under: key,
            circleDigest: trust.updateID,
            for: lastHeardFirst(trust.turnTakers(at: now.uptime)),
            heard: heard,
            isReadByNone: trust.devices.isReadByNone
        )
        let earliest = [next, turn.next, greeting.next].compactMap(\.self).min()
        return (broadcast, turn.member ?? greeting.member, earliest)
    }

    /// The devices to greet alone, if this one has nothing to offer: those with which an exchange is due, the one heard last
    /// first.
    private func membersToGreet(at now: Moment) -> [DeviceID] {
        origin.isSilent ? lastHeardFirst(trust.lagging(at: now.uptime)) : []
    }

    /// Those heard last first: a member that adds many devices that nobody has does not keep the others waiting.
    private func lastHeardFirst(_ devices: [DeviceID]) -> [DeviceID] {
        func lastSeen(_ id: DeviceID) -> Int64 {
            nearby.lastSeen[id]?.unixMicroseconds ?? trust.devices.lastSeen(id) ?? 0
        }
        return devices.sorted { (lastSeen($0), $1) > (lastSeen($1), $0) }
    }

    /// Returns how much to scan, why not more, and when that changes by itself.
    private func scanning(at now: Moment) -> (status: ScanningStatus, until: Duration?) {
        func none(_ reason: ScanningStatus.Reason) -> (ScanningStatus, Duration?) {
            (ScanningStatus(effort: .none, reason: reason), nil)
        }
        guard radio.isReady else { return none(.radio) }
        guard isPairingAllowed(at: now) else { return none(.paused) }
        if let effort = pairing.effort(at: now) { return (ScanningStatus(effort: effort, reason: nil), nil) }
        guard !rules.isPaused else { return none(.paused) }
        guard !trust.devices.isEmpty else { return none(.noDevices) }
        let situation = ScanPolicy.Situation(
            isLooking: !nearby.activeScanners.isEmpty || nearby.awaitedDials > 0,
            isAway: nearby.isAway,
            isPlayingAudio: radio.isPlayingAudio
        )
        let decision = nearby.scanPolicy.decision(in: situation, at: now.uptime)
        let reason = decision.restraint.map(ScanningStatus.Reason.policy)
        return (ScanningStatus(effort: decision.effort, reason: reason), decision.until)
    }

    /// Shows which devices this one cannot read because of a clock, if that has changed.
    private mutating func showUnreadable(at now: Moment) {
        let skewed = Set(nearby.clockSkew.skewedDevices(at: now.uptime).map(\.device))
        let unreadable = trust.devices.ids.filter {
            trust.devices.hasKeyOfAnotherDay(of: $0, at: now.slot) && !skewed.contains($0)
        }
        guard unreadable != shownUnreadable else { return }
        shownUnreadable = unreadable
        show(.identityChanged)
    }

    /// Shows how much is scanned, if that has changed.
    private mutating func showScanning(_ status: ScanningStatus) {
        guard status != shownScanning else { return }
        shownScanning = status
        show(.scanningChanged)
    }
}
