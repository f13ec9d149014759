import AsyncSupport
import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffRadio
import Synchronization
import TestRuns

@testable import HandoffDaemon

/// A radio on which every dial waits for ever, except to one address, which refuses it, and to one, whose link breaks.
final class DialRecordingRadio: DialOnlyRadio {
    /// A channel whose link breaks with the first message.
    struct Channel: RadioChannel {
        let peer: RadioAddress
        let maximumMessageLength = 23

        func send(_ message: [UInt8]) async throws(RadioError) {
            throw RadioError(.channelClosed, "closed")
        }

        func receive() async throws(RadioError) -> [UInt8]? {
            throw RadioError(.channelClosed, "closed")
        }
    }

    /// The addresses that were dialled, in order.
    let dials = CurrentValue<[RadioAddress]>([])
    /// The addresses of the dials that have ended, in order.
    let ends = CurrentValue<[RadioAddress]>([])

    private let refusing: RadioAddress?
    private let breaking: RadioAddress?
    private let breaks: Int

    /// - Parameters:
    ///   - refusing: the address at which dials are refused.
    ///   - breaking: the address at which links break, even if dials are refused there.
    ///   - breaks: the number of first dials on which a link may break.
    init(refusing: RadioAddress? = nil, breaking: RadioAddress? = nil, breaks: Int = .max) {
        self.refusing = refusing
        self.breaking = breaking
        self.breaks = breaks
    }

    func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: LEPSM,
        timeout: Duration,
        _ body: (Channel) async throws -> Success
    ) async throws -> Success {
        dials.modify { $0.append(address) }
        defer { ends.modify { $0.append(address) } }
        if address == breaking, dials.value.count <= breaks {
            return try await body(Channel(peer: address))
        }
        if address == refusing { throw RadioError(.refused, "refused") }
        try await untilCancelled()
    }
}

extension CurrentValue where Value == [RadioAddress] {
    /// Waits until the addresses meet a condition; `what` names it where it is not met in time.
    func wait(for what: String, until condition: @escaping @Sendable (Value) -> Bool) async throws {
        try await awaiting(what) {
            var seen = current
            while !condition(seen.value) { seen = try await changed(since: seen) }
        }
    }
}

extension Peer {
    /// What a dial to this device needs to know, with one address.
    func target(at address: RadioAddress) -> SessionPeer {
        SessionPeer(
            id: device.id,
            name: "peer",
            publicKeys: keys.publicKeys,
            start: PeerEndpoint(address: address, port: .sample),
            latest: { nil },
            others: { [] }
        )
    }
}
