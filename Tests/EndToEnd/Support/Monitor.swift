import DBus
import HandoffBus
import HandoffTestSupport

/// What `handoffctl monitor --json` shows.
struct Monitor: Sendable {
    let output: Transcript

    /// Everything so far.
    var all: [JSON] { output.lines.compactMap { try? JSON($0) } }

    /// The properties of every event of a name so far.
    func events(_ name: String) -> [JSON] {
        all.filter { $0["event"].string == name }.map { $0["properties"] }
    }

    /// Waits for an event for which `condition` holds, by itself or by its properties.
    func line(_ condition: @escaping @Sendable (JSON) -> Bool) async throws {
        try await output.first { line -> Void? in
            let event = try JSON(line)
            return condition(event) || condition(event["properties"]) ? () : nil
        }
    }

    /// Waits until there were `count` events of a name: what happens is shown a moment after it has happened.
    func shown(_ count: Int, of name: String) async throws {
        var seen = 0
        try await output.first { line -> Void? in
            if try JSON(line)["event"].string == name { seen += 1 }
            return seen == count ? () : nil
        }
    }
}

extension Device {
    /// Runs `body` with everything that `handoffctl monitor` shows from then on.
    func monitoring(_ body: @escaping @Sendable (Monitor) async throws -> Void) async throws {
        try await withControl(["monitor"]) { _, output in
            try await connected { client in
                // It says nothing when it begins to listen, and everything from then on.
                while output.lines.isEmpty { try await client.invalidate(client.create("org.example.probe", [:])) }
                // Its end is the last thing that happens before `body` begins.
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
