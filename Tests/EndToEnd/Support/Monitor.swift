import DBus
import HandoffBus
import HandoffTestSupport
import TestRuns

/// The events that `handoffctl monitor --json` prints.
struct Monitor: Sendable {
    let output: Transcript

    /// All events so far.
    var all: [JSON] { output.lines.compactMap { try? JSON($0) } }

    /// The properties of all events with that name so far.
    func events(_ name: String) -> [JSON] {
        all.filter { $0["event"].string == name }.map { $0["properties"] }
    }

    /// Waits for an event that fulfils `condition`, itself or with its properties.
    func line(_ condition: @escaping @Sendable (JSON) -> Bool) async throws {
        try await output.first { line -> Void? in
            let event = try JSON(line)
            return condition(event) || condition(event["properties"]) ? () : nil
        }
    }

    /// Waits until there were `count` events with that name; events are printed a moment after they happened.
    func shown(_ count: Int, of name: String) async throws {
        try await output.lines(count, "the event \(name)") { try JSON($0)["event"].string == name }
    }
}

extension Device {
    /// Runs `body` with every event that `handoffctl monitor` prints from then on.
    func monitoring(_ body: @escaping @Sendable (Monitor) async throws -> Void) async throws {
        try await withMonitor { _, output in
            // The removal of this activity is the last event before `body` begins.
            try await connected { client in
                let last = try await client.create("org.example.probe", [:])
                try await client.invalidate(last)
                try await output.line(
                    containing: #""event":"removed","interface":"org.handoffd.Activity1","object":"\#(last)""#
                )
            }
            try await body(Monitor(output: output))
        }
    }

    /// Runs `body` with `handoffctl monitor`, which prints every event from then on, and its output so far: events of
    /// activities of the type `org.example.probe`.
    func withMonitor(_ body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void) async throws {
        let questions = "type='method_call',interface='org.freedesktop.DBus',member='GetNameOwner'"
        try await BusMessages.follow([questions], on: bus) { messages in
            try await withControl(["monitor"]) { process, output in
                try await connected { try await $0.untilPrinting(output, messages) }
                try await body(process, output)
            }
        }
    }
}

extension HandoffClient {
    /// Waits until `handoffctl monitor` prints events.
    ///
    /// It prints nothing when it begins, and passes over signals that it reads before it has read the answer to its second
    /// question about the daemon, which it follows from then on. So the daemon changes each time that it has answered
    /// another call meanwhile, until it prints that.
    fileprivate func untilPrinting(_ output: Transcript, _ messages: BusMessages) async throws {
        var questions: [String: Int] = [:]
        let second = try await messages.first("the second question of handoffctl about the daemon") { message in
            guard message.arguments.first?.string == HandoffName.control.description else { return false }
            questions[message.sender, default: 0] += 1
            return questions[message.sender] == 2
        }
        let ping = MethodCall(
            destination: try BusName(second.sender),
            path: "/",
            interface: "org.freedesktop.DBus.Peer",
            member: "Ping"
        )
        try await awaiting("the first event that handoffctl prints") {
            while output.lines.isEmpty {
                _ = try await connection.call(ping)
                try await invalidate(create("org.example.probe", [:]))
            }
        }
    }
}
