import OrderedCollections
import Synchronization

/// The objects that a connection provides.
///
/// Every method may be called from any thread, handlers included, and never blocks. Introspectable, Properties and Peer
/// are served on every object; objects above an object exist for introspection.
package final class ObjectTree: Sendable {
    private struct Node {
        var interfaces: OrderedDictionary<InterfaceName, Interface> = [:]
        var isManager = false
        /// The only client for which the object exists; nil for all.
        var client: BusName?

        func exists(for client: BusName) -> Bool { self.client == nil || self.client == client }
    }

    /// Returns the error for a call to an object that does not exist; nil for UnknownObject.
    package typealias AbsenceReason = @Sendable (ObjectPath) -> DBusError?

    private let nodes = Mutex<[ObjectPath: Node]>([:])
    private let absenceReason = Mutex<AbsenceReason>({ _ in nil })
    /// Whether the connection has ended; only changed while `nodes` is locked.
    private let hasEnded = Atomic(false)
    private let callerAdmission = Mutex<CallerAdmission?>(nil)
    private let queue: CommandQueue
    private let sendFailures: SendFailures

    init(queue: CommandQueue, sendFailures: SendFailures) {
        self.queue = queue
        self.sendFailures = sendFailures
    }

    /// Has `admission` decide whose calls are performed, those of the standard interfaces included.
    ///
    /// To be called before objects are inserted: calls that came earlier are not judged.
    package func admitCallers(by admission: @escaping CallerAdmission) {
        callerAdmission.withLock { $0 = admission }
    }

    /// What decides whose calls are performed; nil while all are.
    var admission: CallerAdmission? { callerAdmission.withLock { $0 } }

    /// Adds `interfaces` to the object at `path`; replaces existing ones of the same name.
    ///
    /// Emits InterfacesAdded from the nearest object manager above, if there is one. With the unique name of a `client`,
    /// the object exists for that one only: the calls of others are answered as if there were none.
    package func insert(_ interfaces: [Interface], at path: ObjectPath, for client: BusName? = nil) {
        nodes.withLock { nodes in
            guard !hasEnded.load(ordering: .relaxed) else { return }
            nodes[path, default: Node()].client = client
            for interface in interfaces { nodes[path, default: Node()].interfaces[interface.name] = interface }
            if let manager = Self.manager(above: path, nodes) {
                queue.push(.announce(interfaces, at: path, by: manager, to: client))
            }
        }
    }

    /// Removes the object at `path` with all its interfaces; objects below it remain.
    ///
    /// Emits InterfacesRemoved from the nearest object manager above, if there is one.
    package func remove(at path: ObjectPath) {
        nodes.withLock { nodes in
            guard let node = nodes.removeValue(forKey: path) else { return }
            guard let manager = Self.manager(above: path, nodes), !node.interfaces.isEmpty else { return }
            let names = node.interfaces.keys.map(\.description)
            var removed = Self.signal(manager, .objectManager, "InterfacesRemoved", [.objectPath(path), names.value])
            removed.destination = node.client
            push(removed)
        }
    }

    /// Removes all objects for good, because the connection has ended: their handlers may hold the connection.
    func end() {
        let removed = nodes.withLock { nodes in
            hasEnded.store(true, ordering: .relaxed)
            defer { nodes = [:] }
            return nodes
        }
        let admission = callerAdmission.withLock { admission in
            defer { admission = nil }
            return admission
        }
        let reason = absenceReason.withLock { current in
            defer { current = { _ in nil } }
            return current
        }
        // Released without the locks: the end of a handler may use the tree.
        _ = (removed, admission, reason)
    }

    /// Sets what tells a caller why an object does not exist; it is called on the loop's thread.
    package func setAbsenceReason(_ reason: @escaping AbsenceReason) {
        guard !hasEnded.load(ordering: .relaxed) else { return }
        absenceReason.withLock { $0 = reason }
    }

    /// Makes the object at `path` an object manager of the objects below it, up to and including any other object
    /// manager there.
    ///
    /// It does not list itself.
    package func insertObjectManager(at path: ObjectPath) {
        nodes.withLock { nodes in
            if !hasEnded.load(ordering: .relaxed) { nodes[path, default: Node()].isManager = true }
        }
    }

    /// Emits InterfacesAdded once more for all objects that the object manager at `path` lists.
    ///
    /// For clients that follow a name of this connection: they did not receive the signals of objects that were
    /// inserted before the connection owned the name.
    package func announceObjects(of path: ObjectPath) {
        nodes.withLock { nodes in
            for (object, node) in nodes.sorted(by: { $0.key < $1.key })
            where !node.interfaces.isEmpty && Self.manager(above: object, nodes) == path {
                queue.push(.announce(Array(node.interfaces.values), at: object, by: path, to: node.client))
            }
        }
    }

    /// Emits PropertiesChanged for properties that have `changed` to the given values, and for those that are
    /// `invalidated`, whose new values are not sent; to all, or to the `client` with that unique name alone.
    package func propertiesChanged(
        at path: ObjectPath,
        interface: InterfaceName,
        _ changed: [String: Value],
        invalidated: [String] = [],
        for client: BusName? = nil
    ) {
        let arguments = [.string(interface.description), changed.value, invalidated.value]
        var signal = Self.signal(path, .properties, "PropertiesChanged", arguments)
        signal.destination = client
        push(signal)
    }

    private func push(_ signal: Signal) {
        do {
            queue.push(.send(try signal.message()))
        } catch {
            sendFailures.record(error)
        }
    }

    private static func signal(
        _ path: ObjectPath,
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value]
    ) -> Signal {
        Signal(path: path, interface: interface, member: member, arguments: arguments)
    }

    private static func manager(above path: ObjectPath, _ nodes: [ObjectPath: Node]) -> ObjectPath? {
        var above = path.parent
        while let path = above {
            if nodes[path]?.isManager == true { return path }
            above = path.parent
        }
        return nil
    }
}

// MARK: - For the loop's thread

extension ObjectTree {
    /// Returns the method that a call names.
    ///
    /// - Throws: the error for the caller: UnknownObject or the reason for that, UnknownInterface or UnknownMethod.
    func method(
        _ member: MemberName,
        of interface: InterfaceName?,
        at path: ObjectPath,
        for client: BusName
    ) throws(DBusError) -> (interface: InterfaceName, method: Method) {
        if let own = ownMethod(member, of: interface, at: path, for: client) { return own }
        guard let interfaces = interfaces(at: path, for: client) else {
            // Peer concerns the connection, not an object (D-Bus specification, "Standard Interfaces").
            let method = Self.peer.methods.first { $0.name == member }
            if let method, interface == .peer { return (.peer, method) }
            throw absence(of: path)
        }
        let candidates = interface.map { name in interfaces.filter { $0.name == name } } ?? interfaces
        if let interface, candidates.isEmpty {
            throw .failure(.unknownInterface, "the object at \(path) has no interface \(interface)")
        }
        for candidate in candidates {
            if let method = candidate.methods.first(where: { $0.name == member }) { return (candidate.name, method) }
        }
        let place = interface.map { "the interface \($0)" } ?? "the object at \(path)"
        throw .failure(.unknownMethod, "\(place) has no method \(member)")
    }

    /// Returns the method that a call names among the inserted ones: the fast path for most calls.
    private func ownMethod(
        _ member: MemberName,
        of interface: InterfaceName?,
        at path: ObjectPath,
        for client: BusName
    ) -> (interface: InterfaceName, method: Method)? {
        nodes.withLock { nodes in
            guard let node = nodes[path], node.exists(for: client) else { return nil }
            for candidate in node.interfaces.values where interface == nil || candidate.name == interface {
                if let method = candidate.methods.first(where: { $0.name == member }) {
                    return (candidate.name, method)
                }
            }
            return nil
        }
    }

    /// Returns all interfaces of the object at `path`, the standard ones last; nil if there is no object at or below
    /// it for that client.
    func interfaces(at path: ObjectPath, for client: BusName) -> [Interface]? {
        let (own, isManager, exists) = nodes.withLock { nodes in
            let node = nodes[path].flatMap { $0.exists(for: client) ? $0 : nil }
            let exists =
                node != nil || nodes.contains { $0.key.isDescendant(of: path) && $0.value.exists(for: client) }
            return (node.map { Array($0.interfaces.values) } ?? [], node?.isManager == true, exists)
        }
        guard exists else { return nil }
        return own + [introspectable, Self.peer, properties] + (isManager ? [objectManager] : [])
    }

    /// Returns the interface `name` of the object at `path`, standard or not.
    ///
    /// - Throws: the error for the caller: UnknownObject or the reason for that, or UnknownInterface.
    func interface(_ name: String, at path: ObjectPath, for client: BusName) throws(DBusError) -> Interface {
        guard let all = interfaces(at: path, for: client) else {
            throw absence(of: path)
        }
        guard let interface = all.first(where: { $0.name.description == name }) else {
            throw .failure(.unknownInterface, "the object at \(path) has no interface \(name)")
        }
        return interface
    }

    private func absence(of path: ObjectPath) -> DBusError {
        let reason = absenceReason.withLock(\.self)
        return reason(path) ?? .failure(.unknownObject, "there is no object at \(path)")
    }

    /// Returns the interfaces that were inserted at `path`, if the object exists for that client.
    func insertedInterfaces(at path: ObjectPath, for client: BusName) -> [Interface] {
        nodes.withLock { nodes in
            guard let node = nodes[path], node.exists(for: client) else { return [] }
            return Array(node.interfaces.values)
        }
    }

    /// Returns the names of the direct children of `path` that exist for that client, sorted.
    func children(of path: ObjectPath, for client: BusName) -> [String] {
        let below = nodes.withLock { nodes in
            nodes.compactMap { $0.key.isDescendant(of: path) && $0.value.exists(for: client) ? $0.key : nil }
        }
        let skipped = path == .root ? 1 : path.description.utf8.count + 1
        let names = below.map { String($0.description.dropFirst(skipped).prefix { $0 != "/" }) }
        return Set(names).sorted()
    }

    /// Returns the objects that the object manager at `path` lists for a client, sorted by path.
    func managedObjects(by path: ObjectPath, for client: BusName) -> [(path: ObjectPath, interfaces: [Interface])] {
        nodes.withLock { nodes in
            nodes.filter { !$0.value.interfaces.isEmpty && $0.value.exists(for: client) }
                .filter { Self.manager(above: $0.key, nodes) == path }
                .sorted { $0.key < $1.key }
                .map { ($0.key, Array($0.value.interfaces.values)) }
        }
    }

    /// Returns the InterfacesAdded signal for `interfaces`.
    ///
    /// Reads their properties.
    static func added(_ interfaces: [Interface], at path: ObjectPath, by manager: ObjectPath) -> Signal {
        signal(manager, .objectManager, "InterfacesAdded", [.objectPath(path), propertyValues(of: interfaces)])
    }

    /// Returns the properties of several interfaces as `a{sa{sv}}`.
    static func propertyValues(of interfaces: [Interface]) -> Value {
        let entries = interfaces.map {
            DictionaryEntry(key: .string($0.name.description), value: $0.propertyValues)
        }
        return .dictionary(key: .string, value: .dictionary(key: .string, value: .variant), entries)
    }
}
