import AsyncSupport
import DBus

/// A program that the user's systemd has started as a service of its own.
struct TransientService: Hashable, Sendable {
    /// The name of its unit.
    let name: String
    /// The object of its unit.
    let path: ObjectPath
}

/// Has the user's systemd start programs, each as a transient service (org.freedesktop.systemd1(5)).
///
/// Such a program inherits nothing of the daemon: neither its control group and limits, nor the sandbox of its unit.
struct TransientServices: Sendable {
    let connection: Connection

    private static let systemd: BusName = "org.freedesktop.systemd1"
    private static let manager: InterfaceName = "org.freedesktop.systemd1.Manager"
    private static let service: InterfaceName = "org.freedesktop.systemd1.Service"
    private static let managerPath: ObjectPath = "/org/freedesktop/systemd1"
    /// The time limit for a program to be executed, once systemd has accepted it.
    private static let startLimit = Duration.seconds(10)

    /// Starts a program; returns when it is executed.
    ///
    /// - Parameters:
    ///   - program: the program.
    ///   - executable: the path of the file to execute.
    /// - Returns: its service; nil when there is no systemd on the bus.
    /// - Throws: `DBusError`, with `.remote` when systemd has not started it.
    func start(_ program: LaunchedProgram, _ executable: String) async throws -> TransientService? {
        guard try await connection.owner(of: Self.systemd) != nil else { return nil }
        let name = TransientUnitName(of: program.name)
        let removals = MatchRule(sender: Self.systemd, interface: Self.manager, member: "JobRemoved")
        return try await connection.withSignals(removals) { signals in
            let job = try await start(name.description, try program.properties(executing: executable))
            try await withTimeout(Self.startLimit, throwing: DBusError(.timedOut, "systemd did not start \(name)")) {
                // The arguments: the number and the object of the job, the unit, and the result.
                for try await signal in signals where try signal.arguments.decode(at: 1, as: ObjectPath.self) == job {
                    return
                }
            }
            let reply = try await call("GetUnit", [.string(name.description)])
            return TransientService(name: name.description, path: try reply.decode(at: 0, as: ObjectPath.self))
        }
    }

    /// Waits until the program of a service has ended; returns its exit status, or 128 plus the number of the signal.
    ///
    /// - Parameter stopping: once this is set, the service is stopped, and with it all that the program has started.
    /// - Throws: `DBusError` when the bus or systemd has gone.
    func waitForExit(of service: TransientService, unless stopping: Promise<Void>) async throws -> Int32 {
        try await race {
            try await waitForExit(of: service)
        } _: {
            try await stopping.value()
            // It may have ended in this moment.
            _ = try? await call("StopUnit", [.string(service.name), .string("replace")])
            try await untilCancelled()
        }
    }

    private func waitForExit(of service: TransientService) async throws -> Int32 {
        let changes = MatchRule(
            sender: Self.systemd,
            path: service.path,
            interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged"
        )
        let status = try await connection.withSignals(changes) { signals in
            if let status = try await exitStatus(of: service) { return status }
            for try await _ in signals {
                if let status = try await exitStatus(of: service) { return status }
            }
            throw CancellationError()
        }
        // The unit was kept for its exit status (AddRef).
        _ = try await call("UnrefUnit", [.string(service.name)])
        return status
    }

    private func start(_ name: String, _ properties: [TransientProperty]) async throws(DBusError) -> ObjectPath {
        do {
            return try await startUnit(name, properties + [("ExitType", .string("cgroup"))])
        } catch {
            // systemd before 250 has no ExitType: there, what the program leaves running survives its end.
            guard error.name == .propertyReadOnly else { throw error }
            return try await startUnit(name, properties + [("KillMode", .string("process"))])
        }
    }

    private func startUnit(_ name: String, _ properties: [TransientProperty]) async throws(DBusError) -> ObjectPath {
        let settings = properties.map { Value.structure([.string($0.name), .variant($0.value)]) }
        let auxiliary = ValueType.structure([.string, .array(.structure([.string, .variant]))])
        let arguments: [Value] = [
            .string(name), .string("fail"), .array(of: .structure([.string, .variant]), settings),
            .array(of: auxiliary, []),
        ]
        return try await call("StartTransientUnit", arguments).decode(at: 0, as: ObjectPath.self)
    }

    /// The exit status of the main process of a service; nil while it runs.
    private func exitStatus(of service: TransientService) async throws(DBusError) -> Int32? {
        let code = try await number("ExecMainCode", of: service)
        // waitid(2): CLD_EXITED is 1; the others are deaths by a signal.
        guard code != 0 else { return nil }
        let status = try await number("ExecMainStatus", of: service)
        return code == 1 ? status : 128 + status
    }

    private func number(_ name: MemberName, of service: TransientService) async throws(DBusError) -> Int32 {
        let value = try await connection.property(
            of: Self.systemd,
            at: service.path,
            interface: Self.service,
            name: name
        )
        guard case .int32(let number) = value else {
            throw DBusError(.unexpectedReply, "\(name) of \(service.name) is not a number")
        }
        return number
    }

    private func call(_ member: MemberName, _ arguments: [Value]) async throws(DBusError) -> [Value] {
        try await connection.call(
            MethodCall(
                destination: Self.systemd,
                path: Self.managerPath,
                interface: Self.manager,
                member: member,
                arguments: arguments,
                startsService: false
            )
        )
    }
}
