import DBus
import Foundation
import Glibc
import HandoffBus
import HandoffModel
import HandoffRadioSimulated
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Invalid requests are refused with a D-Bus error name and a message", .endsWithin(minutes: 15, instances: 4))
struct RefusalStories {
    @Test("Invalid types, web pages, titles and properties are refused")
    func wrongProperties() async throws {
        let attempts: [(type: String, properties: [String: Value], name: String, word: String)] = [
            ("", [:], "InvalidActivityType", "3 to 255"),
            ("notes", [:], "InvalidActivityType", "reverse-DNS"),
            ("org..example", [:], "InvalidActivityType", "reverse-DNS"),
            ("org.example.é", [:], "InvalidActivityType", "reverse-DNS"),
            ("org." + String(repeating: "a", count: 252), [:], "InvalidActivityType", "255"),
            ("a.b", ["WebpageURL": .string("ftp://example.org")], "InvalidWebpageURL", "http"),
            ("a.b", ["WebpageURL": .string("javascript:alert(1)")], "InvalidWebpageURL", "http"),
            ("a.b", ["WebpageURL": .int32(7)], "InvalidArgument", "WebpageURL"),
            ("a.b", ["Title": .string(String(repeating: "t", count: 1025))], "InvalidTitle", "1024"),
            ("a.b", ["Title": .boolean(true)], "InvalidArgument", "Title"),
            ("a.b", ["Titel": .string("x")], "InvalidArgument", "Titel"),
            ("a.b", ["Eligible": .string("yes")], "InvalidArgument", "Eligible"),
            ("a.b", ["UserInfo": .string("x")], "InvalidUserInfo", "a{sv}"),
        ]
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.connected { (program) async throws in
                    for attempt in attempts {
                        let outcome = await Result { try await program.create(attempt.type, attempt.properties) }
                        #expect(outcome.errorName == attempt.name, "\(attempt)")
                        #expect(outcome.errorMessage.contains(attempt.word), "\(outcome.errorMessage)")
                    }
                    #expect(try await program.objects().activities.isEmpty)
                }
            }
        }
    }

    @Test("The refusal of an invalid userInfo names the offending key")
    func wrongUserInfo() async throws {
        var deep = Value.int64(1)
        for _ in 0..<17 { deep = [Value.variant(deep)].deepArray }
        let descriptor = UnixFD(taking: dup(0))
        let attempts: [(userInfo: [String: Value], name: String, word: String)] = [
            (["file": .unixFD(descriptor)], "InvalidUserInfo", "file"),
            (["path": .objectPath("/a")], "InvalidUserInfo", "path"),
            (["deep": deep], "InvalidUserInfo", "deep"),
            (["pair": .structure([.int64(1), .int64(2)])], "InvalidUserInfo", "pair"),
            (["colour": .structure([.string("colour"), .variant(.string("red"))])], "InvalidUserInfo", "colour"),
            (
                [
                    "numbers": .dictionary(
                        key: .int32,
                        value: .string,
                        [Value.Entry(key: .int32(1), value: .string("a"))]
                    )
                ],
                "InvalidUserInfo", "numbers"
            ),
            (["data": .bytes([UInt8](repeating: 1, count: 70_000))], "PayloadTooLarge", "streams"),
        ]
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.connected { program in
                    let path = try await program.create("a.b", ["UserInfo": ["line": Value.int64(1)].value])
                    for attempt in attempts {
                        for outcome in [
                            await Result { _ = try await program.create("a.b", ["UserInfo": attempt.userInfo.value]) },
                            await Result { try await program.setUserInfo(attempt.userInfo, of: path) },
                            await Result { try await program.addUserInfo(attempt.userInfo, to: path) },
                        ] {
                            #expect(outcome.errorName == attempt.name, "\(attempt.word)")
                            #expect(outcome.errorMessage.contains(attempt.word), "\(outcome.errorMessage)")
                        }
                    }
                    let activities = try await program.objects().activities
                    #expect(activities.count == 1)
                    #expect(activities.first?.properties["UserInfo"] == ["line": Value.int64(1)].value)
                }
            }
        }
    }

    @Test("A program cannot change an activity of another program")
    func notOwner() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.connected { program in
                    let path = try await program.create("a.b", ["Title": .string("mine")])
                    try await laptop.connected { other in
                        for outcome in [
                            await Result { try await other.set("Title", to: .string("yours"), of: path) },
                            await Result { try await other.addUserInfo(["a": .int64(1)], to: path) },
                            await Result { try await other.becomeCurrent(path) },
                            await Result {
                                _ = try await other.call("ResignCurrent", [[String: Value]().value], of: path)
                            },
                            await Result { try await other.invalidate(path) },
                        ] {
                            #expect(outcome.errorName == "NotOwner")
                        }
                        let type = await Result { try await program.set("Type", to: .string("c.d"), of: path) }
                        #expect(type.errorName == "PropertyReadOnly")
                    }
                    let activity = try await program.objects().activities.first
                    #expect(activity?.properties["Title"] == .string("mine"))
                    #expect(activity?.properties["Type"] == .string("a.b"))
                    try await program.invalidate(path)
                    let late = await Result { try await program.becomeCurrent(path) }
                    #expect(["NoSuchActivity", "UnknownObject"].contains(late.errorName))
                }
            }
        }
    }

    @Test("A program at its limit of 256 activities is refused another one, and other programs are not")
    func limit() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.connected { program in
                    for _ in 0..<256 { try await program.create("a.b", [:]) }
                    let outcome = await Result { try await program.create("a.b", [:]) }
                    #expect(outcome.errorName == "LimitReached")
                    try await laptop.connected { other in _ = try await other.create("a.b", [:]) }
                }
                // All of them are removed when the program disconnects.
                try await laptop.connected { user in
                    try await user.first { try await user.objects().activities.isEmpty ? () : nil }
                }
            }
        }
    }

    @Test("The command line reports the same errors, with status 1, 4 or 64 and nothing on standard output")
    func commandLine() async throws {
        let large = #"{"text": "\#(String(repeating: "x", count: 70_000))"}"#
        let attempts: [(arguments: [String], status: Int32, word: String)] = [
            (["publish", "--type", "notes"], 64, "reverse-DNS"),
            (["publish", "--type", "a.b", "--webpage", "ftp://example.org"], 64, "http"),
            (["publish", "--type", "a.b", "--user-info", "{"], 64, "JSON"),
            (["publish", "--type", "a.b", "--user-info", #"{"due": {"$date": "soon"}}"#], 64, "due"),
            (["publish", "--type", "a.b", "--user-info", large], 64, "streams"),
            (["publish", "--type", "a.b", "--title", String(repeating: "x", count: 1025)], 64, "title"),
            (["publish", "--type", "a.b", "--team-id", "a b"], 64, "team identifier"),
            (["publish", "-t", "a.b"], 64, "-t"),
            (["publish", "--document", "/nowhere/a"], 4, "/nowhere/a"),
            (["publish"], 64, "--type"),
            (["continue", "7"], 4, "nearby"),
            (["continue", "--type", "a.b"], 4, "a.b"),
            (["continue"], 4, "nearby"),
            (["continue", "7", "--type", "a.b"], 64, "not both"),
            (["continue", "seven"], 64, "seven"),
            (["devices", "remove", "abc"], 4, "abc"),
            (["nonsense"], 64, "nonsense"),
            (["stat"], 64, "Did you mean `handoffctl status`?"),
            (["help", "nonsense"], 64, "nonsense"),
            (["devices", "rename", "nobody", "x"], 4, "nobody"),
            (["devices", "leave"], 64, "--yes"),
        ]
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                for attempt in attempts {
                    let result = try await laptop.run(attempt.arguments)
                    #expect(
                        result.status == attempt.status,
                        "\(attempt.arguments.prefix(4)): \(result.stderr.prefix(300))"
                    )
                    #expect(result.stderr.contains(attempt.word), "\(result.stderr.prefix(300))")
                    #expect(result.stdout.isEmpty)
                }
            }
        }
    }

    @Test("Calls with wrong arguments or to unknown objects are answered with the errors of D-Bus")
    func wrongCalls() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try await laptop.connected { program in
                    let calls: [(ObjectPath, InterfaceName, MemberName, [Value], String)] = [
                        (HandoffName.root, HandoffName.managerInterface, "CreateActivity", [], "InvalidArgs"),
                        (HandoffName.root, HandoffName.managerInterface, "Card", [.int32(1)], "InvalidArgs"),
                        (HandoffName.root, HandoffName.managerInterface, "Nothing", [], "UnknownMethod"),
                        (HandoffName.root, "org.example.Nothing", "Card", [], "UnknownInterface"),
                        (
                            HandoffName.nearbyActivity(7), HandoffName.nearbyActivityInterface, "Continue", [],
                            "UnknownObject"
                        ),
                    ]
                    for (path, interface, member, arguments, name) in calls {
                        let outcome = await Result {
                            try await program.connection.call(
                                MethodCall(
                                    destination: HandoffName.control,
                                    path: path,
                                    interface: interface,
                                    member: member,
                                    arguments: arguments
                                )
                            )
                        }
                        #expect(outcome.errorName == name, "\(member)")
                    }
                    _ = try await program.status()
                }
            }
        }
    }
}

extension [Value] {
    /// An array of variants.
    fileprivate var deepArray: Value { .array(of: .variant, self) }
}
