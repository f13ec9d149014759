package import HandoffRadio

extension SimulatedRadio {
    package func withScan<Success: Sendable>(
        for services: Set<ServiceUUID>,
        _ body: (AsyncStream<Sighting>) async throws -> Success
    ) async throws -> Success {
        try await whileAvailable { station in
            let ear = try Ear(of: station)
            defer { ear.close() }
            let (sightings, continuation) = AsyncStream.makeStream(
                of: Sighting.self,
                bufferingPolicy: .bufferingNewest(256)
            )
            defer { continuation.finish() }
            let listen: @Sendable () async -> Void = {
                await Self.hear(with: ear, services) { continuation.yield($0) }
            }
            return try await withServices([listen]) { try await body(sightings) }
        }
    }

    /// Tells every report of `services` when it is due, until the task is cancelled.
    private static func hear(
        with ear: Ear,
        _ services: Set<ServiceUUID>,
        _ tell: @escaping @Sendable (Sighting) -> Void
    ) async {
        await withDiscardingTaskGroup { arrivals in
            while let report = await ear.report() {
                guard services.contains(report.service) else { continue }
                // Reports of different senders overtake each other; all that are under way are bounded by the delay.
                arrivals.addTask {
                    guard (try? await report.due.wait()) != nil else { return }
                    tell(report.sighting)
                }
            }
            arrivals.cancelAll()
        }
    }
}

extension Report {
    fileprivate var sighting: Sighting {
        Sighting(address: address.radioAddress, service: service, data: data, rssi: rssi)
    }
}
