package import HandoffRadio
import L2CAP

/// A channel of ``BlueZRadio``: an L2CAP LE credit-based channel, or a GATT channel.
package struct BlueZChannel: RadioChannel {
    enum Carrier: Sendable {
        case socket(L2CAPChannel)
        case gatt(GATTChannel)
    }

    package let peer: RadioAddress

    let carrier: Carrier

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
                return try await channel.receive()
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
