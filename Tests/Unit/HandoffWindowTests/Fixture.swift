import DBus
import HandoffBus
import HandoffWindow

/// A window with a daemon, for tests of what it shows.
struct Fixture {
    static let now: UInt64 = 1_700_000_000_000_000
    static let minute: UInt64 = 60_000_000

    var model = WindowModel()

    /// - Parameter state: what the daemon tells; nil while there is none.
    init(_ state: DaemonState? = Fixture.state()) {
        if let state { _ = handle(.daemon(.state(state))) }
    }

    @discardableResult
    mutating func handle(_ event: WindowEvent, at now: UInt64 = Self.now) -> [WindowAction] {
        model.handle(event, at: now)
    }

    @discardableResult
    mutating func user(_ event: UserEvent, at now: UInt64 = Self.now) -> [WindowAction] {
        handle(.user(event), at: now)
    }

    @discardableResult
    mutating func daemon(_ event: DaemonEvent) -> [WindowAction] {
        handle(.daemon(event))
    }

    func page(_ name: PageName) -> PageView { model.view.pages[name] ?? PageView() }

    /// The rows of a page, whatever their group.
    func rows(_ name: PageName) -> [RowView] { page(name).groups.flatMap(\.rows) }

    func row(_ name: PageName, _ id: String) -> RowView? { rows(name).first { $0.id == id } }

    /// What a daemon tells.
    static func state(
        status: [String: Value] = [:],
        nearby: [[String: Value]] = [],
        devices: [String: [String: Value]] = [:],
        own: [String: Value]? = nil,
        rules: [String: Value] = [:],
        unconfirmed: [UnconfirmedDevice] = [],
        apps: [AppDescription] = []
    ) -> DaemonState {
        var objects: [(path: ObjectPath, interface: InterfaceName, properties: [String: Value])] = []
        for (number, properties) in nearby.enumerated() {
            let path = HandoffName.nearbyActivity(UInt64(number + 1))
            objects.append((path, HandoffName.nearbyActivityInterface, properties))
        }
        for (id, properties) in devices {
            objects.append((HandoffName.device(id), HandoffName.deviceInterface, properties))
        }
        if let own {
            objects.append((HandoffName.activities.appending("1"), HandoffName.activityInterface, own))
        }
        let interfaces = ValueType.dictionary(key: .string, value: .dictionary(key: .string, value: .variant))
        let managed = objects.map { object in
            DictionaryEntry(
                key: .objectPath(object.path),
                value: [object.interface.description: object.properties.value].value
            )
        }
        var manager: [String: Value] = [
            "Version": .string(HandoffVersion.current), "DeviceID": .string("00000000000000aa"),
            "DeviceName": .string("laptop"), "RadioState": .string("ready"),
        ]
        manager.merge(status) { $1 }
        return DaemonState(
            status: DaemonStatus(manager),
            objects: HandoffObjects(managedObjects: .dictionary(key: .objectPath, value: interfaces, managed)),
            rules: RulesStatus(rules),
            unconfirmed: unconfirmed,
            apps: apps
        )
    }

    /// An activity that an app here opens.
    static func activity(_ changes: [String: Value] = [:]) -> [String: Value] {
        let properties: [String: Value] = [
            "Device": .objectPath(HandoffName.device("00000000000000bb")), "DeviceName": .string("desk"),
            "Type": .string("org.example.notes"), "OpensWith": .string("app"),
            "Application": .string("org.example.Notes"), "ApplicationName": .string("Notes"),
            "ApplicationIcon": .string("notes"), "RSSI": .int16(-50),
        ]
        return properties.merging(changes) { $1 }
    }

    static let nearby = HandoffName.nearbyActivity(1)
}
