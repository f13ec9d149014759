import ArgumentParser
import DBus

/// `handoff-bench`: the cost of operations, each compared with a well-known operation measured in the same run.
///
/// Nothing is asserted, since times depend on the machine. Docs/Measurements.md explains the figures.
@main
struct HandoffBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handoff-bench",
        abstract: "Measure advertisements, payloads, sessions and the bus."
    )

    @Flag(help: "A smoke test: each operation is measured only a few times, so that the figures mean little.")
    var quick = false

    @Option(help: ArgumentHelp("Run the service of the bus benchmark.", valueName: "bus", visibility: .private))
    var serve: String?

    func run() async throws {
        if let serve { return try await EchoService.run(on: BusAddress(argument: serve)) }
        let effort: Effort = quick ? .quick : .full
        try print(AdvertisementBenchmark.table(effort).text)
        try print(PayloadBenchmark.table(effort).text)
        try print(SessionBenchmark.table(effort).text)
        print(try await BusBenchmark.table(effort).text)
    }
}
