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
    let version: String
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
        insert([.manager(ManagerObject(objects: self))] + others, at: HandoffName.root)
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
        let (engine, continuations) = (engine, continuations)
        let (notifications, connection, requests) = (notifications, connection, requests)
        let fetching = NearbyFetching(engine: engine, fetcher: fetcher, documents: documents, connection: connection)
        let path = HandoffName.nearbyActivity(entry.id.rawValue)
        let interface = Interface.nearbyActivity {
            // The object may be called once more after the entry was removed.
            engine.nearby.describe((try? engine.nearby.entry(entry.id)) ?? entry)
        } fetch: { caller, options in
            let request = requests.begin(by: caller, about: path.description)
            return {
                try await request.whileWanted(on: connection) { try await fetching.fetch(entry, options) }
            }
        } handOver: { caller, options in
            let request = requests.begin(by: caller, about: path.description)
            return {
                notifications.continued(entry.id)
                return try await request.withAbandonment(on: connection) { abandonment in
                    try await continuations.continueEntry(entry.id, options, unless: abandonment)
                }
            }
        } cancel: { client in
            requests.cancel(by: client, about: path.description)
        }
        insert([interface], at: path)
    }

    private func insert(_ device: TrustedDevices.Device) {
        let engine = engine
        let interface = Interface.device {
            engine.trust.describe(device.id)
        } remove: {
            try await engine.trust.remove(device.id)
        } consequences: {
            RemovalConsequences(engine.trust.consequences(ofRemoving: device.id))
        } rename: { name in
            try await engine.trust.rename(device.id, to: DeviceName(name))
        }
        insert([interface], at: HandoffName.device(device.id.description))
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
        case .identityChanged: showIdentity()
        case .radioChanged: showRadio()
        case .scanningChanged: showScanning()
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
                ["Current": .boolean(isCurrent)]
            )
        }
        objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.managerInterface,
            ["CurrentActivity": .objectPath(new.map(HandoffName.activity) ?? .root)]
        )
    }

    private func showIdentity() {
        let manager = ManagerObject(objects: self)
        objects.propertiesChanged(
            at: HandoffName.root,
            interface: HandoffName.managerInterface,
            [
                "DeviceName": .string(manager.deviceName),
                "DeviceID": .string(manager.deviceID),
                "Questions": DeviceQuestion.list(manager.questions),
                "Advisories": .advisories(manager.advisories),
            ]
        )
    }

    private func showRadio() {
        let manager = ManagerObject(objects: self)
        let changes: [String: Value] = [
            "RadioState": .string(manager.radioState),
            "RadioMessage": .string(manager.radioMessage),
            "Advisories": .advisories(manager.advisories),
        ]
        objects.propertiesChanged(at: HandoffName.root, interface: HandoffName.managerInterface, changes)
        apps.showManager(changes)
    }
}
