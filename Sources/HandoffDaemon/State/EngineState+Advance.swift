import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio

/// What follows from the state when time passes or something has happened: one function for each concern.
extension Engine.State {
    /// Brings the state to the present after an event, shows what has changed, and returns what the services have to do
    /// from now on.
    ///
    /// - Parameter before: the current activity before the event.
    mutating func advance(to now: Moment, since before: ActivityRegister.ID?) -> Engine.Plans {
        let clockStep = noticeClock(at: now)
        endWhatIsOver(at: now)
        let (advertising, nextAdvertising) = planAdvertising(at: now)
        showCurrent(since: before)
        let (scanning, effortEnd) = scanning(at: now)
        showWithheld()
        showWithoutFocus()
        showUnreadable(at: now)
        showScanning(scanning)
        return Engine.Plans(
            advertising: advertising,
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
            deadline: [nextAdvertising, effortEnd, nextChange(after: now)].compactMap(\.self).min()
        )
    }

    /// Notices whether the clock was set: then what was told and heard before may be of another time than it seems to be.
    private mutating func noticeClock(at now: Moment) -> ClockSteps.Step? {
        if now.uptime >= clock.settledAt {
            trust.earlierKeys = nil
            trust.isClockSettled = true
        }
        guard let step = clock.advance(to: now) else { return nil }
        trust.isClockSettled = false
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

    /// Ends what has a time that is over: a pause, what is known of a site, a request to save.
    private mutating func endWhatIsOver(at now: Moment) {
        expireRules(at: now)
        if desktop.advanceSites(to: now) { show(.appsChanged) }
        for id in origin.expireSaves(at: now) { show(.saveEnded(id, .timedOut)) }
    }

    /// Returns when the state changes by itself the next time, but for what it advertises and how much it scans.
    private func nextChange(after now: Moment) -> Duration? {
        [
            nearby.table.nextTimeout, takes.nextDeadline, now.nextKeptDay, rules.pauseEnd(at: now),
            desktop.sites.nextChange(at: now), trust.confirmed.nextDue(after: now.uptime),
            trust.earlierKeys.map { _ in clock.settledAt },
        ].compactMap(\.self).min()
    }

    // MARK: Advertising

    /// Returns what to advertise, and when that changes: a pairing comes before everything else.
    private mutating func planAdvertising(at now: Moment) -> (plan: Engine.AdvertisingPlan, next: Duration?) {
        let (pairingAdvertisement, pairingEnd) =
            isPairingAllowed(at: now) ? pairing.advertisement(at: now, radio) : (nil, nil)
        let advertised = advertised(at: now, isPairing: pairingAdvertisement != nil)
        let ordinary = radio.advertisement(for: advertised.broadcast, to: advertised.receiver, at: now.uptime, trust)
        let plan = Engine.AdvertisingPlan(
            advertisement: pairingAdvertisement ?? ordinary,
            content: pairingAdvertisement == nil ? advertised.broadcast?.content : nil,
            radioGeneration: radio.generation
        )
        return (plan, [advertised.next, radio.sealedEnd, pairingEnd].compactMap(\.self).min())
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

    // MARK: Scanning

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

    // MARK: Showing

    /// Shows which activity is current, if that has changed.
    private mutating func showCurrent(since before: ActivityRegister.ID?) {
        let current = origin.current?.id
        guard current != before else { return }
        show(.currentChanged(from: before.flatMap { origin.contains($0) ? $0 : nil }, to: current))
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
