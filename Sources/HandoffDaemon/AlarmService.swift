import AsyncSupport
import Epoll
import HandoffCore
import SystemPackage

/// Wakes the engine only when one of its deadlines has passed or the wall clock was set.
struct AlarmService: Service {
    let engine: Engine
    let reactor: Reactor

    func run() async throws {
        let clock = WallClock(reactor: reactor)
        try await race {
            try await wake()
        } _: {
            try await watch(clock)
        }
    }

    private func wake() async throws {
        let engine = engine
        var alarm = engine.deadline.current
        while true {
            guard let deadline = alarm.value, deadline > Moment.now.uptime else {
                if alarm.value != nil { engine.tick() }
                alarm = try await engine.deadline.changed(since: alarm)
                continue
            }
            let set = alarm
            alarm = try await race {
                try await engine.deadline.changed(since: set)
            } _: {
                try await sleep(for: deadline - Moment.now.uptime)
                return set
            }
        }
    }

    /// Ticks the engine when the wall clock is set: that changes the slot, and with it the keys of advertisements.
    private func watch(_ clock: WallClock) async throws {
        while true {
            try await Self.waiting { () throws(Errno) in try await clock.change() }
            engine.tick()
        }
    }

    /// Waits for what `wait` waits for, or for a second where the system has no descriptor for a clock; the caller then tries again.
    ///
    /// - Throws: only `CancellationError`.
    static func waiting(_ wait: () async throws(Errno) -> Void) async throws {
        do throws(Errno) {
            try await wait()
        } catch {
            guard error != .canceled else { throw CancellationError() }
            try await sleep(for: .seconds(1))
        }
    }
}
