import Glibc
import HandoffCore
import HandoffDaemon
import SystemPackage
import TestLimits
import Testing

@Suite("The state of an earlier version is moved once, and never over another identity", .endsWithin(minutes: 10))
struct EarlierStateDirectoryTests {
    @Test(
        "The earlier directory is the one in which the user's settings are",
        arguments: [
            (environment: ["XDG_CONFIG_HOME": "/x", "HOME": "/h"], path: String?("/x/handoff")),
            (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/handoff"),
            (["HOME": "/h"], "/h/.config/handoff"),
            ([:], nil),
        ]
    )
    func location(_ environment: [String: String], _ path: String?) {
        #expect(EarlierStateDirectory.path(environment: environment) == path.map { FilePath($0) })
    }

    @Test("All files but the settings are moved, and the next start finds nothing to move")
    func moved() async throws {
        try await withDirectories { earlier, directory in
            for file in ["identity", "devices", "folders", "handoffd.json", ".devices.new"] {
                try earlier.appending(file).write(file)
            }
            #expect(try EarlierStateDirectory.adopt(from: earlier, to: directory) == .moved)
            #expect(try directory.read("identity") == Array("identity".utf8))
            #expect(try directory.read("devices") == Array("devices".utf8))
            #expect(try directory.read("folders") == Array("folders".utf8))
            #expect(access(earlier.appending("handoffd.json").string, F_OK) == 0)
            #expect(access(earlier.appending("lock").string, F_OK) != 0)
            #expect(access(earlier.appending(".devices.new").string, F_OK) != 0, "a draft may have keys in it")
            #expect(try EarlierStateDirectory.adopt(from: earlier, to: directory) == .absent)
        }
    }

    @Test("A move that a crash interrupted goes on at the next start")
    func interrupted() async throws {
        try await withDirectories { earlier, directory in
            try directory.path.appending("devices").write("devices")
            try earlier.appending("identity").write("identity")
            #expect(try EarlierStateDirectory.adopt(from: earlier, to: directory) == .moved)
            #expect(try directory.read("identity") == Array("identity".utf8))
            #expect(try directory.read("devices") == Array("devices".utf8))
        }
    }

    @Test("A device that has an identity keeps it, and the earlier one stays where it is")
    func left() async throws {
        try await withDirectories { earlier, directory in
            try earlier.appending("identity").write("earlier")
            try directory.path.appending("identity").write("own")
            #expect(try EarlierStateDirectory.adopt(from: earlier, to: directory) == .left)
            #expect(try directory.read("identity") == Array("own".utf8))
            #expect(access(earlier.appending("identity").string, F_OK) == 0)
        }
    }

    @Test("A daemon that still uses the earlier directory keeps it, and the error names the directory")
    func inUse() async throws {
        try await withDirectories { earlier, directory in
            try earlier.appending("identity").write("identity")
            try await StateDirectory.withDirectory(at: earlier) { _ -> Void in
                #expect {
                    try EarlierStateDirectory.adopt(from: earlier, to: directory)
                } throws: { error in
                    (error as? HandoffError)?.message.contains("\(earlier)") == true
                }
            }
            #expect(access(earlier.appending("identity").string, F_OK) == 0)
        }
    }

    @Test("A file that cannot be moved is named, and nothing is lost")
    func immovable() async throws {
        try await withDirectories { earlier, directory in
            try earlier.appending("identity").write("identity")
            // A directory is in the way of the file.
            #expect(mkdir(directory.path.appending("folders").string, 0o700) == 0)
            try earlier.appending("folders").write("folders")
            #expect {
                try EarlierStateDirectory.adopt(from: earlier, to: directory)
            } throws: { error in
                (error as? HandoffError)?.message.contains("folders") == true
            }
            #expect(access(earlier.appending("identity").string, F_OK) == 0)
            #expect(access(earlier.appending("folders").string, F_OK) == 0)
        }
    }

    private func withDirectories(_ body: (FilePath, StateDirectory) async throws -> Void) async throws {
        try await withTemporaryDirectory { parent in
            let earlier = parent.appending("config")
            #expect(mkdir(earlier.string, 0o700) == 0)
            try await StateDirectory.withDirectory(at: parent.appending("state")) { try await body(earlier, $0) }
        }
    }
}
