import CDBus

/// The standard interfaces (D-Bus specification, "Standard Interfaces"), implemented as ordinary interfaces.
extension ObjectTree {
    /// The interface that describes the object.
    var introspectable: Interface {
        let introspect = Method(name: "Introspect", outputs: [Argument(name: "xml_data", type: .string)]) {
            [self] call in
            let interfaces = interfaces(at: call.path, for: call.sender) ?? []
            let children = children(of: call.path, for: call.sender)
            return .reply([.string(Self.introspectionXML(interfaces: interfaces, children: children))])
        }
        return Interface(name: .introspectable, methods: [introspect])
    }

    /// The interface that reads and writes properties.
    var properties: Interface {
        let interface = Argument(name: "interface_name", type: .string)
        let property = Argument(name: "property_name", type: .string)
        let value = Argument(name: "value", type: .variant)
        let dictionary = ValueType.dictionary(key: .string, value: .variant)
        let get = Method(name: "Get", inputs: [interface, property], outputs: [value]) { [self] call in
            .reply([.variant(try self.property(of: call).checkedValue())])
        }
        let set = Method(name: "Set", inputs: [interface, property, value]) { [self] call in
            try self.set(call)
        }
        let all = Argument(name: "properties", type: dictionary)
        let getAll = Method(name: "GetAll", inputs: [interface], outputs: [all]) { [self] call in
            .reply([try allProperties(call)])
        }
        let changed = SignalDescription(
            name: "PropertiesChanged",
            arguments: [
                interface, Argument(name: "changed_properties", type: dictionary),
                Argument(name: "invalidated_properties", type: .array(.string)),
            ]
        )
        return Interface(name: .properties, methods: [get, set, getAll], signals: [changed])
    }

    private func property(of call: Invocation) throws(DBusError) -> Property {
        let interface = try interface(
            call.arguments.decode(at: 0, as: String.self),
            at: call.path,
            for: call.sender
        )
        let name = try call.arguments.decode(at: 1, as: String.self)
        guard let property = interface.properties.first(where: { $0.name.description == name }) else {
            throw .failure(.unknownProperty, "the object at \(call.path) has no property \(name)")
        }
        return property
    }

    private func set(_ call: Invocation) throws -> MethodResult {
        let property = try property(of: call)
        let value = try call.arguments.decode(at: 2, as: Value.self)
        guard let set = property.set else {
            throw DBusError.failure(.propertyReadOnly, "the property \(property.name) cannot be written")
        }
        guard value.type == property.type else {
            let text = "the property \(property.name) has the type '\(property.type)', not '\(value.type)'"
            throw DBusError.failure(.invalidArgs, text)
        }
        return try set(value, call)
    }

    /// Returns the properties of an interface, or of all interfaces for an empty name.
    private func allProperties(_ call: Invocation) throws(DBusError) -> Value {
        let name = try call.arguments.decode(at: 0, as: String.self)
        if !name.isEmpty { return try interface(name, at: call.path, for: call.sender).propertyValues }
        let all = insertedInterfaces(at: call.path, for: call.sender).compactMap { $0.propertyValues.dictionary }
            .flatMap { $0 }
        return .dictionary(key: .string, value: .variant, all)
    }

    /// The interface that lists the objects below an object.
    var objectManager: Interface {
        let interfaces = ValueType.dictionary(key: .string, value: .dictionary(key: .string, value: .variant))
        let objects = Argument(
            name: "objpath_interfaces_and_properties",
            type: .dictionary(key: .objectPath, value: interfaces)
        )
        let list = Method(name: "GetManagedObjects", outputs: [objects]) { [self] call in
            let entries = managedObjects(by: call.path, for: call.sender).map { object in
                DictionaryEntry(key: .objectPath(object.path), value: Self.propertyValues(of: object.interfaces))
            }
            return .reply([.dictionary(key: .objectPath, value: interfaces, entries)])
        }
        let path = Argument(name: "object_path", type: .objectPath)
        let added = SignalDescription(
            name: "InterfacesAdded",
            arguments: [path, Argument(name: "interfaces_and_properties", type: interfaces)]
        )
        let removed = SignalDescription(
            name: "InterfacesRemoved",
            arguments: [path, Argument(name: "interfaces", type: .array(.string))]
        )
        return Interface(name: .objectManager, methods: [list], signals: [added, removed])
    }

    /// The interface that reports that the connection is alive, and on which machine.
    static let peer = Interface(
        name: .peer,
        methods: [
            Method(name: "Ping") { _ in .reply([]) },
            Method(name: "GetMachineId", outputs: [Argument(name: "machine_uuid", type: .string)]) { _ in
                .reply([.string(try machineID())])
            },
        ]
    )

    private static func machineID() throws(DBusError) -> String {
        var error = CDBus.DBusError()
        dbus_error_init(&error)
        defer { dbus_error_free(&error) }
        guard let text = dbus_try_get_local_machine_id(&error) else {
            throw .failure(.failed, "this machine has no machine ID: see systemd-machine-id-setup(1)")
        }
        defer { dbus_free(text) }
        return String(cString: text)
    }
}
