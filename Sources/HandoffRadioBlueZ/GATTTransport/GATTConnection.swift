import AsyncSupport
import Bluetooth
import BlueZ
import HandoffRadio

/// The GATT service for channels on a connected device: writes frames and reads their answers.
struct GATTConnection: Sendable {
    /// How often a frame is written before the exchange fails: another caller on this computer may interfere, and
    /// bluetoothd performs one operation on a characteristic at a time.
    private static let attempts = 40

    private static let pause = Duration.milliseconds(50)

    let peer: GATTPeer
    let frameCharacteristic: GATTPeer.Characteristic
    let notifyCharacteristic: GATTPeer.Characteristic

    /// Keeps frame and answer together: the server answers the last frame of a device, whichever program wrote it.
    private let turns: KeyedAsyncMutex<BluetoothAddress>
    private let address: BluetoothAddress

    /// Finds the GATT service and checks its version.
    ///
    /// - Throws: ``RadioError`` with `refused` when the device has no such service, or another version of it.
    init(_ peer: GATTPeer, at address: BluetoothAddress, turns: KeyedAsyncMutex<BluetoothAddress>) async throws {
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
                    "the other device uses version \(information.first ?? 0) of channels over GATT: update the older device"
                )
            }
        } catch let error as BlueZError where error.code == .attributeAbsent {
            throw RadioError(.refused, "the other device offers no channels over GATT: set its 'transport' to 'both'")
        }
    }

    /// Writes a frame and returns the answer; frames are numbered, so the same frame may be written twice.
    ///
    /// - Throws: ``RadioError`` with `channelClosed` when no answer can be read; ``BlueZError``; `CancellationError`.
    func exchange(_ frame: GATTFrame) async throws -> GATTFrame {
        try await turns.withLock(for: address) {
            for _ in 1...Self.attempts {
                if let answer = try await attempt(frame) { return answer }
                try await sleep(for: Self.pause)
            }
            throw RadioError(.channelClosed, "the GATT service of the other device does not answer; try again")
        }
    }

    private func attempt(_ frame: GATTFrame) async throws -> GATTFrame? {
        do {
            try await peer.write(frame.bytes, to: frameCharacteristic)
            let answer = GATTFrame(try await peer.read(frameCharacteristic))
            return answer?.isAnswer(to: frame) == true ? answer : nil
        } catch let error as BlueZError where error.code == .busy {
            return nil
        }
    }
}
