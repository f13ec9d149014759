import AsyncSupport
import DBus
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("What may take long is performed in the order of its caller's calls", .endsWithin(minutes: 10, instances: 1))
struct OrderTests {
    /// A method that notes each call's argument when it has been performed, the first one only when it may.
    private final class Notes: Sendable {
        let noted = CurrentValue<[String]>([])
        let hasBegun = Event()
        let mayEnd = Event()

        func export(on connection: Connection) {
            connection.export("Note", [.string]) { [self] call in
                let text = try call.arguments.decode(at: 0, as: String.self)
                return .ordered { [self] in
                    if text == "slow" {
                        hasBegun.happen()
                        await mayEnd.wait()
                    }
                    note(text)
                    return []
                }
            }
        }

        func note(_ text: String) { noted.modify { $0.append(text) } }
    }

    private func note(_ text: String, on server: Connection) -> MethodCall {
        testCall("Note", of: server.uniqueName, [.string(text)])
    }

    @Test("Its caller's next calls wait for it, and those of others do not")
    func order() async throws {
        try await withTwoConnections { bus, server, client in
            try await Connection.withConnection(to: bus.address) { other in
                let notes = Notes()
                notes.export(on: server)
                for text in ["slow", "second", "third"] { client.send(note(text, on: server)) }
                await notes.hasBegun.wait()
                _ = try await other.call(note("other", on: server))
                #expect(notes.noted.value == ["other"])
                notes.mayEnd.happen()
                _ = try await client.call(note("last", on: server))
                #expect(notes.noted.value == ["other", "slow", "second", "third", "last"])
            }
        }
    }

    @Test(
        "A caller that has left the bus is reported when its calls have been performed, also those that have not begun",
        arguments: [true, false]
    )
    func departure(hasBegun: Bool) async throws {
        try await withTwoConnections { bus, server, _ in
            let notes = Notes()
            notes.export(on: server)
            try await server.withSignals(MatchRule(sender: .bus, member: "NameOwnerChanged")) { signals in
                let name = try await Connection.withConnection(to: bus.address) { caller in
                    for text in ["slow", "second"] { caller.send(note(text, on: server)) }
                    if hasBegun { await notes.hasBegun.wait() }
                    return caller.uniqueName
                }
                // Whoever is reported after the caller has left the bus after it.
                try await Connection.withConnection(to: bus.address) { _ in }
                notes.mayEnd.happen()
                for try await signal in signals where signal.arguments.last?.string == "" {
                    guard signal.arguments.first?.string == name.description else { continue }
                    return notes.note("left")
                }
            }
            #expect(notes.noted.value == ["slow", "second", "left"])
        }
    }
}
