private import Glibc

/// The simulated medium: which stations reach each other, with which signal, loss, delay and bandwidth.
///
/// `Docs/Simulation.md` describes each setting and its notation in the file `air`.
package struct Air: Hashable, Sendable {
    /// The properties of the link between two stations.
    struct Link: Hashable, Sendable {
        /// The signal strength at the receiver in dBm.
        var rssi: Int8
        /// The probability, 0…1, that one packet does not arrive.
        var loss: Double
        /// The transmission delay of a packet.
        var delay: Duration
    }

    /// A position on a plane, in metres.
    package struct Position: Hashable, Sendable {
        package var x: Double
        package var y: Double

        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// Two stations, in either order.
    package struct Pair: Hashable, Sendable {
        let names: Set<String>

        package init(_ one: String, _ other: String) {
            names = [one, other]
        }
    }

    /// The probability, 0…1, that one packet does not arrive: a report is lost, a message is sent again.
    package var loss = 0.0

    /// The transmission delay of every packet, at most 1 s.
    package var delay = Duration.milliseconds(10)

    /// The bandwidth of each direction of each channel in bytes per second, at least 1000.
    ///
    /// 1 Mbit/s is the raw rate of the LE 1M PHY (Bluetooth Core, Vol 6, Part A, 1), more than a real link gives.
    package var bandwidth = 125_000

    /// The most bytes in one message, 23…65535.
    ///
    /// 672 is the MTU of a Linux LE channel (net/bluetooth/l2cap_core.c, `L2CAP_DEFAULT_MTU`).
    package var maximumMessageLength = 672

    /// How long a channel survives without contact.
    ///
    /// 420 ms is the supervision time-out of a Linux LE connection (net/bluetooth/hci_core.c, `le_supv_timeout`).
    package var supervisionTimeout = Duration.milliseconds(420)

    /// The weakest signal, in dBm, that is received.
    package var floor: Int8 = -94

    /// The seed of every station's random numbers; nil for different ones in each run.
    package var seed: UInt64?

    /// The stations that are switched off, by name.
    package var off: Set<String> = []

    /// Groups of stations out of each other's reach; a station in no group reaches every station.
    package var apart: [Set<String>] = []

    /// Fixed signal strengths in dBm; others are computed from the positions.
    package var signals: [Pair: Int8] = [:]

    /// The positions of stations; a station without one is a metre from every other.
    package var positions: [String: Position] = [:]

    /// Makes the default air: no loss, and all stations are near each other.
    package init() {}

    /// Returns the link between two stations, or nil when they do not reach each other.
    func link(from one: String, to other: String) -> Link? {
        guard !off.contains(one), !off.contains(other), !isApart(one, other) else { return nil }
        let rssi = signals[Pair(one, other)] ?? signal(between: one, and: other)
        guard rssi >= floor else { return nil }
        return Link(rssi: rssi, loss: loss, delay: delay)
    }

    private func isApart(_ one: String, _ other: String) -> Bool {
        guard let here = apart.firstIndex(where: { $0.contains(one) }),
            let there = apart.firstIndex(where: { $0.contains(other) })
        else { return false }
        return here != there
    }

    /// Returns the signal in dBm by free-space path loss, from -59 dBm at one metre: 20 dB for a tenfold distance.
    private func signal(between one: String, and other: String) -> Int8 {
        guard let here = positions[one], let there = positions[other] else { return -59 }
        let distance = max(0.1, hypot(here.x - there.x, here.y - there.y))
        return Int8(max(-127, -59 - 20 * log10(distance)))
    }
}
