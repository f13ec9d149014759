import HandoffCore
import HandoffWire

/// A connection over the local network to which a stream can move.
struct NetworkRoute: Sendable {
    let proven: ProvenConnection
    let channel: NetworkStreamChannel

    var id: NetworkConnectionID { proven.id }
}
