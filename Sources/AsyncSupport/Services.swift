/// A part of a program that runs for as long as the program does.
package protocol Service: Sendable {
    /// Whether its end is that of the program; else an end by itself is an error.
    static var endsProgram: Bool { get }

    /// Runs until cancelled. One that fails ends the program.
    func run() async throws

    /// Does what comes before the end, while the service still runs; it is cancelled afterwards.
    func prepareToStop() async
}

extension Service {
    package static var endsProgram: Bool { false }

    package func prepareToStop() async {}
}

/// A service has ended by itself that should run for as long as the program.
package struct UnexpectedEnd: Error, CustomStringConvertible {
    package let service: String

    package var description: String { "\(service) has ended by itself." }
}

/// Runs services beside each other until one ends the program, and then stops the others one after the other, the last
/// first.
///
/// So each may use those before it until it has ended. When one fails, or the calling task is cancelled, all others are
/// cancelled at once. All have ended when this function returns or throws.
///
/// - Throws: the first error of a service that had not been prepared to stop; ``UnexpectedEnd``.
package func runServices(_ services: [any Service]) async throws {
    let stops = services.map { _ in Promise<Void>() }
    try await withThrowingTaskGroup(of: Int.self) { group in
        for (number, service) in services.enumerated() {
            group.addTask {
                try await run(service, until: stops[number])
                return number
            }
        }
        var running = Set(services.indices)
        var last: Int?
        while let ended = try await group.next() {
            running.remove(ended)
            guard last.map({ !running.contains($0) }) ?? true, let next = running.max() else { continue }
            last = next
            stops[next].fulfil(())
        }
    }
}

private func run(_ service: any Service, until stop: Promise<Void>) async throws {
    let type = type(of: service)
    try await race {
        try await service.run()
        if !type.endsProgram, stop.valueIfSet == nil { throw UnexpectedEnd(service: "\(type)") }
    } _: {
        try await stop.value()
        await service.prepareToStop()
    }
}
