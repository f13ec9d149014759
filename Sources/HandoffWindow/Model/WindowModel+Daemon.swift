import DBus
import HandoffBus
import HandoffClient

/// What follows from what the daemon tells.
extension WindowModel {
    mutating func handle(_ event: DaemonEvent) -> [WindowAction] {
        switch event {
        case .absent(let reason): return lose(.absent(reason))
        case .busLost(let reason): return lose(.unreachable(reason))
        case .state(let state): take(state)
        case .step(let activity, let step):
            if continuing[activity] != nil { continuing[activity] = step }
        case .continued(let activity, let result): return end(activity, result)
        case .title(let activity, let title):
            guard titles[activity] != nil else { return [] }
            titles[activity] = title.map { $0.isEmpty ? .none : .known($0) } ?? Title.none
        case .pairingBegan: return pairing.handle(.begun, at: now)
        case .pairing(let call):
            let actions = pairing.handle(.call(call), at: now)
            if pairing.needsPerson { show(.pair) }
            return actions
        case .consequences(let device, let consequences):
            if state?.device(device) != nil { ask(.removal(device: device, consequences)) }
        case .failed(let action, let failure): return fail(action, failure)
        case .doctor(let output, let status): examination = Examination(output: output, status: status)
        }
        return []
    }

    private mutating func lose(_ daemon: Daemon) -> [WindowAction] {
        self.daemon = daemon
        (continuing, titles, order, question) = ([:], [:], [], nil)
        return pairing.handle(.daemonStopped, at: now)
    }

    private mutating func take(_ state: DaemonState) {
        daemon = .running(state)
        let present = Set(state.objects.nearby.map(\.path))
        titles = titles.filter { present.contains($0.key) }
        order = order.filter(present.contains)
        order += state.objects.nearby.map(\.path).filter { !order.contains($0) }
        // What the question is about may be gone.
        switch question {
        case .removal(let device, _): if state.device(device) == nil { question = nil }
        case .drop(let device): if !state.status.questions.contains(where: { $0.id == device }) { question = nil }
        case .name(let device): if !device.isEmpty, state.device(device) == nil { question = nil }
        case .program(let activity, _): if !present.contains(activity) { question = nil }
        case .rule, nil: break
        }
    }

    private mutating func end(_ path: ObjectPath, _ result: Result<ContinuationResult, CallFailure>) -> [WindowAction] {
        guard continuing.removeValue(forKey: path) != nil else { return [] }
        switch result {
        case .success(let result):
            let name = state?.apps.first { $0.id == result.application }?.name ?? result.application
            return [.tell(name.isEmpty ? translated("Opened in the browser") : Self.opened(in: name))]
        case .failure(let failure) where failure.name == .userCancelled: return []
        case .failure(let failure) where failure.name == .documentIsProgram && question == nil:
            ask(.program(path, message: failure.message))
            return []
        case .failure(let failure): return [.tell(shown(failure.message))]
        }
    }

    private static func opened(in name: String) -> String {
        translated("Continued in {app}", ["app": quoted(name)])
    }

    private mutating func fail(_ action: WindowAction, _ failure: CallFailure) -> [WindowAction] {
        switch action {
        case .connect:
            if case .connecting = daemon { daemon = .absent(failure.message) }
            return []
        case .pair: return pairing.handle(.refused(failure.message), at: now)
        default: return [.tell(shown(failure.message))]
        }
    }
}

extension DaemonState {
    /// The trusted device with that id; nil if there is none.
    func device(_ id: String) -> DeviceDescription? {
        objects.devices.first { $0.id == id }
    }
}
