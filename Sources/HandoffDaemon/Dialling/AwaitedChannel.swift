import HandoffModel
import Synchronization

/// A channel for which somebody waits: until it is open its dial goes before others, and this device scans after a moment,
/// so that a device that has just changed its address is heard at the new one.
final class AwaitedChannel: Sendable {
    private enum State {
        case dialling, scanning, over
    }

    private let dial: DialPrecedence.AwaitedDial
    private let engine: Engine
    private let state = Mutex(State.dialling)

    init(to device: DeviceID, _ precedence: DialPrecedence, _ engine: Engine) {
        dial = precedence.begin(to: device)
        self.engine = engine
    }

    /// Begins to scan, as the channel is not open yet; most are by then.
    func scan() {
        state.withLock { state in
            guard case .dialling = state else { return }
            state = .scanning
            engine.nearby.beginDial()
        }
    }

    /// Records that the channel is open, or will not be; further calls have no effect.
    func end() {
        state.withLock { state in
            if case .scanning = state { engine.nearby.endDial() }
            state = .over
        }
        dial.end()
    }
}
