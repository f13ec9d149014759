import DBus
import HandoffBus

/// Follows the way to a trusted device, and finds the leg on which it ends.
struct PeerExamination: Sendable {
    /// The daemon's bus, as on the command line.
    let bus: String
    /// The name or the id of the device.
    let peer: String

    func findings() async -> [Finding] {
        do {
            return try await Connection.withConnection(to: BusAddress(argument: bus)) { connection in
                try await findings(HandoffClient(connection: connection))
            }
        } catch {
            return [.fault("peer", "The daemon cannot be asked about \(peer): \(error)", cure: nil)]
        }
    }

    private func findings(_ client: HandoffClient) async throws -> [Finding] {
        let objects = try await client.objects()
        let matches = objects.devices.filter { $0.id == peer || $0.name == peer }
        guard let device = matches.first, matches.count == 1 else {
            let known = objects.devices.map { "\($0.name) (\($0.id))" }.joined(separator: ", ")
            let what = matches.isEmpty ? "No trusted device has" : "Several trusted devices have"
            return [
                .fault(
                    "peer",
                    "\(what) the name or id \(peer). Trusted: \(known.isEmpty ? "none" : known).",
                    cure: matches.isEmpty ? "handoffctl pair, here and on the other device" : "use the id"
                )
            ]
        }
        let trusted = Finding.good("peer", "\(device.name) is trusted here.")
        guard let entry = objects.nearby.first(where: { $0.device == device.path }) else {
            return [
                trusted,
                .advice(
                    "peer-heard",
                    "\(device.name) advertises no activity at present, or is out of reach"
                        + (device.lastSeen == 0 ? "; it was never heard." : "."),
                    cure: "handoffctl publish --type org.example.test, on \(device.name); then handoffctl doctor there"
                ),
            ]
        }
        return [trusted, await fetch(entry, from: device, client)]
    }

    /// Fetches a preview, which neither ends nor changes anything on the other device.
    private func fetch(
        _ entry: NearbyActivityDescription,
        from device: DeviceDescription,
        _ client: HandoffClient
    ) async -> Finding {
        let start = ContinuousClock.now
        do {
            _ = try await client.fetchActivity(entry.path)
            let time = start.duration(to: .now).formatted
            return .good("peer-fetch", "An activity was fetched from \(device.name) in \(time): each trusts the other.")
        } catch {
            let message = (error as? DBusError)?.message ?? "\(error)"
            return .fault("peer-fetch", "\(device.name) is heard, but nothing can be fetched: \(message)", cure: nil)
        }
    }
}

extension Duration {
    /// The duration in seconds, with one decimal.
    fileprivate var formatted: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
