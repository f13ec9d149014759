import AsyncSupport
import DBus
import HandoffApps
import HandoffCore
import HandoffCrypto
import HandoffFolders
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
        guard let (sender, plaintext, slot) = opened(received) else { return receiveUnopened(received) }
        guard let payload = try? AdvertisementPayload(decoding: plaintext, slot: slot) else { return }
        guard sender != .own else { return engine.copies.receive(received, payload, of: slot) }
        engine.change { state, now in
            // It was received before the radio became unusable.
            guard state.radio.isReady else { return }
            for device in state.trust.devices(of: sender) where state.trust.devices[device] != nil {
                if sender.isDirected { state.sessions.recordInvitation(by: device, at: now) }
                let report = Self.report(of: device, payload, in: received)
                state.receive(report, at: now)
            }
        }
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

    /// Opens an advertisement; returns nil if no trusted device has sealed it, which is found out at little cost.
    private func opened(_ received: AdvertisementReport) -> (
        sender: AdvertisementSender, plaintext: [UInt8], slot: UInt64
    )? {
        let slot = Moment.now.slot
        return engine.edit { $0.trust.open(received.data, slot: slot) }.map { opened in
            (opened.id, opened.plaintext, slot &+ UInt64(bitPattern: Int64(opened.slotOffset)))
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

    private static func report(
        of device: DeviceID,
        _ payload: AdvertisementPayload,
        in received: AdvertisementReport
    ) -> NearbyTable.Report {
        NearbyTable.Report(
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

extension Engine.State {
    /// Handles what a trusted device has advertised.
    fileprivate mutating func receive(_ report: NearbyTable.Report, at now: Moment) {
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
