import DBus
package import HandoffBus

extension HandoffClient {
    /// How long a daemon may take to answer when it is read, and one that has to start.
    private static let (patience, startPatience) = (Duration.seconds(10), Duration.seconds(25))

    /// Reads what the daemon tells.
    ///
    /// - Parameters:
    ///   - contents: what is read; a daemon that lacks some of it tells nothing there.
    ///   - startsService: whether this starts a daemon that the bus can start.
    package func mirror(_ contents: DaemonMirror.Contents, startsService: Bool = false) async throws -> DaemonMirror {
        var own: [InterfaceName: [String: Value]] = [:]
        for interface in contents.interfaces {
            let arguments = [Value.string(interface.description)]
            let reply = try await reading("org.freedesktop.DBus.Properties", "GetAll", arguments, startsService)
            if let reply { own[interface] = reply.first?.stringDictionary ?? [:] }
        }
        var objects: Value?
        if !contents.isDisjoint(with: .objects) {
            let reply = try await reading("org.freedesktop.DBus.ObjectManager", "GetManagedObjects", [], startsService)
            objects = reply?.first
            guard objects != nil else { throw DBusError(.unexpectedReply, "It has no list of objects.") }
        }
        var apps: [AppDescription] = []
        if contents.contains(.apps) {
            let list = AppsInterface.listApps
            let reply = try await reading(list.interface, list.name, [.noOptions], startsService)
            apps = reply?.first?.dictionaries.map(AppDescription.init) ?? []
        }
        return DaemonMirror(contents, properties: own, objects: objects, apps: apps)
    }

    /// Returns the first thing that `find` finds in what the daemon tells, now or after one of its signals.
    ///
    /// The first reading starts a daemon that the bus can start.
    ///
    /// - Parameters:
    ///   - contents: what is looked at.
    ///   - wait: is run when nothing is found at once.
    /// - Throws: what the arguments throw; `DBusError` when the daemon cannot be read, or the bus is lost.
    package func first<Found: Sendable>(
        in contents: DaemonMirror.Contents,
        wait: () -> Void = {},
        _ find: (DaemonMirror) throws -> Found?
    ) async throws -> Found {
        try await withSignals { signals in
            var mirror = try await mirror(contents, startsService: true)
            if let found = try find(mirror) { return found }
            wait()
            for try await signal in signals {
                mirror.apply(signal)
                if let found = try find(mirror) { return found }
            }
            throw CancellationError()
        }
    }

    /// Calls a method of the daemon's own object; returns nil if a daemon of another version does not know it.
    private func reading(
        _ interface: InterfaceName,
        _ member: MemberName,
        _ arguments: [Value],
        _ startsService: Bool
    ) async throws -> [Value]? {
        let call = MethodCall(
            destination: HandoffName.control,
            path: HandoffName.root,
            interface: interface,
            member: member,
            arguments: arguments,
            startsService: startsService
        )
        do {
            return try await connection.call(call, timeout: startsService ? Self.startPatience : Self.patience)
        } catch let error where [.unknownInterface, .unknownMethod].contains(error.name) {
            return nil
        }
    }
}
