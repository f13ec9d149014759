import HandoffCore
import HandoffCrypto
import HandoffWire

/// Connections over a local network between the two devices of two streams, with somebody who controls the network.
///
/// That one sends any bytes, and what it has seen, changed or not, to any end of any connection: an end accepts exactly
/// what its other end has sent for it. One of the devices may also lie, with the secret: choose its random number, and
/// send contents where there are none.
struct ConnectionTarget: FuzzTarget {
    private let secrets: [NetworkSecret]

    private(set) var reached = [Milestone: Int](of: [
        .accepted, .provenByOpener, .provenByAcceptor, .openingOfPeer, .answerOfPeer, .confirmationOfPeer,
    ])

    init() {
        secrets = [3, 4].map { session in
            NetworkSecret(
                caller: [UInt8](repeating: 1, count: 32),
                listener: [UInt8](repeating: 2, count: 32),
                handshakeHash: [UInt8](repeating: session, count: 32),
                cipher: session == 3 ? .aesGCM : .chaChaPoly
            )
        }
    }

    mutating func take(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        var network = HarnessNetwork(secrets)
        while !input.isEmpty { network.perform(input.byte(), input.chunk()) }
        reached.add(network.reached)
    }
}
