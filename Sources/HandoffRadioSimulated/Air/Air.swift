private import Glibc

/// What lies between the stations: who hears whom, how well, how fast.
///
/// `Docs/Simulation.md` describes each figure and its notation in the file `air`.
package struct Air: Hashable, Sendable {
    /// How one station reaches another.
    struct Link: Hashable, Sendable {
        /// dBm, as the receiver measures it.
        var rssi: Int8
        /// The probability, 0…1, that one packet does not arrive.
        var loss: Double
        /// How long a packet is under way.
        var delay: Duration
    }

    /// A place on a plane, in metres.
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

    /// The probability, 0…1, that one packet does not arrive: a report is gone, a message is sent again.
    package var loss = 0.0

    /// How long everything is under way, at most 1 s.
    package var delay = Duration.milliseconds(10)

    /// Bytes a second on each direction of each channel, at least 1000.
    ///
    /// 1 Mbit/s is the raw rate of the LE 1M PHY (Bluetooth Core, Vol 6, Part A, 1), more than a real link gives.
    package var bandwidth = 125_000

    /// The most bytes in one message, 23…65535.
    ///
    /// 672 is the MTU of a Linux LE channel (net/bluetooth/l2cap_core.c, `L2CAP_DEFAULT_MTU`).
    package var maximumMessageLength = 672

    /// How long a channel survives silence.
    ///
    /// 420 ms is the supervision time-out of a Linux LE connection (net/bluetooth/hci_core.c, `le_supv_timeout`).
    package var supervisionTimeout = Duration.milliseconds(420)

    /// The weakest signal, in dBm, that is heard.
    package var floor: Int8 = -94

    /// What starts every station's random numbers; nil for other ones in each run.
    package var seed: UInt64?

    /// The stations that are switched off, by name.
    package var off: Set<String> = []

    /// Groups of stations out of each other's reach; who is in none hears everybody.
    package var apart: [Set<String>] = []

    /// Signal strengths that are laid down, in dBm; others follow from the positions.
    package var signals: [Pair: Int8] = [:]

    /// Where stations stand; one without a position is a metre from everybody.
    package var positions: [String: Position] = [:]

    /// Calm air: nothing is lost and everybody is near.
    package init() {}

    /// The way between two stations, or nil when nothing passes.
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

    /// Free-space loss from -59 dBm at one metre: 20 dB for every ten times the distance.
    private func signal(between one: String, and other: String) -> Int8 {
        guard let here = positions[one], let there = positions[other] else { return -59 }
        let distance = max(0.1, hypot(here.x - there.x, here.y - there.y))
        return Int8(max(-127, -59 - 20 * log10(distance)))
    }
}
