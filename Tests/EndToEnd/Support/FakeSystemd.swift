import DBus
import Foundation
import HandoffTestSupport
import Synchronization
import TestRuns

/// The part of a user's systemd that starts transient services.
final class FakeSystemd: Sendable {
    /// What it was asked to start.
    struct Unit: Sendable {
        let name: String
        let properties: [String: Value]
        fileprivate let path: ObjectPath
    }

    private struct Running: Sendable {
        let unit: Unit
        let process: ChildProcess
    }

    private struct State: Sendable {
        var paths: [String: ObjectPath] = [:]
        /// The exit statuses, by unit.
        var statuses: [String: Int32] = [:]
    }

    private static let manager: InterfaceName = "org.freedesktop.systemd1.Manager"
    private static let service: InterfaceName = "org.freedesktop.systemd1.Service"
    private static let managerPath: ObjectPath = "/org/freedesktop/systemd1"

    private let directory: URL
    private let refuses: Bool
    private let state = Mutex(State())
    private let running = AsyncStream<Running>.makeStream()
    private let units = AsyncStream<Unit>.makeStream()
    private let unreferenced = ReceivedCalls()

    /// - Parameters:
    ///   - directory: a directory for the standard inputs of services.
    ///   - refuses: whether it refuses to start anything.
    init(in directory: URL, refuses: Bool = false) {
        self.directory = directory
        self.refuses = refuses
    }

    /// The next unit that it was asked to start.
    func next() async throws -> Unit {
        for await unit in units.stream { return unit }
        throw CancellationError()
    }

    /// The name of the next unit that is not needed any more.
    func nextUnreferenced() async -> String { await unreferenced.next() }

    /// Runs `body` while it is on the bus.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await bus.withService("org.freedesktop.systemd1", at: Self.managerPath, [interface]) { connection in
            try await withServices([
                {
                    await withDiscardingTaskGroup { group in
                        for await running in self.running.stream {
                            group.addTask { await self.follow(running, over: connection) }
                        }
                    }
                }
            ]) { try await body() }
        }
    }

    private var interface: Interface {
        let settings = ValueType.array(.structure([.string, .variant]))
        let auxiliary = ValueType.array(.structure([.string, settings]))
        let start = Method(
            name: "StartTransientUnit",
            inputs: [
                Argument(name: "name", type: .string), Argument(name: "mode", type: .string),
                Argument(name: "properties", type: settings), Argument(name: "aux", type: auxiliary),
            ],
            outputs: [Argument(name: "job", type: .objectPath)]
        ) { [self] call in
            let unit = try unit(call.arguments)
            units.continuation.yield(unit)
            guard !refuses else {
                throw DBusError.failure("org.freedesktop.DBus.Error.InvalidArgs", "The unit is refused.")
            }
            running.continuation.yield(Running(unit: unit, process: try process(of: unit)))
            return .reply([.objectPath(Self.job(of: unit))])
        }
        let name = Argument(name: "name", type: .string)
        let find = Method(name: "GetUnit", inputs: [name], outputs: [Argument(name: "unit", type: .objectPath)]) {
            [self] call in
            let name = try call.arguments.decode(at: 0, as: String.self)
            return .reply([.objectPath(state.withLock { $0.paths[name] } ?? .root)])
        }
        let release = Method(name: "UnrefUnit", inputs: [name]) { [self] call in
            unreferenced.append(try call.arguments.decode(at: 0, as: String.self))
            return .reply([])
        }
        return Interface(name: Self.manager, methods: [start, find, release])
    }

    private func unit(_ arguments: [Value]) throws -> Unit {
        let name = try arguments.decode(at: 0, as: String.self)
        var properties: [String: Value] = [:]
        for setting in arguments[2].array ?? [] {
            guard case .structure(let parts) = setting, let key = parts.first?.string else { continue }
            properties[key] = parts[1].unwrapped
        }
        let path = state.withLock { state in
            let path = Self.managerPath.appending("unit").appending("u\(state.paths.count)")
            state.paths[name] = path
            return path
        }
        return Unit(name: name, properties: properties, path: path)
    }

    /// Starts the program of a unit with the environment of the unit and no other.
    private func process(of unit: Unit) throws -> ChildProcess {
        guard case .structure(let line)? = unit.properties["ExecStartEx"]?.array?.first else {
            throw DBusError.failure("org.freedesktop.DBus.Error.InvalidArgs", "no command")
        }
        let file = directory.appending(path: "input-\(unit.path.lastElement)")
        var input = Data()
        if case .unixFD(let descriptor)? = unit.properties["StandardInputFileDescriptor"] {
            input = try FileHandle(fileDescriptor: descriptor.duplicate(), closeOnDealloc: true).readToEnd() ?? Data()
        }
        if let path = unit.properties["StandardInputFile"]?.string {
            // The program opens it after its name may have been removed, as its start is not awaited here.
            try FileManager.default.linkItem(atPath: path, toPath: file.path())
        } else {
            try input.write(to: file)
        }
        let variables = unit.properties["Environment"]?.array?.compactMap(\.string) ?? []
        let words = line[1].array?.compactMap(\.string) ?? []
        let script = ["/bin/sh", "-c", "exec \"$@\" < '\(file.path())'", "sh"]
        return try ChildProcess("/usr/bin/env", ["-i"] + variables + script + words)
    }

    private func follow(_ running: Running, over connection: Connection) async {
        let unit = running.unit
        let number = { [self] (body: @escaping @Sendable (Int32) -> Int32) in
            { @Sendable () -> Value in .int32(self.state.withLock { $0.statuses[unit.name].map(body) ?? 0 }) }
        }
        let properties = [
            // waitid(2): CLD_EXITED is 1.
            Property(name: "ExecMainCode", type: .int32, get: number { _ in 1 }),
            Property(name: "ExecMainStatus", type: .int32, get: number { $0 }),
        ]
        connection.objects.insert([Interface(name: Self.service, properties: properties)], at: unit.path)
        let arguments: [Value] = [
            .uint32(1), .objectPath(Self.job(of: unit)), .string(unit.name), .string("done"),
        ]
        let manager = (path: Self.managerPath, interface: Self.manager)
        connection.emit(
            Signal(path: manager.path, interface: manager.interface, member: "JobRemoved", arguments: arguments)
        )
        let status = await running.process.exitStatus()
        state.withLock { $0.statuses[unit.name] = status }
        connection.objects.propertiesChanged(
            at: unit.path,
            interface: Self.service,
            [:],
            invalidated: ["ExecMainCode", "ExecMainStatus"]
        )
    }

    private static func job(of unit: Unit) -> ObjectPath {
        managerPath.appending("job").appending(unit.path.lastElement)
    }
}
