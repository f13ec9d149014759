package import DBus
import Synchronization

extension FakeBluetoothd {
    private static let options = Argument(name: "options", type: [String: Value].valueType)
    private static let object = Argument(name: "object", type: .objectPath)

    /// Adds an adapter; as in bluetoothd, LEAdvertisingManager1 appears only with ``addAdvertising(to:free:)``.
    package func addAdapter(
        _ name: String = "hci0",
        address: String = "00:AA:01:00:00:00",
        powered: Bool = true,
        more: [MemberName: Value] = [:]
    ) -> ObjectPath {
        let path: ObjectPath = "/org/bluez"
        let adapter = path.appending(name)
        let values: [MemberName: Value] = [
            "Address": .string(address), "AddressType": .string("public"), "Powered": .boolean(powered),
            "Discovering": .boolean(false), "Roles": ["central", "peripheral"].value,
        ]
        let methods = [
            method("SetDiscoveryFilter", [Self.options]) { try $0.setFilter($1) },
            method("StartDiscovery") { try $0.startDiscovery($1) },
            method("StopDiscovery") { try $0.stopDiscovery($1) },
            method("RemoveDevice", [Self.object]) { fake, invocation in
                if let path = invocation.arguments.first?.objectPath { fake.remove(path) }
                return .reply([])
            },
        ]
        insert("org.bluez.Adapter1", values.merging(more) { $1 }, methods, at: adapter)
        return adapter
    }

    package func addAdvertising(to adapter: ObjectPath, free: UInt8 = 3, more: [MemberName: Value] = [:]) {
        let values: [MemberName: Value] = ["ActiveInstances": .byte(0), "SupportedInstances": .byte(free)]
        let methods = [
            method("RegisterAdvertisement", [Self.object, Self.options]) { $0.register($1) },
            method("UnregisterAdvertisement", [Self.object]) { try $0.unregister($1) },
        ]
        insert("org.bluez.LEAdvertisingManager1", values.merging(more) { $1 }, methods, at: adapter)
    }

    package func addGATT(to adapter: ObjectPath) {
        let methods = [
            method("RegisterApplication", [Self.object, Self.options]) { $0.registerApplication($1) },
            method("UnregisterApplication", [Self.object]) { fake, invocation in
                let root = try invocation.root()
                fake.state.withLock { $0.applications[root] = nil }
                return .reply([])
            },
        ]
        insert("org.bluez.GattManager1", [:], methods, at: adapter)
    }

    /// Removes the adapter after releasing what was registered on it.
    package func removeAdapter(_ adapter: ObjectPath) {
        for advertisement in advertisements {
            connection.send(
                MethodCall(
                    destination: advertisement.owner,
                    path: advertisement.path,
                    interface: "org.bluez.LEAdvertisement1",
                    member: "Release"
                )
            )
        }
        state.withLock { $0.advertisements = [] }
        remove(adapter)
    }

    /// Switches the adapter on or off; switching it off ends discovery.
    package func setPowered(_ adapter: ObjectPath, _ powered: Bool) {
        if !powered { state.withLock { $0.sessions[adapter] = nil } }
        let more: [MemberName: Value] = powered ? [:] : ["Discovering": .boolean(false)]
        set(adapter, "org.bluez.Adapter1", more.merging(["Powered": .boolean(powered)]) { $1 })
    }

    func method(
        _ name: MemberName,
        _ inputs: [Argument] = [],
        outputs: [Argument] = [],
        _ handler: @escaping @Sendable (FakeBluetoothd, Invocation) throws -> MethodResult
    ) -> Method {
        Method(name: name, inputs: inputs, outputs: outputs) { [weak self] invocation in
            guard let self else { throw DBusError(.disconnected, "the fake bluetoothd has ended") }
            try self.note(invocation)
            return try handler(self, invocation)
        }
    }

    private func setFilter(_ invocation: Invocation) throws -> MethodResult {
        let filter = invocation.arguments.first?.stringDictionary ?? [:]
        guard filter.keys.allSatisfy(["Transport", "Pattern", "DuplicateData"].contains) else {
            throw DBusError.failure("org.bluez.Error.InvalidArguments", "Invalid arguments in method call")
        }
        state.withLock { $0.filters.append(filter) }
        return .reply([])
    }

    private func startDiscovery(_ invocation: Invocation) throws -> MethodResult {
        let path = invocation.path
        guard property(path, "org.bluez.Adapter1", "Powered") == .boolean(true) else {
            throw DBusError.failure("org.bluez.Error.NotReady", "Resource Not Ready")
        }
        let isNew = state.withLock { $0.sessions[path, default: []].insert(invocation.sender).inserted }
        guard isNew else { throw DBusError.failure("org.bluez.Error.InProgress", "Operation already in progress") }
        afterReply { self.set(path, "org.bluez.Adapter1", ["Discovering": .boolean(true)]) }
        return .reply([])
    }

    private func stopDiscovery(_ invocation: Invocation) throws -> MethodResult {
        let path = invocation.path
        let (wasThere, isLast) = state.withLock { state in
            let wasThere = state.sessions[path]?.remove(invocation.sender) != nil
            return (wasThere, state.sessions[path]?.isEmpty != false)
        }
        guard wasThere else { throw DBusError.failure("org.bluez.Error.Failed", "No discovery started") }
        if isLast { afterReply { self.set(path, "org.bluez.Adapter1", ["Discovering": .boolean(false)]) } }
        return .reply([])
    }

    private func register(_ invocation: Invocation) -> MethodResult {
        .deferred {
            let path = try invocation.root()
            _ = try? await self.connection.call(
                MethodCall(
                    destination: invocation.sender,
                    path: path,
                    interface: "org.freedesktop.DBus.ObjectManager",
                    member: "GetManagedObjects"
                )
            )
            let properties = try await self.connection.properties(
                of: invocation.sender,
                at: path,
                interface: "org.bluez.LEAdvertisement1"
            )
            let data = properties["ServiceData"].flatMap { [String: Value]($0) } ?? [:]
            guard data.values.allSatisfy({ $0.bytes?.isEmpty != true }) else {
                // Seen with bluetoothd 5.66, which takes no empty data of a service.
                throw DBusError.failure("org.bluez.Error.Failed", "Failed to parse advertisement.")
            }
            self.state.withLock {
                $0.advertisements.append(Advertisement(owner: invocation.sender, path: path, properties: properties))
            }
            return []
        }
    }

    private func unregister(_ invocation: Invocation) throws -> MethodResult {
        let path = try invocation.root()
        let isKnown = state.withLock { state in
            let count = state.advertisements.count
            state.advertisements.removeAll { $0.path == path && $0.owner == invocation.sender }
            return state.advertisements.count < count
        }
        guard isKnown else { throw DBusError.failure("org.bluez.Error.DoesNotExist", "Does Not Exist") }
        return .reply([])
    }

    private func registerApplication(_ invocation: Invocation) -> MethodResult {
        .deferred {
            let root = try invocation.root()
            _ = try await self.connection.call(
                MethodCall(
                    destination: invocation.sender,
                    path: root,
                    interface: "org.freedesktop.DBus.ObjectManager",
                    member: "GetManagedObjects"
                )
            )
            self.state.withLock { $0.applications[root] = invocation.sender }
            return []
        }
    }
}

extension Invocation {
    /// The object path in the call's first argument.
    func root() throws -> ObjectPath {
        try arguments.decode(at: 0, as: ObjectPath.self)
    }
}
