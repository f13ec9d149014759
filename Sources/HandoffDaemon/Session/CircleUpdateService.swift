import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging
import ServiceLifecycle

/// Sends circle updates, one device after the other, to devices that were heard and may not have the present circle.
///
/// The user requested the change that an update contains; if there is no update, no device is dialled.
struct CircleUpdateService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let logger: Logger

    /// The time limit for one update as a whole.
    private static var limit: Duration { .seconds(20) }

    func run() async throws {
        try await ignoringCancellation {
            try await cancelWhenGracefulShutdown { try await call() }
        }
    }

    private func call() async throws {
        var heard = engine.deviceUpdates.initial
        while true {
            while let (device, endpoint) = engine.nextCircleUpdate() { try await exchange(with: device, at: endpoint) }
            heard = try await engine.deviceUpdates.changed(since: heard)
        }
    }

    private func exchange(with device: TrustedDevices.Device, at endpoint: PeerEndpoint) async throws {
        do {
            try await withTimeout(Self.limit, throwing: HandoffError(.timedOut, "The peer took too long.")) {
                let engine = engine
                try await PeerDialer(engine: engine, radio: radio).withChannel(at: endpoint) {
                    engine.read { $0.endpoints[device.id] }
                } _: { channel in
                    try await runSession(with: device, over: channel)
                }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The device is dialled again in the next slot, or gets the update from the first other member that it
            // meets.
            logger.info(
                "cannot deliver a circle update yet: \(error)",
                metadata: ["event": "circle.unsent", "device": "\(device.id)"]
            )
        }
    }

    private func runSession(with device: TrustedDevices.Device, over channel: some RadioChannel) async throws {
        var session = CircleSession(keys: engine.identity.keys, peer: device.publicKey)
        var said: CircleMessage?
        try await channel.sendAll(try session.start())
        while let bytes = try await channel.receive() {
            guard let response = try session.receive(bytes) else { continue }
            switch response {
            case .refused(let refusal):
                throw HandoffError(.peerRefused, refusal.message)
            case .state(let theirs):
                try engine.merge(theirs, from: device.id)
                let ours = engine.circle
                said = ours
                try await channel.sendAll(try session.reply(ours == theirs ? nil : ours))
            case .acknowledged(let theirs):
                if let theirs { try engine.merge(theirs, from: device.id) }
                if let state = theirs ?? said { try engine.acknowledged(state, by: device.id) }
                return
            }
        }
        throw HandoffError(.notTrusted, "The device closed the channel without an answer. Does it trust this one?")
    }
}
