/// A part of a program that runs for as long as the program does.
package protocol Service: Sendable {
    /// Runs until cancelled. One that ends by itself ends the program, with its error if it throws.
    func run() async throws

    /// Does what comes before the end, while the service still runs; it is cancelled afterwards.
    func prepareToStop() async
}

extension Service {
    package func prepareToStop() async {}
}

/// Runs services beside each other until one of them ends, and then stops the others one after the other, the last first.
///
/// So each may use those before it until it has ended. When one fails, or the calling task is cancelled, all others are
/// cancelled at once. All have ended when this function returns or throws.
///
/// - Throws: the first error of a service that was not being stopped.
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
    try await race {
        try await service.run()
    } _: {
        try await stop.value()
        await service.prepareToStop()
    }
}
