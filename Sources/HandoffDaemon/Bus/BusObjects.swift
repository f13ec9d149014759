import DBus
import HandoffBus
import HandoffCore
import HandoffModel
import HandoffWire

/// The D-Bus objects for the user's own programs: one for everything that the engine contains.
struct BusObjects: Sendable {
    let engine: Engine
    /// The connection for the user's own programs.
    let connection: Connection
    /// The objects for apps, on a connection of their own.
    let apps: AppObjects
    let fetcher: ActivityFetcher
    let streams: StreamOpener
    let clients: ClientTracker
    let focus: FocusTracker
    let requests: PendingRequests
    let delegates: DelegateCaller
    let continuations: ContinuationService
    let notifications: NotificationService
    let defaultApps: DefaultApps
    let documents: DocumentTracker
    let documentsObject: DocumentsObject
    let pairing: any PairingController
    let rules: RulesObject
    let settings: any SettingsHandler
    /// The daemon's own properties, as they were shown last.
    let shownStatus = ShownStatus()

    private var objects: ObjectTree { connection.objects }

    /// Exports an object for everything in the state.
    func show(_ state: Engine.State) {
        objects.insertObjectManager(at: HandoffName.root)
        let appsObject = AppsObject(
            engine: engine,
            defaults: defaultApps,
            confirmedTypes: continuations.apps.confirmedTypes
        )
        let others: [Interface] = [
            .apps(appsObject), .documents(documentsObject), .pairing(PairingObject(objects: self)), .rules(rules),
            .settings(settings),
        ]
        let manager = ManagerObject(objects: self)
        shownStatus.set(manager.status, current: manager.object(of: state.origin.current))
        insert([.manager(manager)] + others, at: HandoffName.root)
        apps.insert([.manager(ManagerObject(objects: self, audience: .apps))] + others)
        objects.setAbsenceReason { [engine] path in
            guard let id = HandoffName.nearbyActivityID(at: path) else { return nil }
            return engine.nearby.absence(of: NearbyEntry.ID(rawValue: id)).map(errorReply) as? DBusError
        }
        for device in state.trust.devices.all { show(.deviceAdded(device)) }
        for entry in state.shownEntries { show(.nearby(.added(entry))) }
    }

    /// Exports an object, whose errors reach the caller under their names on the bus.
    private func insert(_ interfaces: [Interface], at path: ObjectPath) {
        objects.insert(interfaces.map { $0.mappingErrors(errorReply) }, at: path)
    }

    private func insert(_ record: ActivityRegister.Record) {
        func interface(for audience: Audience) -> Interface {
            .activity(ActivityObject(engine: engine, id: record.id, audience: audience))
        }
        insert([interface(for: .programs)], at: HandoffName.activity(record.id))
        apps.insert(interface(for: .apps), of: record)
    }

    private func insert(_ entry: NearbyEntry) {
        let object = NearbyActivityObject(objects: self, entry: entry)
        insert([.nearbyActivity(object)], at: HandoffName.nearbyActivity(entry.id.rawValue))
    }

    private func insert(_ device: TrustedDevices.Device) {
        let object = DeviceObject(engine: engine, id: device.id)
        insert([.device(object)], at: HandoffName.device(device.id.description))
    }
}

extension BusObjects: EngineObserver {
    func show(_ effect: Engine.Effect) {
        if case .nearby = effect { notifications.nearbyChanged() }
        apps.show(effect)
        switch effect {
        case .activityAdded(let record): insert(record)
        case .activityRemoved(let id): objects.remove(at: HandoffName.activity(id))
        case .activityChanged(let old, let new): showChange(from: old, to: new)
        case .currentChanged(let old, let new): showCurrent(from: old, to: new)
        case .nearby(.added(let entry)): insert(entry)
        case .nearby(.changed(let entry)):
            objects.propertiesChanged(
                at: HandoffName.nearbyActivity(entry.id.rawValue),
                interface: HandoffName.nearbyActivityInterface,
                engine.nearby.describe(entry).changingProperties
            )
        case .nearby(.removed(let entry)): objects.remove(at: HandoffName.nearbyActivity(entry.id.rawValue))
        case .deviceAdded(let device): insert(device)
        case .deviceChanged(let device), .deviceHeard(let device):
            objects.propertiesChanged(
                at: HandoffName.device(device.id.description),
                interface: HandoffName.deviceInterface,
                engine.trust.describe(device.id).changingProperties
            )
        case .deviceRemoved(let id): objects.remove(at: HandoffName.device(id.description))
        case .circleChanged(let changes, let source): notifications.circleChanged(changes, by: source)
        case .circleChangedHere(let changes, let hasLeft): notifications.circleChangedHere(changes, hasLeft: hasLeft)
        case .identityChanged, .radioChanged, .scanningChanged: showStatus()
        case .pairingsChanged: showPairings()
        case .settingsChanged: showSettings()
        case .rulesChanged: showRules()
        case .withheldChanged: showWithheld()
        case .appsChanged: connection.emit(.appsChanged)
        case .foldersChanged: connection.emit(.foldersChanged)
        case .saveRequested, .saveEnded, .fetched, .takeEnded: showEvent(effect)
        }
    }

    func deliver(_ stream: Engine.IncomingStream) async throws(HandoffError) {
        let event = ActivityEvent.streamOpened(device: stream.device, name: stream.deviceName)
        emit(event, of: stream.activity.id)
        apps.emit(event, of: stream.activity)
        try await delegates.deliver(stream)
    }

    private func showCurrent(from old: ActivityRegister.ID?, to new: ActivityRegister.ID?) {
        for (id, isCurrent) in [(old, false), (new, true)] {
            guard let id else { continue }
            objects.propertiesChanged(
                at: HandoffName.activity(id),
                interface: HandoffName.activityInterface,
                [ActivityInterface.current.name.description: .boolean(isCurrent)]
            )
        }
        showStatus(current: new.map(HandoffName.activity) ?? .root)
    }

    /// Emits PropertiesChanged for the daemon's own properties that differ from those shown last.
    ///
    /// - Parameter current: the object of the current activity, if another one has become it: it changes with that effect
    ///   only, when the object of the new one is there.
    private func showStatus(current: ObjectPath? = nil) {
        let changes = shownStatus.changes { shown in
            var status = ManagerObject(objects: self).status
            status.currentActivity = current ?? shown.currentActivity
            return status
        }
        guard !changes.isEmpty else { return }
        objects.propertiesChanged(at: HandoffName.root, interface: HandoffName.managerInterface, changes)
        apps.showManager(changes)
    }
}

/// Changes of the properties of `Rules1` and `Settings1`.
extension BusObjects {
    /// Emits PropertiesChanged for everything that the person can set.
    private func showRules() {
        showRules(rules.status.changingProperties.filter { $0.key != RulesStatus.withheldName })
    }

    /// Emits PropertiesChanged for what is withheld.
    private func showWithheld() {
        showRules(rules.status.changingProperties.filter { $0.key == RulesStatus.withheldName })
    }

    private func showRules(_ changes: [String: Value]) {
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.rulesInterface,
            changes
        )
    }

    /// Emits PropertiesChanged for the settings that hold after a restart only, and applies the others.
    private func showSettings() {
        notifications.nearbyChanged()
        connection.objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.settingsInterface,
            [SettingsInterface.needRestart.name.description: settings.needRestart.value]
        )
    }
}
