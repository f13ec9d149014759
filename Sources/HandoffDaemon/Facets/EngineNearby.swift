import AsyncSupport
import DBus
import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

extension Engine {
    /// What is nearby.
    var nearby: EngineNearby { EngineNearby(engine: self) }
}

/// The activities of nearby devices, as their advertisements tell.
struct EngineNearby: Sendable {
    let engine: Engine

    /// Handles an advertisement of any device; most are not from trusted devices and change nothing.
    func receive(_ received: AdvertisementReport) {
        guard received.service == Engine.service else { return engine.pairings.receiveAdvertisement(received) }
        guard let opened = engine.edit({ $0.open(received, at: .now) }) else { return receiveUnopened(received) }
        guard let payload = opened.payload else { return }
        guard opened.sender != .own else { return engine.copies.receive(received, payload, of: opened.slot) }
        engine.change { state, now in state.receive(payload, from: opened.sender, in: received, at: now) }
        engine.deviceUpdates.set(())
    }

    /// Returns the entry with that id.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity`, `paused` or `denied`; `RadioError` when nothing can be heard.
    func entry(_ id: NearbyEntry.ID) throws -> NearbyEntry {
        let (found, obstacle) = engine.read { state in
            let entry = state.nearby.table[id]
            return (entry, entry.flatMap(state.obstacle) ?? (state.rules.isPaused ? .paused : nil))
        }
        if let obstacle { throw obstacle.error }
        if let absence = absence(of: id) { throw absence }
        guard let entry = found else {
            throw HandoffError(
                .noSuchActivity,
                "That activity is not nearby any more; see `handoffctl nearby` for what is."
            )
        }
        return entry
    }

    /// Returns the entry that has taken the place of another one: what its device shows now, if a client may see that.
    private func successor(of entry: NearbyEntry) -> NearbyEntry? {
        engine.read { state in state.shownEntries.first { $0.device == entry.device && $0.id != entry.id } }
    }

    /// Runs `body` with an entry; if its device turns out to show something else by then, once more with that.
    ///
    /// - Parameters:
    ///   - entry: the entry to begin with.
    ///   - takesCurrent: whether the caller wants whatever the device shows; else the error of the first run is thrown.
    ///   - body: may run twice; another entry than the one it began with is what the person has not seen.
    func following<Result>(
        _ entry: NearbyEntry,
        if takesCurrent: Bool,
        _ body: (NearbyEntry) async throws -> Result
    ) async throws -> Result {
        do {
            return try await body(entry)
        } catch let error as HandoffError where error.isAboutStaleEntry && takesCurrent {
            guard let current = successor(of: entry) else { throw error }
            return try await body(current)
        }
    }

    /// Returns what a person reads of the entry that has taken the place of another one; nil when there is none.
    func successorText(of entry: NearbyEntry) -> String? {
        successor(of: entry).map { current in
            let (type, target) = launchTarget(of: current)
            if let name = target.displayName { return "an activity that opens in \(name)" }
            return type.map { "an activity of type \($0)" } ?? "an activity of a type that is unknown here"
        }
    }

    /// Returns why an entry that there was cannot be heard, as the radio's error; nil when the radio works, or there
    /// has never been such an entry.
    func absence(of id: NearbyEntry.ID) -> RadioError? {
        engine.read { state in
            state.nearby.table[id] == nil && state.nearby.table.hasHad(entry: id) ? state.radio.obstacle : nil
        }
    }

    /// Returns the type of an entry, if it is known here, and its launch target.
    func launchTarget(of entry: NearbyEntry) -> (type: ActivityType?, launchTarget: AppRegistry.LaunchTarget) {
        engine.read { state in
            (state.kind(of: entry.typeHash)?.type, state.launchTarget(of: entry))
        }
    }

    /// Returns the same as far as the advertisement tells: the title and the page may be others than those that were fetched.
    func advertisedTarget(of entry: NearbyEntry) -> (type: ActivityType?, launchTarget: AppRegistry.LaunchTarget) {
        engine.read { state in
            (state.kind(of: entry.typeHash)?.type, state.advertisedTarget(of: entry))
        }
    }

    /// Records that a device has answered that a rule there gives this one nothing: nothing of it is offered until the next
    /// slot.
    func refused(by device: DeviceID) {
        engine.change { state, now in
            let entries = state.shownEntries.filter { $0.device == device }
            state.nearby.refusing[device] = state.nearby.table.slot(of: device) ?? now.slot
            for entry in entries { state.showRemoval(of: entry) }
        }
    }

    /// Replaces an entry by what its origin has answered that it shows now; nil for nothing.
    func replace(_ id: NearbyEntry.ID, by current: CurrentActivity?) {
        engine.change { state, now in state.show(state.nearby.table.replace(entry: id, by: current, at: now)) }
    }

    /// Sets the types that earlier runs of the daemon have learnt.
    func setKnownTypes(_ types: KnownTypes) {
        engine.change { state, _ in state.nearby.knownTypes = types }
    }

    /// Remembers the type and team of an activity that was fetched.
    func learn(_ kind: ActivityKind) {
        engine.change { state, _ in state.learn(kind) }
    }

    /// Remembers what was fetched of an entry: from now on it is known what opens it.
    func previewed(_ activity: Activity, of id: NearbyEntry.ID) {
        engine.change { state, _ in
            guard let entry = state.nearby.table[id] else { return }
            let before = state.launchTarget(of: entry)
            state.nearby.previews[id] = activity
            if state.launchTarget(of: entry) != before { state.show([.changed(entry)]) }
        }
    }

    /// Scans continuously until the client leaves the bus or stops.
    func startLooking(for client: BusName) {
        engine.change { state, _ in _ = state.nearby.activeScanners.insert(client) }
    }

    /// Ends ``startLooking(for:)``.
    func stopLooking(for client: BusName) {
        engine.change { state, _ in _ = state.nearby.activeScanners.remove(client) }
    }

    /// Scans continuously until ``endDial()``, because somebody waits for a channel to a device.
    func beginDial() {
        engine.change { state, _ in state.nearby.awaitedDials += 1 }
    }

    /// Ends ``beginDial()``.
    func endDial() {
        engine.change { state, _ in state.nearby.awaitedDials -= 1 }
    }

    /// Scans fully for a moment, because the computer was away and somebody may have come to it.
    func arrived() {
        engine.change { state, now in state.arrived(at: now) }
    }

    /// Returns the advisories about clocks: this device's own, or those of others that are far off.
    func clockAdvisories(at now: Moment = .now) -> [(name: String, message: String)] {
        guard !ClockSkewDetector.isClockUnset(at: now) else {
            return [("clock-unset", ClockSkewDetector.explanationOfUnsetClock)]
        }
        return engine.read { state in
            state.nearby.clockSkew.skewedDevices(at: now.uptime).compactMap { device, slots in
                state.trust.devices[device].map {
                    ("clock-differs", ClockSkewDetector.explanation(of: $0.name.rawValue, slots: slots))
                }
            }
        }
    }

    /// Returns why a clock may be the reason that a device does not answer, as the end of a sentence; nil when nothing
    /// speaks for that.
    func clockObstacle(to device: DeviceID, at now: Moment = .now) -> String? {
        engine.read { state in
            guard let name = state.trust.devices[device]?.name.rawValue else { return nil }
            let skew = state.nearby.clockSkew.skewedDevices(at: now.uptime).first { $0.device == device }
            if let skew { return ClockSkewDetector.explanation(of: name, slots: skew.slots) }
            if state.trust.devices.hasKeyOfAnotherDay(of: device, at: now.slot) {
                return "the clock of this computer or of \(name) is wrong, or was: set both from the network"
            }
            guard let step = state.clock.latest, now.uptime < state.clock.settledAt,
                state.nearby.lastSeen[device].map({ $0.uptime < step.at }) ?? true
            else { return nil }
            return "the clock of this computer was set \(step.text), and \(name) was not heard since: if it is wrong, "
                + "set it from the network"
        }
    }

    /// Handles an advertisement that no trusted device has sealed, or only one whose clock is far off.
    private func receiveUnopened(_ report: AdvertisementReport) {
        guard engine.edit({ $0.pairing.receive(report, slot: Moment.now.slot) }) else { return checkClockSkew(report) }
        engine.deviceUpdates.set(())
    }

    /// Checks at intervals whether an advertisement that no key opens comes from a device whose clock is far off.
    private func checkClockSkew(_ report: AdvertisementReport) {
        let now = Moment.now
        guard
            let (opener, turn) = engine.edit({ state in
                state.nearby.clockSkew.beginCheck(at: now.uptime).map { (state.trust.opener, $0) }
            }),
            let found = opener.findWithClockSkew(report.data, slot: now.slot, turn: turn), let device = found.id.device
        else { return }
        let deviceName: String? = engine.edit { state in
            guard state.nearby.clockSkew.recordSkew(of: device, bySlots: found.slotOffset, at: now.uptime) else {
                return nil
            }
            return state.trust.devices[device]?.name.rawValue
        }
        guard let deviceName else { return }
        engine.logger.warning(
            "\(ClockSkewDetector.explanation(of: deviceName, slots: found.slotOffset))",
            metadata: ["event": "clock.skewed"]
        )
        engine.change { state, _ in state.show(.radioChanged) }
    }

}

extension Engine.State {
    /// Opens an advertisement; returns nil if no trusted device has sealed it, which is found out at little cost.
    ///
    /// The payload is nil when it is none of this protocol.
    mutating func open(
        _ received: AdvertisementReport,
        at now: Moment
    ) -> (sender: AdvertisementSender, payload: AdvertisementPayload?, slot: UInt64)? {
        trust.open(received.data, slot: now.slot).map { opened in
            let slot = now.slot &+ UInt64(bitPattern: Int64(opened.slotOffset))
            return (opened.id, try? AdvertisementPayload(decoding: opened.plaintext, slot: slot), slot)
        }
    }

    /// Handles what a trusted device has advertised, to all or to this one.
    mutating func receive(
        _ payload: AdvertisementPayload,
        from sender: AdvertisementSender,
        in received: AdvertisementReport,
        at now: Moment
    ) {
        // It was received before the radio became unusable.
        guard radio.isReady else { return }
        for device in trust.devices(of: sender) where trust.devices[device] != nil {
            if sender.isDirected { sessions.recordInvitation(by: device, at: now) }
            receive(NearbyTable.Report(of: device, payload, in: received), at: now)
        }
    }

    private mutating func receive(_ report: NearbyTable.Report, at now: Moment) {
        recordSeen(report.device, at: now)
        nearby.scanPolicy.heard(at: now.uptime)
        nearby.clockSkew.clearSkew(of: report.device)
        let isOfferedAgain = nearby.refusing[report.device].map { $0 < report.number.slot } ?? false
        if isOfferedAgain { nearby.refusing[report.device] = nil }
        let changes = nearby.table.insert(report, at: now)
        if isOfferedAgain {
            // Its object was removed.
            show(nearby.table.all.filter { $0.device == report.device }.map(NearbyTable.Change.added))
        } else {
            show(changes)
        }
        sessions.recordEndpoint(nearby.table.endpoints(of: report.device).first, of: report.device)
    }

    /// Returns the launch target of an entry: as the activity tells if it was fetched, else as the advertisement does.
    ///
    /// Without a synchronised folder, no document can be opened here.
    func launchTarget(of entry: NearbyEntry) -> AppRegistry.LaunchTarget {
        if let activity = nearby.previews[entry.id], let app = desktop.apps.recipients(of: activity).first {
            return .app(app)
        }
        return advertisedTarget(of: entry)
    }

    /// Returns the launch target of an entry as its advertisement tells.
    func advertisedTarget(of entry: NearbyEntry) -> AppRegistry.LaunchTarget {
        desktop.apps.launchTarget(
            for: kind(of: entry.typeHash),
            hasWebpage: entry.hasWebpage,
            hasDocument: entry.hasDocument && !desktop.folders.all.isEmpty
        )
    }
}

extension NearbyTable.Report {
    fileprivate init(of device: DeviceID, _ payload: AdvertisementPayload, in received: AdvertisementReport) {
        self.init(
            device: device,
            typeHash: payload.typeHash,
            number: payload.number,
            hasWebpage: payload.hasWebpage,
            hasDocument: payload.hasDocument,
            rssi: received.rssi,
            address: received.address,
            port: payload.port
        )
    }
}
