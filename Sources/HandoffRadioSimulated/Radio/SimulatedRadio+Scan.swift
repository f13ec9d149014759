import AsyncSupport
package import Bluetooth
package import HandoffRadio

extension SimulatedRadio {
    package func withScan<Success: Sendable>(
        for services: Set<BluetoothUUID>,
        _ body: (AsyncStream<AdvertisementReport>) async throws -> Success
    ) async throws -> Success {
        try await whileAvailable { station in
            let scanSocket = try ScanSocket(of: station)
            defer { scanSocket.close() }
            let (reports, continuation) = AsyncStream.makeStream(
                of: AdvertisementReport.self,
                bufferingPolicy: .bufferingNewest(256)
            )
            defer { continuation.finish() }
            let listen: @Sendable () async -> Void = {
                await Self.receiveReports(from: scanSocket, services) { continuation.yield($0) }
            }
            return try await withBackgroundTasks([listen]) { try await body(reports) }
        }
    }

    /// Delivers every report of `services` when it is due, until the task is cancelled.
    private static func receiveReports(
        from scanSocket: ScanSocket,
        _ services: Set<BluetoothUUID>,
        _ send: @escaping @Sendable (AdvertisementReport) -> Void
    ) async {
        let inTransit = ReportsInTransit()
        await withDiscardingTaskGroup { arrivals in
            while let report = await scanSocket.report() {
                guard services.contains(report.service), inTransit.begin() else { continue }
                // Reports of different senders overtake each other.
                arrivals.addTask {
                    defer { inTransit.end() }
                    guard (try? await report.due.wait()) != nil else { return }
                    send(report.advertisementReport)
                }
            }
            arrivals.cancelAll()
        }
    }
}

extension AdvertisementPacket {
    fileprivate var advertisementReport: AdvertisementReport {
        AdvertisementReport(address: RadioAddress(address), service: service, data: data, rssi: rssi)
    }
}
