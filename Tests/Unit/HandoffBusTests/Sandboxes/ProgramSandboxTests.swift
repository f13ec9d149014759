import DBus
import Foundation
import SystemPackage
import Testing
import TestLimits

@testable import HandoffBus

@Suite("How a program in a sandbox is recognized, by its label and its root", .endsWithin(minutes: 10))
struct ProgramSandboxTests {
    /// The kernel's files about this process, as a test describes them: a root directory and its label.
    private final class Process {
        let directory = FileManager.default.temporaryDirectory.appending(path: "sandbox-\(UUID())")
        let id = UInt32(getpid())

        init(root: [String] = [], labels: [String: String] = [:]) throws {
            try write("root/etc/hostname", "laptop\n")
            for file in root { try write("root/\(file)", "") }
            for (name, label) in labels { try write("attr/\(name)", label) }
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        /// What is found of a client that the bus describes so.
        func sandbox(labelOfBus: String? = nil) throws(Errno) -> ProgramSandbox? {
            try ProgramSandbox(
                of: ConnectionCredentials(processID: id, securityLabel: labelOfBus),
                processes: directory.path()
            )
        }

        private func write(_ path: String, _ text: String) throws {
            let file = directory.appending(path: "\(id)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    /// Labels as the kernel writes them: the profile, which is snapd's security tag of an app, a hook or an instance
    /// (snapd snap/naming), and its mode.
    static let confined = [
        "snap.editor.editor (enforce)", "snap.editor.hook.configure (enforce)", "snap.editor_work.editor (enforce)",
        "snap.editor+component.hook.install (enforce)", "snap.editor.editor (kill)", "snap.editor.editor//null-/bin/sh",
        "snap.editor.editor",
    ]
    static let unconfined = [
        "unconfined", "snap.code.code (complain)", "snap.code.code (unconfined)", "snap-update-ns.code (enforce)",
        "/usr/lib/snapd/snap-confine (enforce)", "/usr/bin/snap.editor (enforce)", "firefox (enforce)",
        "unconfined_u:unconfined_r:unconfined_t:s0", "",
    ]

    @Test("The label of a confined snap is recognized, whether the bus or only the kernel has it", arguments: confined)
    func snaps(_ label: String) throws {
        #expect(try Process().sandbox(labelOfBus: label) == .snap(label: label))
        for name in ["apparmor/current", "current"] {
            #expect(try Process(labels: [name: label + "\n"]).sandbox() == .snap(label: label))
        }
    }

    @Test(
        "Labels of classic snaps, of developer mode and of all other programs are those of no sandbox",
        arguments: unconfined
    )
    func others(_ label: String) throws {
        #expect(try Process().sandbox(labelOfBus: label) == nil)
        for name in ["apparmor/current", "current"] {
            #expect(try Process(labels: [name: label + "\n"]).sandbox() == nil)
        }
    }

    @Test("AppArmor's own file precedes that of whichever module comes first, and the bus's label precedes both")
    func precedence() throws {
        let confined = "snap.editor.editor (enforce)"
        let labels = ["apparmor/current": confined, "current": "unconfined_u:unconfined_r:unconfined_t:s0"]
        #expect(try Process(labels: labels).sandbox() == .snap(label: confined))
        #expect(try Process(labels: labels).sandbox(labelOfBus: "unconfined") == nil)
    }

    @Test("A process whose root Flatpak has marked is in its sandbox, also with an unconfined label")
    func flatpak() throws {
        #expect(try Process(root: [".flatpak-info"]).sandbox() == .flatpak)
        #expect(try Process(root: [".flatpak-info"], labels: ["current": "unconfined"]).sandbox() == .flatpak)
        #expect(try Process(root: ["flatpak-info"]).sandbox() == nil)
    }

    @Test("Nothing is decided about a process that has ended, that nobody knows, or whose root cannot be read")
    func unknown() throws {
        let process = try Process()
        #expect(throws: Errno.noSuchProcess) {
            try ProgramSandbox(of: ConnectionCredentials(processID: nil), processes: process.directory.path())
        }
        #expect(throws: Errno.noSuchProcess) {
            try ProgramSandbox(of: ConnectionCredentials(processID: 0), processes: process.directory.path())
        }
        try FileManager.default.removeItem(at: process.directory.appending(path: "\(process.id)/root"))
        #expect(throws: Errno.noSuchFileOrDirectory) { try process.sandbox() }
    }

    @Test("This process, as the kernel describes it, is in no sandbox")
    func own() throws {
        #expect(try ProgramSandbox(of: ConnectionCredentials(processID: UInt32(getpid()))) == nil)
    }
}
