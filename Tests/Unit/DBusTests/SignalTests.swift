import DBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Signals and match rules", .endsWithin(minutes: 10, instances: 1))
struct SignalTests {
    private static let rules: [(String, MatchRule)] = [
        ("member", MatchRule(member: "Wanted")),
        ("path", MatchRule(path: "/wanted", interface: testInterface)),
        ("namespace", MatchRule(pathNamespace: "/wanted", interface: testInterface)),
        ("interface", MatchRule(interface: "org.example.Wanted")),
        ("argument", MatchRule(interface: testInterface, arg0: "it's, 'wanted'")),
    ]

    @Test("A match rule receives the signals that match it and no others", arguments: rules)
    func matching(what: String, rule: MatchRule) async throws {
        try await withTwoConnections { _, server, client in
            // With a second rule, the bus sends everything to the connection, which applies the first one by itself.
            try await client.withSignals(MatchRule(sender: server.uniqueName)) { all in
                try await client.withSignals(rule) { fitting in
                    Self.emitEverything(from: server)
                    #expect(try await all.first(9).count == 9)
                    server.emit(Self.wanted(what))
                    let found = try await fitting.first(what == "namespace" ? 3 : 2)
                    #expect(found.allSatisfy { Self.fits($0, what) }, "\(found)")
                }
            }
        }
    }

    private static func emitEverything(from server: Connection) {
        server.emit(testSignal("Other"))
        server.emit(testSignal("Other", at: "/wantedNot"))
        server.emit(testSignal("Other", [.string("wanted")]))
        server.emit(Signal(path: "/a", interface: "org.example.Wanted.Not", member: "Other"))
        for what in rules.map(\.0) where what != "namespace" { server.emit(wanted(what)) }
        server.emit(testSignal("Other", at: "/wanted/below"))
    }

    private static func wanted(_ what: String) -> Signal {
        switch what {
        case "member": testSignal("Wanted", at: "/m")
        case "path", "namespace": testSignal("Other", at: "/wanted")
        case "interface": Signal(path: "/a", interface: "org.example.Wanted", member: "Other")
        default: testSignal("Other", [.string("it's, 'wanted'")])
        }
    }

    private static func fits(_ signal: Signal, _ what: String) -> Bool {
        switch what {
        case "member": signal.member == "Wanted"
        case "path": signal.path == "/wanted"
        case "namespace": signal.path.description.hasPrefix("/wanted") && signal.path != "/wantedNot"
        case "interface": signal.interface == "org.example.Wanted"
        default: signal.arguments == [.string("it's, 'wanted'")]
        }
    }

    @Test("The bus has a rule that it did not confirm when the next call is answered")
    func unconfirmed() async throws {
        try await withTwoConnections { _, server, client in
            try await client.withUnconfirmedSignals(MatchRule(sender: server.uniqueName)) { signals in
                _ = try await client.owner(of: server.uniqueName)
                server.emit(testSignal("Wanted"))
                let found = try await signals.first(1)
                #expect(found.map(\.member) == ["Wanted"])
            }
        }
    }

    @Test("A signal that matches two rules is delivered once to each")
    func twoRules() async throws {
        try await withTwoConnections { _, server, client in
            let rule = MatchRule(sender: server.uniqueName)
            try await client.withSignals(rule) { first in
                try await client.withSignals(rule) { second in
                    for number in 0..<3 as Range<UInt32> { server.emit(testSignal("N", [.uint32(number)])) }
                    let wanted: [[Value]] = [[.uint32(0)], [.uint32(1)], [.uint32(2)]]
                    for signals in [first, second] {
                        let found = try await signals.first(3)
                        #expect(found.map(\.arguments) == wanted)
                    }
                }
                server.emit(testSignal("After"))
                #expect(try await first.first(1).map(\.member) == ["After"])
            }
        }
    }

    @Test("A signal has its sender, and one with another connection as its destination does not arrive")
    func destination() async throws {
        try await withTwoConnections { bus, server, client in
            try await Connection.withConnection(to: bus.address) { other in
                try await client.withSignals(MatchRule(interface: testInterface)) { signals in
                    var unicast = testSignal("Secret")
                    unicast.destination = other.uniqueName
                    server.emit(unicast)
                    unicast.destination = client.uniqueName
                    server.emit(unicast)
                    let found = try await signals.first(1)
                    #expect(found.map(\.sender) == [server.uniqueName])
                    #expect(found.map(\.destination) == [client.uniqueName])
                }
            }
        }
    }

    @Test("A rule with a well-known sender follows the name from owner to owner")
    func changingOwner() async throws {
        try await withTwoConnections { _, first, second in
            let name: BusName = "org.example.Service"
            try await second.withSignals(MatchRule(member: "Done")) { done in
                try await second.withSignals(MatchRule(sender: name, interface: testInterface)) { signals in
                    for owner in [first, second, first] {
                        first.emit(testSignal("Nobody"))
                        try await owner.withName(name) {
                            owner.emit(testSignal("Owned"))
                            owner.emit(testSignal("Done"))
                            _ = try await done.first(1)
                        }
                    }
                    let found = try await signals.first(6)
                    #expect(found.map(\.member) == ["Owned", "Done", "Owned", "Done", "Owned", "Done"])
                    #expect(found.first?.sender == first.uniqueName)
                    #expect(found.dropFirst(2).first?.sender == second.uniqueName)
                }
            }
        }
    }

    @Test("With 10 000 unread signals, the sequence ends with an overflow error after those that were kept")
    func overflow() async throws {
        try await withTwoConnections { _, server, client in
            try await client.withSignals(MatchRule(sender: server.uniqueName), limit: 100) { slow in
                try await client.withSignals(MatchRule(sender: server.uniqueName, member: "Last")) { last in
                    for number in 0..<10_000 as Range<UInt32> { server.emit(testSignal("N", [.uint32(number)])) }
                    server.emit(testSignal("Last"))
                    _ = try await last.first(1)
                }
                var count = 0
                let error = await dbusError { for try await _ in slow { count += 1 } }
                #expect(error?.code == .overflow)
                #expect(count == 100)
            }
        }
    }

    @Test("A rule that the bus refuses is an error")
    func refusedRule() async throws {
        try await withTwoConnections { _, _, client in
            let error = await dbusError {
                try await client.withSignals(MatchRule(path: "/a", pathNamespace: "/b")) { _ in }
            }
            #expect(error?.name == "org.freedesktop.DBus.Error.MatchRuleInvalid")
        }
    }

    @Test("Cancelling the reader ends its sequence")
    func cancellation() async throws {
        try await withTwoConnections { _, _, client in
            try await withThrowingTaskGroup { group in
                let ready = Event()
                group.addTask {
                    try await client.withSignals(MatchRule(member: "Never")) { signals in
                        ready.happen()
                        for try await _ in signals {}
                    }
                }
                await ready.wait()
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }
}
