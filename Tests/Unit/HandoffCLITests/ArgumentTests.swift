import ArgumentParser
import HandoffBus
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("What the command line names is found, or it is told what was meant", .endsWithin(minutes: 10))
struct ArgumentTests {
    private static let devices: [KnownDevice] = [
        .own(id: "00aa000000000000", name: "laptop"),
        .unconfirmed(UnconfirmedDevice(id: "11aa000000000000", name: "Büro")),
        .unconfirmed(UnconfirmedDevice(id: "11bb000000000000", name: "phone")),
        .unconfirmed(UnconfirmedDevice(id: "22cc000000000000", name: "Phone")),
        .unconfirmed(UnconfirmedDevice(id: "33dd000000000000", name: "11")),
    ]

    @Test(
        "A device is found by its id, the beginning of that, or its name",
        arguments: [
            ("00aa000000000000", "laptop"), ("00AA", "laptop"), ("LAPTOP", "laptop"), ("büro", "Büro"),
            ("22cc000000000000", "Phone"), ("33", "11"), ("11a", "Büro"), ("11", "11"),
        ]
    )
    func device(_ text: String, _ name: String) throws {
        #expect(try KnownDevice.named(text, among: Self.devices).name == name)
    }

    @Test(
        "A text that names several devices is refused with their ids",
        arguments: [("phone", ["11bb", "22cc"]), ("1", ["11aa", "11bb"])]
    )
    func ambiguous(_ text: String, _ ids: [String]) {
        let failure = #expect(throws: CommandFailure.self) { try KnownDevice.named(text, among: Self.devices) }
        #expect(failure?.status == .notFound)
        for id in ids { #expect(failure?.message.contains(id) == true) }
    }

    @Test("What cannot be undone needs the whole name, the ID, or its first eight digits")
    func forGood() throws {
        for text in ["laptop", "BÜRO", "11", "00aa0000", "00AA0000000", "22cc000000000000"] {
            #expect(throws: Never.self) { try KnownDevice.named(text, among: Self.devices, isForGood: true) }
        }
        for text in ["0", "00aa000"] {
            let failure = #expect(throws: CommandFailure.self) {
                try KnownDevice.named(text, among: Self.devices, isForGood: true)
            }
            #expect(failure?.status == .notFound)
            #expect(failure?.message.contains("cannot be undone") == true)
            #expect(failure?.message.contains("00aa000000000000  laptop") == true, "it tells which device it may be")
        }
        let failure = #expect(throws: CommandFailure.self) {
            try KnownDevice.named("zz", among: Self.devices, isForGood: true)
        }
        #expect(failure?.message.contains("No device has") == true)
    }

    @Test("A text that names no device is not found, nor is an empty one", arguments: ["tablet", "", "zz"])
    func unknown(_ text: String) {
        let failure = #expect(throws: CommandFailure.self) { try KnownDevice.named(text, among: Self.devices) }
        #expect(failure?.status == .notFound)
        #expect(failure?.message.contains("\"\(text)\"") == true)
    }

    @Test(
        "An unknown command is told with the one that was meant, also after help",
        arguments: [
            (["stat"], "status"), (["help", "contniue"], "continue"), (["--bus", "session", "nerby"], "nearby"),
            (["devices", "renam"], "rename"), (["help", "devices", "trsut"], "trust"),
            (["--json", "folder"], "folders"),
        ]
    )
    func suggestion(_ arguments: [String], _ meant: String) throws {
        let unknown = try #require(UnknownCommand(in: arguments, of: HandoffControl.self))
        #expect(unknown.suggestion == meant)
        #expect(unknown.message.contains("Did you mean `\(unknown.parent) \(meant)`?"))
    }

    @Test(
        "What is a command, or an argument of one, is no unknown command",
        arguments: [
            [], ["status"], ["help"], ["help", "devices", "trust"], ["devices"], ["devices", "trust", "nothing"],
            ["--bus", "status", "nearby"], ["apps", "--default", "a.b", "c"], ["--version"], ["--", "nonsense"],
        ]
    )
    func known(_ arguments: [String]) {
        #expect(UnknownCommand(in: arguments, of: HandoffControl.self) == nil)
    }

    @Test("A word that resembles no command gets no suggestion")
    func nothingSimilar() throws {
        let unknown = try #require(UnknownCommand(in: ["xyzzyx"], of: HandoffControl.self))
        #expect(unknown.suggestion == nil)
        #expect(
            unknown.message == #""xyzzyx" is not a command of `handoffctl`. `handoffctl --help` lists the commands."#
        )
    }

    @Test("The help of every command fits a terminal of 80 columns")
    func help() {
        var commands: [any ParsableCommand.Type] = [HandoffControl.self]
        while let command = commands.popLast() {
            commands += command.configuration.subcommands
            let help = HandoffControl.helpMessage(for: command, columns: 80)
            for line in help.split(separator: "\n") {
                #expect(line.count <= 80, "\(command.configuration.commandName ?? ""): \(line)")
            }
        }
    }
}
