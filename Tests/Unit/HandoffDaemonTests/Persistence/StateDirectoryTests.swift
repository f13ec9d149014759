import Glibc
import HandoffCore
import HandoffDaemon
import Synchronization
import SystemPackage
import TestLimits
import Testing

@Suite("The state directory keeps secrets for one daemon", .endsWithin(minutes: 10))
struct StateDirectoryTests {
    @Test(
        "The path is that of the option, else the user's directory for state, also in a unit with a directory of its own",
        arguments: [
            (option: String?("/a"), environment: ["STATE_DIRECTORY": "/b", "HOME": "/h"], path: "/a"),
            (nil, ["STATE_DIRECTORY": "/h/.config/handoff", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/handoff"),
            (nil, ["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/handoff"),
            (nil, ["HOME": "/h"], "/h/.local/state/handoff"),
        ]
    )
    func location(_ option: String?, _ environment: [String: String], _ path: String) throws {
        #expect(try StateDirectory.path(option: option, environment: environment) == FilePath(path))
    }

    @Test("Without any path, or with an empty one, the error names the option that sets it", arguments: [nil, ""])
    func noLocation(_ option: String?) {
        #expect {
            try StateDirectory.path(option: option, environment: ["HOME": "relative"])
        } throws: { error in
            let error = error as? HandoffError
            return error?.code == .stateUnreadable && error?.message.contains("--state-dir") == true
        }
    }

    @Test("The directory is created with all that is above it, for its owner alone")
    func making() async throws {
        try await withTemporaryDirectory { parent in
            let path = parent.appending("one").appending("two")
            try await StateDirectory.withDirectory(at: path) { directory in
                try await directory.write([1], to: "file")
                #expect(try path.appending("file").mode == 0o600)
                #expect(try path.appending("lock").mode == 0o600)
            }
            #expect(try path.mode == 0o700)
            #expect(try path.removingLastComponent().mode == 0o700)
        }
    }

    @Test("A directory that others could read becomes its owner's alone", arguments: [0o755, 0o750, 0o711, 0o700])
    func readable(_ mode: UInt32) async throws {
        try await withTemporaryDirectory { parent in
            let path = parent.appending("state")
            #expect(mkdir(path.string, 0o700) == 0 && chmod(path.string, mode) == 0)
            try await StateDirectory.withDirectory(at: path) { directory in
                #expect(directory.wasReadableForOthers == (mode != 0o700))
            }
            #expect(try path.mode == 0o700)
        }
    }

    @Test("A directory into which others may write is refused, unchanged, with what to do", arguments: [0o777, 0o770])
    func writable(_ mode: UInt32) async throws {
        try await withTemporaryDirectory { parent in
            let path = parent.appending("state")
            #expect(mkdir(path.string, 0o700) == 0 && chmod(path.string, mode) == 0)
            let error = await #expect(throws: HandoffError.self) {
                try await StateDirectory.withDirectory(at: path) { _ in }
            }
            #expect(error?.message.contains("chmod -R go=") == true)
            let left = try path.mode
            #expect(left == Int(mode))
            #expect(access(path.appending("lock").string, F_OK) != 0)
        }
    }

    @Test("A directory of another user is refused, also when it could be read: the sentence says how to take it over")
    func foreign() throws {
        let problem = try #require(StateDirectory.problem(of: "/s", mode: 0o700, owner: 1001, user: 1000))
        #expect(problem.message.contains("belongs to another user"))
        #expect(problem.message.contains("chown"))
        #expect(StateDirectory.problem(of: "/s", mode: 0o755, owner: 1000, user: 1000) == nil)
    }

    @Test(
        "What cannot be written has the cure of its cause",
        arguments: [
            (EROFS, "remount,rw"), (ENOSPC, "full"), (EDQUOT, "full"), (EACCES, "owns"), (EIO, "dmesg"),
            (EISDIR, "away"),
        ]
    )
    func remedies(_ error: Int32, _ cure: String) {
        #expect(StateDirectory.remedy(for: error).contains(cure))
    }

    @Test("A file that was left by a crash does not make a file readable for others")
    func leftOver() async throws {
        try await withTemporaryDirectory { path in
            try path.appending(".file.new").write("left")
            try await StateDirectory.withDirectory(at: path) { directory in
                try await directory.write([1], to: "file")
            }
            #expect(try path.appending("file").mode == 0o600)
            #expect(try path.appending("file").contents == [1])
        }
    }

    @Test("What a crash has left of a file that was being written is removed at the next start")
    func leftDrafts() async throws {
        try await withTemporaryDirectory { path in
            for name in [".pairings.new", ".devices.new", "kept.new", ".kept"] { try path.appending(name).write("key") }
            let names = try await StateDirectory.withDirectory(at: path) { _ in try path.names }
            #expect(names == ["kept.new", ".kept", "lock"])
        }
    }

    @Test("A second daemon is refused while the first one runs, and not after it")
    func oneDaemon() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { _ in
                _ = await #expect {
                    try await Self.use(path)
                } throws: { error in
                    "\(error)".contains("Another handoffd uses") && "\(error)".contains("--state-dir")
                }
            }
            try await Self.use(path)
        }
    }

    @Test("A file is replaced as a whole, and nothing else is left")
    func replacing() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                #expect(try directory.read("file") == nil)
                for contents in [[UInt8](repeating: 1, count: 100_000), [2], []] {
                    try await directory.write(contents, to: "file")
                    #expect(try directory.read("file") == contents)
                }
                #expect(try path.names == ["file", "lock"])
            }
        }
    }

    @Test("A write that fails leaves the file as it was, and the error names the file")
    func failedWrite() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                try await directory.write([1, 2, 3], to: "file")
                try path.appending(".file.new").makeSocket()
                await #expect { try await directory.write([4], to: "file") } throws: { error in
                    let error = error as? HandoffError
                    return error?.code == .stateUnwritable && error?.message.contains("file") == true
                }
                #expect(try directory.read("file") == [1, 2, 3])
            }
        }
    }

    @Test("A link or an empty directory in place of a draft does not prevent a write, and what the link leads to stays")
    func strangeDraft() async throws {
        try await withTemporaryDirectory { path in
            let (draft, other) = (path.appending(".file.new"), path.appending("other"))
            try await StateDirectory.withDirectory(at: path) { directory in
                try other.write("other")
                try #require(symlink(other.string, draft.string) == 0)
                try await directory.write([1], to: "file")
                try draft.makeDirectory()
                try await directory.write([2], to: "file")
                #expect(try directory.read("file") == [2])
                #expect(try other.contents == Array("other".utf8))
                #expect(try path.names == ["file", "lock", "other"])
            }
        }
    }

    @Test("A directory with files in place of a draft is moved aside with what is in it, and that is reported")
    func directoryAsDraft() async throws {
        try await withTemporaryDirectory { path in
            let reports = Mutex<[String]>([])
            let report: @Sendable (String) -> Void = { text in reports.withLock { $0.append(text) } }
            try await StateDirectory.withDirectory(at: path, report: report) { directory in
                let draft = path.appending(".file.new")
                for (number, place) in [".file.new.aside", ".file.new.aside-1"].enumerated() {
                    try draft.makeDirectory()
                    try draft.appending("photo").write("photo \(number)")
                    try await directory.write([1], to: "file")
                    #expect(try directory.read("file") == [1])
                    #expect(try path.appending(place).appending("photo").contents == Array("photo \(number)".utf8))
                    #expect(reports.withLock { $0.last }?.contains("to \(path.appending(place))") == true)
                }
                try await directory.write([2], to: "file")
                #expect(reports.withLock { $0.count } == 2)
            }
        }
    }

    @Test(
        "When the directory was deleted under a daemon, it writes nothing into its successor, and no other daemon starts"
    )
    func deleted() async throws {
        try await withTemporaryDirectory { parent in
            let path = parent.appending("state")
            try await StateDirectory.withDirectory(at: path, runtimeDirectory: parent) { directory in
                try await directory.write([1], to: "file")
                try #require(rename(path.string, parent.appending("gone").string) == 0)
                await #expect {
                    try await StateDirectory.withDirectory(at: path, runtimeDirectory: parent) { _ in }
                } throws: { error in
                    "\(error)".contains("Another handoffd uses \(path)")
                }
                // One that finds no lock outside, as in another session.
                try await StateDirectory.withDirectory(at: path) { other in
                    await #expect { try await directory.write([2], to: "file") } throws: { error in
                        let error = error as? HandoffError
                        return error?.code == .stateUnwritable && error?.message.contains("was replaced") == true
                    }
                    try await other.write([3], to: "file")
                    #expect(try other.read("file") == [3])
                }
            }
            try await StateDirectory.withDirectory(at: path, runtimeDirectory: parent) { _ in }
        }
    }

    @Test(
        "A directory that is not used any more can be used, also while a process that was forked meanwhile has its lock open"
    )
    func forked() async throws {
        try await withTemporaryDirectory { parent in
            let path = parent.appending("state")
            var duplicates: [FileDescriptor] = []
            try await StateDirectory.withDirectory(at: path, runtimeDirectory: parent) { _ in
                // Each shares the lock with the original, as the copy of a forked process does.
                duplicates = try Self.descriptors(below: parent).map { try $0.duplicate() }
            }
            defer { for duplicate in duplicates { try? duplicate.close() } }
            #expect(duplicates.count == 2)
            try await StateDirectory.withDirectory(at: path, runtimeDirectory: parent) { _ in }
        }
    }

    /// The open descriptors of this process for files in a directory.
    private static func descriptors(below directory: FilePath) -> [FileDescriptor] {
        (0..<CInt(4096)).filter { number in
            var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let length = readlink("/proc/self/fd/\(number)", &target, Int(PATH_MAX))
            return length > 0 && FilePath(platformString: target).starts(with: directory)
        }
        .map { FileDescriptor(rawValue: $0) }
    }

    @Test("A link that leads nowhere is not taken for a missing file")
    func danglingLink() async throws {
        try await withTemporaryDirectory { path in
            try #require(symlink("/nowhere/identity", path.appending("identity").string) == 0)
            try await StateDirectory.withDirectory(at: path) { directory in
                _ = #expect { try directory.read("identity") } throws: {
                    ($0 as? HandoffError)?.code == .stateUnreadable
                }
            }
        }
    }

    @Test(
        "A path at which nothing can be created is an error that names it",
        arguments: ["/proc/handoffd", "/dev/null/x"]
    )
    func unusablePlace(_ path: String) async {
        await #expect {
            try await Self.use(FilePath(path))
        } throws: { error in
            (error as? HandoffError)?.code == .stateUnwritable && "\(error)".contains(path)
        }
    }

    @Test("A directory in place of a file, and a file that is far too large, are refused")
    func unreadableFiles() async throws {
        try await withTemporaryDirectory { path in
            try path.appending("directory").makeDirectory()
            try path.appending("large").write([UInt8](repeating: 32, count: 16 * 1024 * 1024 + 1))
            try await StateDirectory.withDirectory(at: path) { directory in
                #expect { try directory.read("directory") } throws: { ($0 as? HandoffError)?.code == .stateUnreadable }
                #expect { try directory.read("large") } throws: { ($0 as? HandoffError)?.code == .stateDamaged }
            }
        }
    }

    private static func use(_ path: FilePath) async throws {
        try await StateDirectory.withDirectory(at: path) { _ in }
    }
}
