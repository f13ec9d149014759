import AsyncSupport
import Epoll
import HandoffCore
import SystemPackage

/// Wakes the engine only when one of its deadlines has passed or the wall clock was set.
struct AlarmService: Service {
    let engine: Engine
    let reactor: Reactor

    func run() async throws {
        let clock = AlarmClock(reactor: reactor)
        try await race {
            try await wake(by: clock)
        } _: {
            try await watchWallClock(by: clock)
        }
    }

    private func wake(by clock: AlarmClock) async throws {
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
                try await Self.sleeping { () throws(Errno) in try await clock.sleep(until: deadline) }
                return set
            }
        }
    }

    /// Ticks the engine when the wall clock is set: that changes the slot, and with it the keys of advertisements.
    private func watchWallClock(by clock: AlarmClock) async throws {
        while true {
            try await Self.sleeping { () throws(Errno) in try await clock.wallClockChange() }
            engine.tick()
        }
    }

    /// Sleeps, or waits for a second where the system has no descriptor for a clock; the caller then tries again.
    ///
    /// - Throws: only `CancellationError`.
    static func sleeping(_ sleep: () async throws(Errno) -> Void) async throws {
        do throws(Errno) {
            try await sleep()
        } catch {
            guard error != .canceled else { throw CancellationError() }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
