import AsyncSupport
import Bluetooth
package import Epoll
package import HandoffRadio
import Synchronization
private import SystemPackage

/// A simulated radio that connects all processes that use the same directory.
///
/// `Docs/Simulation.md` describes the settings of the air and what it does not model. It is never more favourable than
/// Bluetooth.
package final class SimulatedRadio: Radio {
    package typealias Channel = SimulatedChannel

    /// The name by which the rules of the air know this station.
    package let name: String

    /// The directory that the stations of one air share.
    package let directory: String

    let state = Mutex(State())
    /// Two dials at once, as on Linux: an address that is gone must not delay the one that is there.
    let dialling = CountingSemaphore(2)
    private let inotify: Inotify
    private let availability = CurrentValue(Availability.idle)

    /// Creates a station on the air of `directory`, which is created if it does not exist.
    ///
    /// The `name` is 1…32 letters, digits, `-` and `_`; nil for a random one. ``run()`` refuses other names.
    package init(directory: String, name: String? = nil, watchedThrough inotify: Inotify = .shared) {
        self.directory = directory
        self.inotify = inotify
        self.name = name ?? "station-" + StationID.random().text
    }

    package func run() async throws {
        let isFirst = state.withLock { state in
            defer { state.hasRun = true }
            return !state.hasRun
        }
        guard isFirst else { throw RadioError(.unusable, "A simulated radio runs only once; create another one.") }
        defer {
            availability.set(.ended)
            availability.finish()
        }
        guard StationName.isValid(name) else {
            throw RadioError(.unusable, "\(name) is not a valid station name: use 1 to 32 letters, digits, - and _.")
        }
        let directory = try AirDirectory(path: self.directory)
        do {
            try await Reactor.withReactor { reactor in
                let station = try Station(name: name, directory: directory, air: Air(), reactor: reactor)
                await follow(station)
            }
        } catch let error as Errno {
            let cure = "the limits on open files and threads may be too low (ulimit -n, ulimit -u)"
            throw RadioError(.unusable, "\(error): the simulated radio cannot run; \(cure).")
        }
    }

    /// Applies the rules of the air as they change, until the task is cancelled.
    ///
    /// The directory is watched and not the file, because most editors replace a file by another of the same name. The
    /// stations' files are in a directory of their own, so their changes wake no station.
    private func follow(_ station: Station) async {
        let interval = Duration.seconds(1)
        while true {
            let watch = DirectoryWatch([FilePath(directory)], for: .completeFiles, through: inotify)
            let obstacle = watch.obstacle.map { obstacle in
                let seconds = interval.components.seconds
                return RadioAdvisory(
                    name: "air-watch",
                    message:
                        "\(obstacle); until then the simulated radio reads the rules of the air every \(seconds) s."
                )
            }
            repeat {
                refresh(station, obstacle)
                guard (try? await watch.changed(orAfter: interval)) != nil else { return }
                // With an obstacle, create the watch again: the next one may succeed.
            } while obstacle == nil
        }
    }

    package func states() -> AsyncStream<RadioState> {
        availability.values(\.state)
    }

    /// Runs `body` for as long as the radio stays available.
    ///
    /// - Throws: ``RadioError`` with the reason why the radio cannot be used; otherwise what `body` throws.
    func whileAvailable<Success: Sendable>(_ body: (Station) async throws -> Success) async throws -> Success {
        let changes = availability.values()
        guard case .on(let session, let station, _) = availability.value else {
            throw availability.value.obstacle ?? RadioError(.unusable, "The simulated radio is not on.")
        }
        let availability = availability
        let watch: @Sendable () async throws -> Void = {
            for await change in changes {
                if let obstacle = change.obstacle(since: session) { throw obstacle }
            }
            // The stream has ended with the radio, or with this task.
            if !Task.isCancelled, let obstacle = availability.value.obstacle(since: session) { throw obstacle }
        }
        do {
            return try await withBackgroundTasks([watch]) { try await body(station) }
        } catch {
            // If the radio became unavailable, throw that reason instead of its consequence.
            guard !Task.isCancelled, let obstacle = availability.value.obstacle(since: session) else { throw error }
            throw obstacle
        }
    }

    /// Reads the rules of the air again.
    ///
    /// - Parameter watching: the advisory if the kernel does not report their changes; nil if it does.
    private func refresh(_ station: Station, _ watching: RadioAdvisory?) {
        var advisories = watching.map { [$0] } ?? []
        if let error = station.readAir() {
            let message = "The file \(directory)/\(AirDirectory.airFile) is ignored until it is corrected: \(error)"
            advisories.append(RadioAdvisory(name: "air-file", message: message))
        }
        let isOff = station.air.value.off.contains(name)
        let session = state.withLock { state in
            if isOff { state.session += 1 }
            return state.session
        }
        let next = isOff ? Availability.off : .on(session: session, station, advisories)
        availability.set(next)
    }
}

extension SimulatedRadio {
    /// The state of a radio that its calls share.
    struct State {
        var hasRun = false
        /// The number of times that the radio was switched off.
        var session = 0
        var isAdvertising = false
        var listeners: [LEPSM: Listener] = [:]
    }
}
