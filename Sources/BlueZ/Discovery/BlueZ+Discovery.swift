import AsyncSupport
import DBus
import Synchronization

extension BlueZ {
    /// The number of attempts to call StartDiscovery while bluetoothd reports that we already have a session, which it
    /// may do until it has ended the previous one.
    private static let startAttempts = 5

    /// The time that bluetoothd has to end our session before a connection is made regardless; the kernel scans less
    /// while it connects.
    private static let stopLimit = Duration.seconds(2)

    /// The time that bluetoothd has to report that discovery is off after it has stopped ours; if it has not by then,
    /// another program keeps discovery on.
    private static let pauseTimeout = Duration.milliseconds(300)

    /// The time to wait for the reason why discovery has ended: the adapter's other properties change after it.
    private static let reasonLimit = Duration.milliseconds(500)

    /// Discovers LE devices on `adapter` while `body` runs.
    ///
    /// All calls for one adapter share one session of bluetoothd, which is stopped during
    /// ``withDiscoveryPaused(on:_:)``. Devices that the discovery of another program has already found are reported at
    /// once. `transform` extracts from a report the elements that the reader needs; it is called in order and must be
    /// quick. A reader that falls behind by more than `limit` elements loses the oldest.
    ///
    /// - Throws: ``BlueZError`` when discovery cannot start or was stopped from outside; otherwise what `body` throws.
    package func withDiscovery<Element: Sendable, Success: Sendable>(
        on adapter: Adapter,
        limit: Int = 256,
        transform: @escaping @Sendable (DeviceReport) -> [Element],
        _ body: (AsyncStream<Element>) async throws -> Success
    ) async throws -> Success {
        let session = discoveries.session(on: adapter.path)
        let reader = nextIdentifier()
        let failures = session.join(reader)
        let isOn = session.isOn || snapshot.adapters.contains { $0.path == adapter.path && $0.isDiscovering }
        let (elements, heard) = AsyncStream<Element>.makeStream(bufferingPolicy: .bufferingNewest(limit))
        let (subscriptions, subscribed) = AsyncStream<Void>.makeStream()
        let result: Result<Success, any Error> = await Result {
            let listening: @Sendable () async throws -> Void = {
                try await self.reports(on: adapter, isOn: isOn, subscribed: { subscribed.yield() }) { report in
                    for element in transform(report) { heard.yield(element) }
                }
            }
            let companions = watches(session, on: adapter, failures) + [listening]
            return try await withBackgroundTasks(companions) {
                for await _ in subscriptions { break }
                try await synchronize(session, on: adapter)
                try session.check(reader)
                return try await body(elements)
            }
        }
        session.leave(reader)
        try? await synchronize(session, on: adapter)
        return try result.get()
    }

    /// The tasks that end discovery when bluetoothd ends it, one for each reason.
    private func watches(
        _ session: DiscoverySession,
        on adapter: Adapter,
        _ failures: AsyncStream<BlueZError>
    ) -> [@Sendable () async throws -> Void] {
        [
            { for await error in failures { throw error } },
            { try await self.watch(adapter) },
            { try await self.watch(session, on: adapter) },
        ]
    }

    /// Pauses our discovery while `body` runs: connecting is unreliable during a scan.
    ///
    /// The kernel stops scanning to connect and resumes at once afterwards, at full duty, which kills young links. So
    /// our session is stopped before and started again afterwards. Other programs may keep discovery on, which cannot
    /// be prevented.
    package func withDiscoveryPaused<Success: Sendable>(
        on adapter: Adapter,
        _ body: () async throws -> Success
    ) async throws -> Success {
        let session = discoveries.session(on: adapter.path)
        session.pause()
        let result: Result<Success, any Error> = await Result {
            try await waitForDiscoveryPause(session, on: adapter)
            return try await body()
        }
        session.resume()
        uncancelled.submit { try? await self.drive(session, on: adapter) }
        return try result.get()
    }

    /// Waits a limited time until discovery is off: a bluetoothd that does not answer must not prevent connecting.
    private func waitForDiscoveryPause(_ session: DiscoverySession, on adapter: Adapter) async throws {
        let (completions, completed) = AsyncStream<Void>.makeStream()
        uncancelled.submit {
            try? await self.drive(session, on: adapter)
            completed.yield()
        }
        _ = try await withTimeout(Self.stopLimit) {
            for await _ in completions { return }
        }
        _ = try await withTimeout(Self.pauseTimeout) {
            for await snapshot in self.snapshots() {
                let now = snapshot.adapters.first { $0.path == adapter.path }
                if now?.isDiscovering != true { return }
            }
        }
    }

    /// Brings bluetoothd to the desired state of the session, and waits for it even in a cancelled task.
    private func synchronize(_ session: DiscoverySession, on adapter: Adapter) async throws {
        try await uncancelled.perform { try await self.drive(session, on: adapter) }
    }

    private func drive(_ session: DiscoverySession, on adapter: Adapter) async throws {
        try await session.turns.withLock {
            while let step = session.nextStep {
                switch step {
                case .start:
                    noteOthers(before: session, on: adapter)
                    do {
                        try await start(session, on: adapter)
                        session.didStart()
                    } catch {
                        session.didFail(BlueZError(any: error, during: .startDiscovery))
                        discoveries.ends.set(())
                    }
                case .stop:
                    try? await callAdapter(adapter, "StopDiscovery")
                    session.didStop()
                    discoveries.ends.set(())
                }
            }
        }
    }

    /// Notes whether discovery is on before our session is started, for another program.
    private func noteOthers(before session: DiscoverySession, on adapter: Adapter) {
        guard let now = snapshot.adapters.first(where: { $0.path == adapter.path }),
            let isOn = session.willStart(isDiscovering: now.isDiscovering)
        else { return }
        noteOtherDiscovery(isOn, on: adapter.path)
    }

    /// Starts our session, and stops a leftover one first.
    ///
    /// InProgress means that this connection already has a session or a pending request (bluez src/adapter.c,
    /// start_discovery).
    private func start(_ session: DiscoverySession, on adapter: Adapter) async throws {
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(1))
        for attempt in 1...Self.startAttempts {
            do throws(DBusError) {
                try await setFilter(of: session, on: adapter)
                return try await callAdapter(adapter, "StartDiscovery")
            } catch {
                guard attempt < Self.startAttempts, error.name == "org.bluez.Error.InProgress" else { throw error }
            }
            try? await callAdapter(adapter, "StopDiscovery")
            try await backoff.wait()
        }
    }

    /// Sets the filter of the next session; the first time, bluetoothd has to accept it.
    ///
    /// Later it accepts the same filter again, so its answer would only wake this process.
    private func setFilter(of session: DiscoverySession, on adapter: Adapter) async throws(DBusError) {
        let filter = DiscoveryFilter.arguments(for: adapter.release).value
        guard !session.hasFilter(on: adapter) else {
            return connection.sendWithNext(Self.adapterCall(adapter, "SetDiscoveryFilter", [filter]))
        }
        _ = try await callAdapter(adapter, "SetDiscoveryFilter", [filter])
        session.didSetFilter(on: adapter)
    }

    /// Waits until the session is ended from outside, then throws.
    private func watch(_ session: DiscoverySession, on adapter: Adapter) async throws {
        for await snapshot in snapshots() {
            guard let now = snapshot.adapters.first(where: { $0.path == adapter.path }),
                session.observe(isDiscovering: now.isDiscovering)
            else { continue }
            try await sleep(for: Self.reasonLimit)
            throw BlueZError(
                .discoveryEnded,
                "discovery on \(adapter.name) was stopped from outside; start it again"
            )
        }
    }

    /// Reports discovered devices until the connection is lost; resubscribes after each overflow.
    ///
    /// The rule names bluetoothd's own connection: for a well-known name the bus would be asked for its owner each time, and
    /// told to report another one. When bluetoothd is started again, discovery has ended with the adapter. The bus gets the
    /// rule before the calls that start discovery.
    ///
    /// While discovery is off, bluetoothd knows no signal strength of any device (src/adapter.c, discovery_cleanup), so that
    /// the next packet of each changes it. The known devices are read only if they were heard before this call (`isOn`), or
    /// when one of them is heard.
    private func reports(
        on adapter: Adapter,
        isOn: Bool,
        subscribed: @escaping @Sendable () -> Void,
        each report: @escaping @Sendable (DeviceReport) -> Void
    ) async throws {
        var isOn = isOn
        while true {
            let rule = MatchRule(sender: mirror.withLock(\.owner) ?? Names.service)
            do {
                return try await connection.withUnconfirmedSignals(rule) { signals in
                    var mirror = DeviceMirror(adapter: adapter.path)
                    subscribed()
                    if isOn { for known in mirror.replace(with: try await self.managedObjects()) { report(known) } }
                    for try await signal in signals {
                        guard let change = ObjectChange(signal) else { continue }
                        if mirror.needsObjects(for: change) { mirror.add(known: try await self.managedObjects()) }
                        if let changed = mirror.apply(change) { report(changed) }
                    }
                }
            } catch let error as DBusError {
                guard error.code == .overflow else { throw BlueZError(error, during: .startDiscovery) }
                isOn = true
            }
        }
    }

    private func callAdapter(
        _ adapter: Adapter,
        _ member: MemberName,
        _ arguments: [Value] = []
    ) async throws(DBusError) {
        _ = try await connection.call(Self.adapterCall(adapter, member, arguments))
    }

    private static func adapterCall(_ adapter: Adapter, _ member: MemberName, _ arguments: [Value]) -> MethodCall {
        MethodCall(
            destination: Names.service,
            path: adapter.path,
            interface: "org.bluez.Adapter1",
            member: member,
            arguments: arguments,
            startsService: false
        )
    }
}
