import AsyncSupport

/// The flags and results of RequestName (D-Bus specification, "org.freedesktop.DBus.RequestName").
private enum RequestName {
    static let doNotQueue: UInt32 = 4
    static let primaryOwner: UInt32 = 1
}

extension Connection {
    /// Owns `name` while `body` runs, and releases it before this returns.
    ///
    /// - Throws: what `body` throws; `DBusError` with the code `.nameTaken` if another connection owns the name (its
    ///   message says which; this does not wait for the name), `.nameLost` if the bus revokes the name, in which case
    ///   `body` is cancelled, or `.remote` if the bus denies it.
    package func withName<T: Sendable>(
        _ name: BusName,
        _ body: @escaping @Sendable () async throws -> T
    ) async throws -> T {
        let lost = MatchRule(sender: .bus, interface: .bus, member: "NameLost", arg0: name.description)
        return try await withSubscription(lost, limit: 8) { signals in
            try await request(name)
            let result: Result<T, any Error> = await Result {
                try await Self.run(body, untilLost: name, signals)
            }
            // This fails only if the connection has ended, and the ownership of the name with it.
            _ = try? await callBus("ReleaseName", [.string(name.description)])
            return try result.get()
        }
    }

    private func request(_ name: BusName) async throws(DBusError) {
        let answer = try await callBus("RequestName", [.string(name.description), .uint32(RequestName.doNotQueue)])
        guard try answer.decode(at: 0, as: UInt32.self) != RequestName.primaryOwner else { return }
        throw DBusError(
            .nameTaken,
            "the bus name \(name) is taken by \(await ownerDescription(of: name)): stop that first"
        )
    }

    /// Describes the owner of `name` in words.
    private func ownerDescription(of name: BusName) async -> String {
        guard let owner = try? await owner(of: name) else { return "another connection" }
        guard let process = try? await processID(of: owner) else { return "the connection \(owner)" }
        return "process \(process) (\(owner))"
    }

    private static func run<T: Sendable>(
        _ body: @escaping @Sendable () async throws -> T,
        untilLost name: BusName,
        _ signals: SignalSequence
    ) async throws -> T {
        let watch: @Sendable () async throws -> Void = {
            for try await _ in signals {
                throw DBusError(.nameLost, "the bus gave the name \(name) to another connection")
            }
        }
        return try await withBackgroundTasks([watch], body: body)
    }

    /// Follows the owner of `name` while `body` runs: first the current owner, nil if there is none, then each change.
    ///
    /// Only the newest unread owner is kept.
    ///
    /// - Throws: what `body` throws, and `DBusError` if the bus does not answer.
    package func withOwner<T>(
        of name: BusName,
        _ body: (AsyncStream<BusName?>) async throws -> T
    ) async throws -> T {
        try await withOwnerTracking(name) {
            let (id, owners) = context.router.owners(of: name)
            defer { context.router.forget(id, of: name) }
            return try await body(owners)
        }
    }

    /// Keeps the router informed about the owner of `name` from before `body` begins until it ends.
    func withOwnerTracking<T>(_ name: BusName, _ body: () async throws -> T) async throws -> T {
        context.router.follow(name)
        defer { context.router.unfollow(name) }
        let changes = MatchRule(sender: .bus, interface: .bus, member: "NameOwnerChanged", arg0: name.description)
        return try await withRule(changes) {
            try await updateOwner(of: name)
            return try await body()
        }
    }

    /// Sets the current owner of `name` in the router, in order with the changes that the bus reports.
    private func updateOwner(of name: BusName) async throws(DBusError) {
        let router = context.router
        do {
            _ = try await callBus("GetNameOwner", [.string(name.description)]) { result in
                router.setOwner(try? BusName(try result.get().decode(at: 0, as: String.self)), of: name)
            }
        } catch {
            guard error.name == .nameHasNoOwner else { throw error }
        }
    }

    /// Returns the unique name of the owner of `name`; nil if there is none.
    ///
    /// - Throws: as `call(_:timeout:)`.
    package func owner(of name: BusName) async throws(DBusError) -> BusName? {
        do {
            let answer = try await call(.bus("GetNameOwner", [.string(name.description)]))
            return try BusName(try answer.decode(at: 0, as: String.self))
        } catch {
            if error.name == .nameHasNoOwner { return nil }
            throw error
        }
    }

    /// Returns what the bus knows of the connection that owns `name`.
    ///
    /// - Throws: as `call(_:timeout:)`; `.remote` if the name has no owner.
    package func credentials(of name: BusName) async throws(DBusError) -> ConnectionCredentials {
        let answer = try await call(.bus("GetConnectionCredentials", [.string(name.description)]))
        return ConnectionCredentials(try answer.decode(at: 0, as: [String: Value].self))
    }

    /// Returns the process ID of the owner of `name`.
    ///
    /// - Throws: as `call(_:timeout:)`; `.remote` if the name has no owner.
    package func processID(of name: BusName) async throws(DBusError) -> UInt32 {
        let answer = try await call(.bus("GetConnectionUnixProcessID", [.string(name.description)]))
        return try answer.decode(at: 0, as: UInt32.self)
    }
}
