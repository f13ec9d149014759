import DBus
import HandoffTestSupport

/// The cost of a call over a bus: each client with each service, one call after the other, in separate processes.
enum BusBenchmark {
    static func table(_ effort: Effort) async throws -> ResultTable {
        try await withPrivateBus { bus in
            let here = ["--serve", bus.address.description]
            return try await withService("/proc/self/exe", here, on: bus) {
                try await withService("/usr/bin/python3", ["-c", PythonPrograms.service], on: bus) {
                    try await table(effort, on: bus)
                }
            }
        }
    }

    private static func table(_ effort: Effort, on bus: PrivateBus) async throws -> ResultTable {
        var table = ResultTable("Bus: a call and its answer, 51 bytes each, on a private dbus-daemon")
        for (name, service) in [("Swift", EchoService.swift), ("Python", EchoService.python)] {
            var (python, one, many) = ([Double](), [Double](), [Double]())
            // The measurements alternate, so that a slow moment of the machine does not affect only one of them.
            for _ in 0..<effort.repetitions {
                python.append(try await pythonClient(calling: service, effort, on: bus))
                one.append(try await swiftClient(calling: service, effort, atOnce: 1, on: bus))
                many.append(try await swiftClient(calling: service, effort, atOnce: 16, on: bus))
            }
            let base = Measurement(python)
            table.append("python3-dbus calls \(name)", base, [rate(base)])
            for (count, found) in [("", Measurement(one)), (", 16 at once", Measurement(many))] {
                let ratio = ResultTable.ratio(found, to: base, "python3-dbus")
                table.append("Swift calls \(name)\(count)", found, [rate(found), ratio])
            }
        }
        return table
    }

    /// Runs `body` while a program runs that prints `ready` once it serves calls.
    private static func withService(
        _ program: String,
        _ arguments: [String],
        on bus: PrivateBus,
        _ body: () async throws -> ResultTable
    ) async throws -> ResultTable {
        try await withProgram(program, arguments, environment: bus.environment) { service in
            guard await service.stdout.firstLine() == "ready" else {
                throw MissingProgram(description: "\(program) does not serve: \(await service.stderr.text())")
            }
            return try await body()
        }
    }

    /// The nanoseconds per call, with `count` concurrent calls.
    private static func swiftClient(
        calling service: BusName,
        _ effort: Effort,
        atOnce count: Int,
        on bus: PrivateBus
    ) async throws -> Double {
        let call = MethodCall(
            destination: service,
            path: EchoService.path,
            interface: EchoService.interface,
            member: "Echo",
            arguments: [.string(EchoService.text)]
        )
        return try await Connection.withConnection(to: bus.address) { connection in
            // A warm-up.
            for _ in 0..<16 { _ = try await connection.call(call) }
            let start = ContinuousClock.now
            try await withThrowingDiscardingTaskGroup { group in
                for _ in 0..<count {
                    group.addTask {
                        for _ in 0..<(effort.calls / count) { _ = try await connection.call(call) }
                    }
                }
            }
            return start.duration(to: .now).nanoseconds / Double(effort.calls)
        }
    }

    /// The nanoseconds per call, with one call at a time.
    private static func pythonClient(calling service: BusName, _ effort: Effort, on bus: PrivateBus) async throws
        -> Double
    {
        let arguments = ["-c", PythonPrograms.client, service.description, EchoService.text, "\(effort.calls)"]
        let result = try await run("/usr/bin/python3", arguments, environment: bus.environment)
        guard result.status == 0, let line = result.stdout.split(separator: "\n").first, let time = Double(line) else {
            throw MissingProgram(description: "python3-dbus does not call: \(result.stderr)")
        }
        return time
    }

    private static func rate(_ measurement: Measurement) -> String {
        "\(ResultTable.digits(1e9 / measurement.median)) calls/s"
    }
}
