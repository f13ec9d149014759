import AsyncSupport
import DBus
import HandoffBus

/// Follows the way to a trusted device, and finds the leg on which it ends.
struct PeerExamination: Sendable {
    /// How long the device is listened for when nothing of it is known.
    private static let lookLimit = Duration.seconds(3)

    /// The daemon's bus, as on the command line.
    let bus: String
    /// The name or the id of the device, or the beginning of that.
    let peer: String

    /// Returns the findings about the way, up to the first that ends it.
    ///
    /// - Parameter facts: what was read of this computer; a daemon that does not run is not started.
    func findings(_ facts: DoctorFacts) async -> [Finding] {
        guard case .running(let answers) = facts.daemon else {
            return [
                .fault(
                    "peer",
                    "handoffd is not running, so that no way to \(printable(peer)) can be examined.",
                    cure: "mend that first; then handoffctl doctor again"
                )
            ]
        }
        do {
            return try await Connection.withConnection(to: BusAddress(argument: bus)) { connection in
                try await findings(HandoffClient(connection: connection), answers)
            }
        } catch let failure as CommandFailure {
            return [.fault("peer", failure.message, cure: "handoffctl devices; handoffctl pair, here and there")]
        } catch {
            let message = (error as? DBusError)?.message ?? "\(error)"
            return [
                .fault(
                    "peer",
                    "The daemon cannot be asked about \(printable(peer)): \(message)",
                    cure: "systemctl --user restart handoffd"
                )
            ]
        }
    }

    private func findings(_ client: HandoffClient, _ answers: DoctorFacts.Answers) async throws -> [Finding] {
        let known = try KnownDevice.named(peer, among: try await client.knownDevices())
        guard case .trusted(let device) = known else { return [PeerDiagnosis.untrusted(known)] }
        let trusted = Finding.good("peer", "\(printable(device.name)) is trusted here.")
        let (entry, scanning) = try await entry(of: device, client)
        // The version and the clock are known once it was heard.
        let present = try await client.objects().devices.first { $0.id == device.id } ?? device
        let status = try await client.status()
        let legs = PeerDiagnosis.legs(to: present, entry, status, answers.rules, scanning)
        guard let entry else { return [trusted] + legs }
        return [trusted] + legs + [await fetch(entry, from: present, client)]
    }

    /// Returns what the device advertises, after a look if it is not known, and how much was scanned before that.
    private func entry(
        of device: DeviceDescription,
        _ client: HandoffClient
    ) async throws -> (NearbyActivityDescription?, ScanningDescription) {
        let scanning = try await client.status().scanning
        let look = try await BriefLook(client: client, limit: Self.lookLimit).first { nearby in
            nearby.first { $0.device == device.path }
        }
        return (look.found, scanning)
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
            return .good(
                "peer-fetch",
                "An activity was fetched from \(printable(device.name)) in \(time): each trusts the other."
            )
        } catch {
            let error = error as? DBusError ?? DBusError(.remote, "\(error)")
            return PeerDiagnosis.failure(error, of: device.name)
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
