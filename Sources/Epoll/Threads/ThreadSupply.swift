private import Glibc

/// How many threads the system allows this process.
///
/// Tasks wait for ever if no thread can be created for them (libdispatch repeats pthread_create(3) once a second), so a
/// program finds out before it has any.
package enum ThreadSupply {
    /// The most threads that Swift's concurrency uses by default besides the main one: one for each processor, one for
    /// the main queue and one for timers.
    package static var poolThreads: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) + 2 }

    /// Returns a sentence for the user, with what to do, if this process cannot have `count` threads besides this one;
    /// nil if it can.
    ///
    /// To be called while the process has no other thread.
    package static func shortage(of count: Int, for program: String) -> String? {
        let created = created(upTo: count)
        return created < count ? sentence(created, of: count, for: program, limits: limits()) : nil
    }

    /// Creates up to `count` threads that exist at the same time, ends them, and returns how many there were.
    static func created(upTo count: Int) -> Int {
        let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        pthread_mutex_init(gate, nil)
        defer {
            pthread_mutex_destroy(gate)
            gate.deallocate()
        }
        var threads: [pthread_t] = []
        pthread_mutex_lock(gate)
        while threads.count < count {
            var thread = pthread_t()
            guard pthread_create(&thread, nil, passGate, gate) == 0 else { break }
            threads.append(thread)
        }
        pthread_mutex_unlock(gate)
        for thread in threads { pthread_join(thread, nil) }
        return threads.count
    }

    static func sentence(_ created: Int, of count: Int, for program: String, limits: [String]) -> String {
        "\(program) needs \(count) threads and can have \(created): a limit of processes and threads is reached"
            + (limits.isEmpty ? "" : " (\(limits.joined(separator: ", ")))")
            + ". Raise it: TasksMax= of the systemd unit, the limit of the container, or ulimit -u."
    }

    /// The limits that are known, as words.
    private static func limits() -> [String] {
        var user = rlimit()
        let hasUserLimit =
            getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &user) == 0 && user.rlim_cur < 1 << 32
        return controlGroupLimits() + (hasUserLimit ? ["ulimit -u is \(user.rlim_cur)"] : [])
    }

    /// The limits of the control groups of this process (cgroups(7)), from its own upwards.
    private static func controlGroupLimits() -> [String] {
        let groups = (kernelFile(at: "/proc/self/cgroup") ?? "").split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard words.count == 3 else { return nil }
            if words[0] == "0" { return "/sys/fs/cgroup" + words[2] }
            return words[1] == "pids" ? "/sys/fs/cgroup/pids" + words[2] : nil
        }
        return groups.flatMap { group in
            sequence(first: group[...]) { path in
                path.lastIndex(of: "/").map { path[..<$0] }.flatMap { $0.hasPrefix("/sys/fs/cgroup") ? $0 : nil }
            }.compactMap { path in
                kernelFile(at: "\(path)/pids.max").flatMap { Int($0.prefix { $0.isNumber }) }.map {
                    "\(path)/pids.max is \($0)"
                }
            }
        }
    }

    private static let passGate: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { gate in
        guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
        pthread_mutex_lock(gate)
        pthread_mutex_unlock(gate)
        return nil
    }
}
