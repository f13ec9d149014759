import AsyncSupport
import Synchronization

/// Readers and writers of one value, whose value is always its version, and what each reader has seen.
final class CurrentValueScene: Sendable {
    private struct Reader {
        var seen = -1
        var isCancelled = false
        var hasEnded = false
    }

    private let value: CurrentValue<Int>
    private let schedule: Schedule
    /// The newest value, as far as the writers know.
    private let written = Mutex(0)
    private let readers = Mutex<[Int: Reader]>([:])

    init(_ value: CurrentValue<Int>, _ schedule: Schedule) {
        self.value = value
        self.schedule = schedule
    }

    /// Starts a reader, which waits for changes or reads a stream until it is cancelled or the value is finished.
    func startReader(_ name: Int) -> Task<Void, any Error> {
        readers.withLock { $0[name] = Reader() }
        let readsStream = schedule.chance(50)
        return schedule.start {
            await self.schedule.pause()
            if readsStream { await self.readStream(name) } else { await self.readChanges(name) }
            self.readers.withLock { $0[name]?.hasEnded = true }
        }
    }

    /// Starts a writer, which changes the value several times.
    func startWriter() {
        _ = schedule.start {
            for _ in 0..<self.schedule.number(in: 1...4) {
                await self.schedule.pause()
                self.write()
            }
        }
    }

    func cancel(_ reader: Int, of tasks: [Task<Void, any Error>]) {
        readers.withLock { $0[reader]?.isCancelled = true }
        tasks[reader].cancel()
    }

    /// Checks, when no task is ready to run, that every reader has seen the newest value and waits for the next one.
    func expectReadersSawNewest() {
        let newest = written.withLock(\.self)
        for (name, reader) in readers.withLock(\.self) {
            schedule.expect(reader.hasEnded == reader.isCancelled, "reader \(name) has ended: \(reader.hasEnded)")
            schedule.expect(
                reader.isCancelled || reader.seen == newest,
                "reader \(name) has seen \(reader.seen) of \(newest)"
            )
        }
    }

    private func write() {
        let next = written.withLock { written in
            written += 1
            return written
        }
        switch schedule.number(in: 0...3) {
        case 0: value.set(next)
        case 1: schedule.expect(value.update(next), "another value is no change")
        case 2: schedule.expect(value.set(next, if: { $0 == next - 1 }), "the value was not \(next - 1)")
        default: value.modify { $0 += 1 }
        }
        schedule.expect(!value.update(next), "the same value is a change")
        schedule.expect(value.current.version == UInt64(next), "the version is \(value.current.version), not \(next)")
    }

    private func readChanges(_ name: Int) async {
        var seen = value.initial
        note(seen.value, by: name)
        do {
            while true {
                seen = try await value.changed(since: seen)
                schedule.expect(seen.version == UInt64(seen.value), "version \(seen.version) is \(seen.value)")
                note(seen.value, by: name)
                await schedule.pause()
            }
        } catch {
            return
        }
    }

    private func readStream(_ name: Int) async {
        for await number in value.values({ "\($0)" }) {
            note(Int(number) ?? -1, by: name)
            await schedule.pause()
        }
    }

    /// A reader has got a value, in the step in which it was the newest.
    private func note(_ number: Int, by name: Int) {
        let newest = written.withLock(\.self)
        let (before, isInitial) = readers.withLock { readers in
            defer { readers[name]?.seen = number }
            return (readers[name]?.seen ?? -1, readers[name]?.seen == -1)
        }
        schedule.expect(number > before, "reader \(name) got \(number) after \(before)")
        schedule.expect(isInitial || number == newest, "reader \(name) got \(number) when \(newest) was the newest")
    }
}
