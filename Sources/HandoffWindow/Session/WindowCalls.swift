import DBus
import HandoffBus
import HandoffClient
import HandoffModel

/// The calls with which the window does what a person wants.
struct WindowCalls: Sendable {
    /// The path of the pairing agent on the window's connection.
    static let pairingAgent: ObjectPath = "/org/handoffd/Window/PairingAgent"

    let client: HandoffClient
    let questions: PairingQuestions
    let token: @Sendable () -> String?
    /// Reads the daemon's state again.
    let refresh: @Sendable () -> Void

    /// Does what must not wait for a task, nor for an answer: the window may be closing.
    func send(_ action: WindowAction) {
        switch action {
        case .answer(let id, let answer): questions.answer(id, answer)
        case .stopPairing: client.sendStopOfPairing()
        default: preconditionFailure("\(action) has to be awaited")
        }
    }

    /// Carries out an action; returns what the model has to know of its end, if anything.
    func perform(_ action: WindowAction) async -> DaemonEvent? {
        do {
            return try await call(action)
        } catch let error as DBusError {
            return error.code == .cancelled ? nil : Self.failure(of: action, CallFailure(error))
        } catch {
            return nil
        }
    }

    private static func failure(of action: WindowAction, _ failure: CallFailure) -> DaemonEvent {
        switch action {
        case .preview(let activity): .title(activity, nil)
        case .continueActivity(let activity, _): .continued(activity, .failure(failure))
        default: .failed(action, failure)
        }
    }

    private func call(_ action: WindowAction) async throws -> DaemonEvent? {
        switch action {
        case .connect: return try await connect()
        case .preview(let activity): return .title(activity, try await client.fetchActivity(activity).title)
        case .continueActivity(let activity, let opensPrograms):
            let options = ContinuationOptions(
                activationToken: token(),
                showsFailure: true,
                opensPrograms: opensPrograms
            )
            return .continued(activity, .success(try await client.continueActivity(activity, options)))
        case .cancelContinuation(let activity): try await client.cancel(activity)
        case .pair:
            try await client.pair(agent: Self.pairingAgent)
            return .pairingBegan
        case .askConsequences(let device):
            let path = HandoffName.device(device)
            return .consequences(device: device, try await client.consequencesOfRemoval(of: path))
        case .stopPairing, .answer: send(action)
        case .refresh: refresh()
        case .tell, .examine: break
        default:
            try await change(action)
            // Not all of what the daemon keeps is signalled at once.
            refresh()
        }
        return nil
    }

    private func connect() async throws -> DaemonEvent? {
        // This starts the daemon, if the bus can; that it runs is then reported by the bus.
        _ = try await client.status()
        // One that has not answered before has not changed since.
        refresh()
        return nil
    }

    private func change(_ action: WindowAction) async throws {
        switch action {
        case .forget(let device): try await client.forgetPairing(with: device)
        case .remove(let device, let others):
            try await client.remove(device: HandoffName.device(device))
            for other in others { try await client.keep(deviceID: other) }
        case .drop(let device): try await client.remove(deviceID: device)
        case .keep(let device): try await client.keep(deviceID: device)
        case .rename(let device, let name):
            try await client.rename(device: device.isEmpty ? HandoffName.root : HandoffName.device(device), to: name)
        case .pause(let end): try await client.pause(until: end)
        case .resume: try await client.resume()
        case .setReceiveOnly(let isReceiveOnly): try await client.setReceiveOnly(isReceiveOnly)
        case .setRule(let rule): try await client.setRule(rule)
        case .removeRule(let kind, let value): try await client.removeRule(kind: kind, value: value)
        default: break
        }
    }
}
