import BlueZ
package import Bluetooth
import DBus
package import HandoffRadio
import Synchronization

extension BlueZRadio {
    package func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success {
        guard (1...Advertisement.maximumDataLength).contains(advertisement.data.count) else {
            throw RadioError(
                .invalidAdvertisement,
                "an advertisement has 1 to \(Advertisement.maximumDataLength) bytes, got \(advertisement.data.count)"
            )
        }
        return try await whileAdvertising {
            let session = try session()
            let renewals = renewal.withLock { $0.begin() }
            return try await mappingToRadioError(refusal: .advertisingRefused) {
                try await session.bluez.withAdvertisement(
                    LEAdvertisement(advertisement),
                    on: session.adapter,
                    renewals: renewals
                ) {
                    renewal.withLock { $0.registered() }
                    return try await body()
                }
            }
        }
    }

    /// Registers the advertisement again when a link ends that is older than it.
    ///
    /// The kernel may accept an advertisement while it has a link to a central, and neither begin it then nor when the
    /// link has ended (Docs/BlueZ.md).
    func renewAdvertisement(afterChangeOf device: ObjectPath, isUp: Bool) {
        renewal.withLock { $0.apply(device, isUp: isUp) }
    }

    package func withScan<Success: Sendable>(
        for services: Set<BluetoothUUID>,
        _ body: (AsyncStream<AdvertisementReport>) async throws -> Success
    ) async throws -> Success {
        let session = try session()
        return try await mappingToRadioError(refusal: .scanningRefused) {
            try await session.bluez.withDiscovery(
                on: session.adapter,
                transform: { report in AdvertisementReport.all(in: report, of: services) },
                body
            )
        }
    }
}

extension LEAdvertisement {
    /// Converts an advertisement, with its interval in milliseconds, the unit of bluetoothd.
    fileprivate init(_ advertisement: Advertisement) {
        let interval: ClosedRange<UInt32> =
            switch advertisement.pace {
            case .fast: 152...153
            case .relaxed: 417...418
            }
        self.init(service: advertisement.service, data: advertisement.data, interval: interval)
    }
}

extension AdvertisementReport {
    /// Returns the advertisements of those services in a report.
    fileprivate static func all(in report: DeviceReport, of services: Set<BluetoothUUID>) -> [AdvertisementReport] {
        services.compactMap { service in
            report.serviceData[service].map { data in
                AdvertisementReport(
                    address: RadioAddress(report.address),
                    service: service,
                    data: data,
                    rssi: report.rssi
                )
            }
        }
    }
}
