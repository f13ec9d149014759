import DBus
import HandoffBus
import HandoffModel
import Testing

/// Calls that a program can make on the bus and ``HandoffClient`` does not offer.
extension HandoffClient {
    /// Calls a method of an activity.
    @discardableResult
    func call(_ member: MemberName, _ arguments: [Value] = [], of activity: ObjectPath) async throws -> [Value] {
        try await connection.call(
            MethodCall(
                destination: HandoffName.control,
                path: activity,
                interface: HandoffName.activityInterface,
                member: member,
                arguments: arguments
            )
        )
    }

    /// Calls `CreateActivity` with arguments of any kind.
    @discardableResult
    func create(_ type: String, _ properties: [String: Value]) async throws -> ObjectPath {
        let reply = try await connection.call(
            MethodCall(
                destination: HandoffName.control,
                path: HandoffName.root,
                interface: HandoffName.managerInterface,
                member: "CreateActivity",
                arguments: [.string(type), properties.value, [String: Value]().value]
            )
        )
        return try reply.decode(at: 0, as: ObjectPath.self)
    }

    /// Sets a property of an activity.
    func set(_ name: MemberName, to value: Value, of activity: ObjectPath) async throws {
        try await connection.setProperty(
            of: HandoffName.control,
            at: activity,
            interface: HandoffName.activityInterface,
            name: name,
            to: value
        )
    }

    /// The first value of `condition`, which is evaluated now and after each signal of the daemon.
    func first<Value: Sendable>(_ condition: @escaping @Sendable () async throws -> Value?) async throws -> Value {
        let signals = MatchRule(sender: HandoffName.control, pathNamespace: HandoffName.root)
        return try await connection.first(after: signals, condition)
    }

    /// The type of the current activity; nil if there is none.
    var currentType: String? {
        get async throws {
            let current = try await status().currentActivity
            return try await objects().activities.first { $0.path == current }?.properties["Type"]?.string
        }
    }

    /// The names of the devices that `handoffctl devices` lists, in its order.
    var listedDevices: [String] {
        get async throws {
            let (trusted, unconfirmed) = (try await objects().devices, try await unconfirmedDevices())
            return try await trusted.map(\.name) + unconfirmed.map(\.name) + status().questions.map(\.name)
        }
    }

    func setUserInfo(_ userInfo: [String: Value], of activity: ObjectPath) async throws {
        try await set("UserInfo", to: userInfo.value, of: activity)
    }

    func addUserInfo(_ entries: [String: Value], to activity: ObjectPath) async throws {
        try await call("AddUserInfoEntries", [entries.value, [String: Value]().value], of: activity)
    }
}

extension Device {
    /// The object path of the one nearby activity, once there is one.
    func watchingOnce() async throws -> ObjectPath {
        try await connected { client in
            try await client.startLooking()
            return try await client.first { try await client.objects().nearby.first?.path }
        }
    }
}

extension Result where Failure == any Error {
    /// The value or the error of `body`.
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    /// The last element of the error's D-Bus name; empty if there is no error.
    var errorName: String {
        guard case .failure(let error) = self, let name = (error as? DBusError)?.name else { return "" }
        return name.description.split(separator: ".").last.map(String.init) ?? ""
    }

    /// The message of the error.
    var errorMessage: String {
        guard case .failure(let error) = self else { return "" }
        return (error as? DBusError)?.message ?? "\(error)"
    }
}
