import ArgumentParser
import DBus

/// `handoff-bench`: what things cost, each beside something known that is measured in the same run.
///
/// Nothing is asserted: times depend on the machine. Docs/Measurements.md says how to read the figures.
@main
struct HandoffBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "handoff-bench",
        abstract: "Measure advertisements, payloads, sessions and the bus."
    )

    @Flag(help: "A smoke run: each thing only a few times, so that the figures say little.")
    var quick = false

    @Option(help: ArgumentHelp("Be the service that the bus is measured with.", valueName: "bus", visibility: .private))
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
