import DBus
import HandoffBus

/// The judgement of the way to another device: each leg presupposes that the ones before it are good.
///
/// The legs are: trusted here, heard (with its version, its clock and its signal), a link, a channel, a session, in which
/// each proves who it is, and the fetch.
enum PeerDiagnosis {
    /// Below it, half of the packets are lost with usual adapters.
    private static let weakSignal: Int16 = -85

    /// Returns why the way to a device ends before it has begun.
    static func untrusted(_ device: KnownDevice) -> Finding {
        let name = printable(device.name)
        return switch device {
        case .own: .fault("peer", "\(name) is this device.", cure: "name another one: handoffctl devices")
        case .unconfirmed:
            .fault(
                "peer",
                "The pairing with \(name) is confirmed here, and not known to be confirmed there.",
                cure: "bring both near each other; or, on both: handoffctl pair"
            )
        case .questionable:
            .fault(
                "peer",
                "\(name) is known, and not trusted any more.",
                cure: "handoffctl devices keep \(device.id), if you trust it"
            )
        case .trusted: .good("peer", "\(name) is trusted here.")
        }
    }

    /// Returns what was heard of a trusted device.
    ///
    /// - Parameters:
    ///   - device: what the daemon tells of it.
    ///   - entry: its activity; nil when none is heard.
    ///   - status: what the daemon tells of itself.
    ///   - rules: what the person allows.
    ///   - scanning: how much was scanned before the examination.
    static func legs(
        to device: DeviceDescription,
        _ entry: NearbyActivityDescription?,
        _ status: DaemonStatus,
        _ rules: RulesStatus,
        _ scanning: ScanningDescription
    ) -> [Finding] {
        // The beginning of `ClockSkewDetector.explanation(of:slots:)`: one name may be a part of another.
        let beginning = "the clock of \(device.name) is about "
        let clocks = status.advisories.filter { $0.name == "clock-differs" && $0.message.hasPrefix(beginning) }.map {
            Finding.fault("peer-clock", printable($0.message), cure: AdvisoryCure.text(for: $0.name))
        }
        guard let entry else { return clocks + [silence(of: device, rules, scanning)] }
        return clocks + [version(of: device, status, clockAgrees: clocks.isEmpty), signal(of: entry, device)]
    }

    /// The version of the protocol is in the service UUID of each advertisement: another one would not have been heard.
    private static func version(
        of device: DeviceDescription,
        _ status: DaemonStatus,
        clockAgrees: Bool
    ) -> Finding {
        let name = printable(device.name)
        guard device.protocolVersion == status.protocolVersion else {
            return .advice(
                "peer-version",
                "It is not known yet which version of the protocol \(name) speaks.",
                cure: "handoffctl doctor again; there: handoffctl --version"
            )
        }
        return .good(
            "peer-version",
            "\(name) speaks version \(device.protocolVersion) of the protocol, as this device does"
                + (clockAgrees ? ", and its clock agrees." : ".")
        )
    }

    private static func signal(of entry: NearbyActivityDescription, _ device: DeviceDescription) -> Finding {
        let name = printable(device.name)
        guard let rssi = entry.rssi else { return .good("peer-heard", "\(name) is heard.") }
        guard rssi >= weakSignal else {
            return .advice(
                "peer-heard",
                "\(name) is heard weakly, at \(rssi) dBm: connections may fail.",
                cure: "bring both nearer to each other, and USB 3 devices away from the adapters"
            )
        }
        return .good("peer-heard", "\(name) is heard at \(rssi) dBm.")
    }

    private static func silence(
        of device: DeviceDescription,
        _ rules: RulesStatus,
        _ scanning: ScanningDescription
    ) -> Finding {
        let name = printable(device.name)
        if let hidden = rules.withheld.first(where: { $0.activity == nil && $0.device == device.id }) {
            return .advice("peer-heard", "\(name) is heard, and not shown: \(hidden.message)", cure: "handoffctl rules")
        }
        guard scanning.canLook else {
            return .fault("peer-heard", "\(name) cannot be heard. \(scanning.message)", cure: "mend that first")
        }
        let when = device.lastSeen == 0 ? " It was never heard." : ""
        return .advice(
            "peer-heard",
            "\(name) was not heard for 3 s: no activity is current there, or it is out of reach.\(when) A device "
                + "without a current activity sends nothing and cannot be called, so that nothing more can be examined.",
            cure: "handoffctl publish --type org.example.test, on \(name); then handoffctl doctor there"
        )
    }

    /// Returns the leg on which a fetch has failed, by its error (Docs/dbus/errors.md).
    static func failure(_ error: DBusError, of name: String) -> Finding {
        let name = printable(name)
        func fault(_ leg: String, _ what: String, _ cure: String) -> Finding {
            .fault(leg, "\(name) is heard, and \(what): \(printable(error.message))", cure: cure)
        }
        switch HandoffErrorName(error.name) {
        case .peerUnreachable:
            return fault(
                "peer-link",
                "no link to it comes about",
                "bring both nearer to each other; wake it up; see whether handoffctl devices there still has this one"
            )
        case .noBluetoothService, .noAdapter, .bluetoothOff, .bluetoothBlocked, .radioUnavailable:
            return fault("peer-link", "the radio here fails", "handoffctl doctor, without --peer")
        case .peerRefused:
            return fault(
                "peer-channel",
                "it refuses what this device asks",
                "on \(name): handoffctl doctor, and systemctl --user restart handoffd"
            )
        case .timedOut:
            return fault(
                "peer-session",
                "it does not answer in time",
                "bring both nearer to each other and try again; on \(name): handoffctl doctor"
            )
        case .notTrusted:
            return fault("peer-session", "it does not trust this device", "handoffctl pair, here and on \(name)")
        case .peerMisbehaved:
            return fault("peer-session", "it breaks the protocol", "install the same version of handoffd on both")
        case .noLongerCurrent, .noSuchActivity:
            return .advice(
                "peer-fetch",
                "\(name) has another current activity by now: \(printable(error.message))",
                cure: "handoffctl doctor --peer again"
            )
        default:
            return fault("peer-fetch", "its activity cannot be used here", "handoffctl nearby; handoffctl continue")
        }
    }
}
