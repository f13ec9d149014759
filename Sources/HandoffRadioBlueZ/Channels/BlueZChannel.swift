import BlueZ
package import HandoffRadio
import Synchronization

/// A channel of ``BlueZRadio``: an L2CAP LE credit-based channel, or a GATT channel.
package struct BlueZChannel: RadioChannel {
    enum Carrier: Sendable {
        case socket(L2CAPChannel)
        case gatt(GATTChannel)
    }

    package let peer: RadioAddress

    let carrier: Carrier

    private let authentication = Authentication()
    private let onAuthentication: @Sendable () -> Void

    /// Whether the peer has proved who it is.
    var isAuthenticated: Bool { authentication.isRecorded.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - peer: the other device.
    ///   - carrier: what transfers the messages.
    ///   - onAuthentication: called when the peer has proved who it is.
    init(peer: RadioAddress, carrier: Carrier, onAuthentication: @escaping @Sendable () -> Void = {}) {
        self.peer = peer
        self.carrier = carrier
        self.onAuthentication = onAuthentication
    }

    private final class Authentication: Sendable {
        let isRecorded = Atomic(false)
    }

    package func recordAuthentication() {
        authentication.isRecorded.store(true, ordering: .relaxed)
        onAuthentication()
    }

    package var maximumMessageLength: Int {
        switch carrier {
        case .socket(let channel): channel.sendMTU
        case .gatt: GATTFrame.maximumDataLength
        }
    }

    package func send(_ message: [UInt8]) async throws(RadioError) {
        switch carrier {
        case .gatt(let channel): try await channel.send(message)
        case .socket(let channel):
            do throws(L2CAPError) {
                try await channel.send(message)
            } catch {
                throw RadioError(error, refusal: .channelClosed)
            }
        }
    }

    package func receive() async throws(RadioError) -> [UInt8]? {
        switch carrier {
        case .gatt(let channel): return try await channel.receive()
        case .socket(let channel):
            do throws(L2CAPError) {
                return try await channel.receiveAvailable()
            } catch {
                throw RadioError(error, refusal: .channelClosed)
            }
        }
    }

    /// Closes this end and wakes the tasks that wait on it.
    func close() {
        switch carrier {
        case .gatt(let channel): channel.close()
        case .socket(let channel): channel.close()
        }
    }
}
