import AsyncSupport
import HandoffModel
import Synchronization

/// Whether somebody waits for a dial.
enum DialUrgency: Sendable {
    /// An app or the user waits for it.
    case awaited
    /// It can be made later, or it is for an app, which may ask for any number of them.
    case deferrable
}

/// Lets dials for which somebody waits go before those to other devices that can be made later.
///
/// A radio makes two dials at a time, and one to a device that has gone takes as long as its time limit: about as long as
/// an app or the user waits. A dial to the same device helps, since both use its link.
struct DialPrecedence: Sendable {
    /// The devices that are being dialled while somebody waits, as often as they are.
    private let awaited = CurrentValue([DeviceID]())

    /// A dial for which somebody waits.
    final class AwaitedDial: Sendable {
        private let device: DeviceID
        private let awaited: CurrentValue<[DeviceID]>
        private let isGoingOn = Mutex(true)

        fileprivate init(to device: DeviceID, among awaited: CurrentValue<[DeviceID]>) {
            (self.device, self.awaited) = (device, awaited)
            awaited.modify { $0.append(device) }
        }

        /// Lets deferrable dials go on, as the channel is open or the dial has failed; further calls have no effect.
        func end() {
            let isFirstCall = isGoingOn.withLock { isGoingOn in
                defer { isGoingOn = false }
                return isGoingOn
            }
            guard isFirstCall else { return }
            awaited.modify { awaited in
                if let place = awaited.firstIndex(of: device) { awaited.remove(at: place) }
            }
        }
    }

    /// Begins a dial for which somebody waits; the caller ends it.
    func begin(to device: DeviceID) -> AwaitedDial {
        AwaitedDial(to: device, among: awaited)
    }

    /// Waits until no dial has to go before a deferrable one to that device.
    func waitForTurn(of device: DeviceID) async throws(CancellationError) {
        try await wait { !Self.isPreceded(device, by: $0) }
    }

    /// Waits until a dial has to go before a deferrable one to that device.
    func waitUntilPreceded(_ device: DeviceID) async throws(CancellationError) {
        try await wait { Self.isPreceded(device, by: $0) }
    }

    private static func isPreceded(_ device: DeviceID, by awaited: [DeviceID]) -> Bool {
        !awaited.isEmpty && !awaited.contains(device)
    }

    private func wait(until condition: ([DeviceID]) -> Bool) async throws(CancellationError) {
        var seen = awaited.current
        while !condition(seen.value) { seen = try await awaited.changed(since: seen) }
    }
}
