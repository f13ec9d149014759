import AsyncSupport
import BlueZ
import HandoffRadio

/// The mailbox of a connected device: letters are written into it, and their answers read.
struct GATTConnection: Sendable {
    /// How often a letter is written before the channel is given up: another caller on this computer may get in between,
    /// and bluetoothd does one operation on a characteristic at a time.
    private static let attempts = 40

    private static let pause = Duration.milliseconds(50)

    let peer: GATTPeer
    let frameCharacteristic: GATTPeer.Characteristic
    let notifyCharacteristic: GATTPeer.Characteristic

    /// Letter and answer belong together: the mailbox answers the last letter of a device, whoever wrote it.
    private let turns: KeyedAsyncMutex<DeviceAddress>
    private let address: DeviceAddress

    /// Finds the mailbox, and checks that it is one of ours.
    ///
    /// - Throws: ``RadioError`` with `refused` when there is none, or one of another version.
    init(_ peer: GATTPeer, at address: DeviceAddress, turns: KeyedAsyncMutex<DeviceAddress>) async throws {
        self.peer = peer
        self.address = address
        self.turns = turns
        do {
            let names = [
                GATTTransportUUIDs.information, GATTTransportUUIDs.frameCharacteristic,
                GATTTransportUUIDs.notifyCharacteristic,
            ]
            let found = try await peer.characteristics(names, of: GATTTransportUUIDs.service)
            (frameCharacteristic, notifyCharacteristic) = (found[1], found[2])
            let information = try await peer.read(found[0])
            guard information.first == GATTTransportUUIDs.version else {
                throw RadioError(
                    .refused,
                    "the other device has a mailbox of another version (\(information.first ?? 0)): update the older one"
                )
            }
        } catch let error as BlueZError where error.code == .attributeAbsent {
            throw RadioError(.refused, "the other device offers no channels over GATT: set its 'transport' to 'both'")
        }
    }

    /// Writes a letter and reads the answer; the same letter may be written twice, for it has a number.
    ///
    /// - Throws: ``RadioError`` with `channelClosed` when no answer can be had; ``BlueZError``; `CancellationError`.
    func exchange(_ frame: GATTFrame) async throws -> GATTFrame {
        try await turns.withLock(for: address) {
            for _ in 1...Self.attempts {
                if let answer = try await attempt(frame) { return answer }
                try await Task.sleep(for: Self.pause)
            }
            throw RadioError(.channelClosed, "the mailbox of the other device does not answer; try again")
        }
    }

    private func attempt(_ frame: GATTFrame) async throws -> GATTFrame? {
        do {
            try await peer.write(frame.bytes, to: frameCharacteristic)
            let answer = GATTFrame(try await peer.read(frameCharacteristic))
            return answer?.channel == frame.channel && answer?.number == frame.number ? answer : nil
        } catch let error as BlueZError where error.code == .busy {
            return nil
        }
    }
}
