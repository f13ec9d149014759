package import HandoffRadio
import L2CAP

/// A channel of ``BlueZRadio``: one L2CAP credit-based channel.
package struct BlueZChannel: RadioChannel {
    package let peer: RadioAddress

    let channel: L2CAPChannel

    package var maximumMessageLength: Int { channel.sendMTU }

    package func send(_ message: [UInt8]) async throws(RadioError) {
        do throws(L2CAPError) {
            try await channel.send(message)
        } catch {
            throw RadioError(error, refusal: .channelClosed)
        }
    }

    package func receive() async throws(RadioError) -> [UInt8]? {
        do throws(L2CAPError) {
            return try await channel.receive()
        } catch {
            throw RadioError(error, refusal: .channelClosed)
        }
    }
}
