import DBus
import HandoffBus
import HandoffTestSupport

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
        var seen = 0
        try await output.first { line -> Void? in
            if try JSON(line)["event"].string == name { seen += 1 }
            return seen == count ? () : nil
        }
    }
}

extension Device {
    /// Runs `body` with every event that `handoffctl monitor` prints from then on.
    func monitoring(_ body: @escaping @Sendable (Monitor) async throws -> Void) async throws {
        try await withControl(["monitor"]) { _, output in
            try await connected { client in
                // It prints nothing when it begins to receive events, and every event from then on.
                while output.lines.isEmpty { try await client.invalidate(client.create("org.example.probe", [:])) }
                // The removal of this activity is the last event before `body` begins.
                let last = try await client.create("org.example.probe", [:])
                try await client.invalidate(last)
                try await output.line(
                    containing: #""event":"removed","interface":"org.handoffd.Activity1","object":"\#(last)""#
                )
            }
            try await body(Monitor(output: output))
        }
    }
}
