import Foundation
import HandoffTestSupport

/// Messages on a bus, as the bus shows them to a monitor: calls between other programs, of which it tells no client.
struct BusMessages: Sendable {
    /// A message.
    struct Message: Sendable {
        /// The unique name of the connection that has sent it.
        let sender: String
        let member: String
        let arguments: [JSON]
    }

    private let output: Transcript

    /// Runs `body` with the messages that match a rule, from when `body` begins.
    ///
    /// The bus has delivered a message when it is shown here, and its receiver may not have read it yet.
    ///
    /// - Parameters:
    ///   - rules: match rules (D-Bus specification, "Match Rules").
    ///   - bus: the bus.
    ///   - body: is called with the messages.
    static func follow(
        _ rules: [String],
        on bus: PrivateBus,
        _ body: @escaping @Sendable (BusMessages) async throws -> Void
    ) async throws {
        // Standard error tells when the bus has made it a monitor.
        let script = ["-c", #"exec /usr/bin/busctl "$@" 2>&1"#, "busctl"]
        let arguments = ["--address=\(bus.address)", "--json=short", "monitor"] + rules.map { "--match=\($0)" }
        try await withTranscript(of: "/bin/sh", script + arguments) { _, output in
            try await output.line(containing: "Monitoring bus message stream.")
            try await body(BusMessages(output: output))
        }
    }

    /// The number of lines so far, from which ``first(_:from:at:line:where:)`` goes on.
    var count: Int { output.lines.count }

    /// All messages so far.
    var all: [Message] { output.lines.compactMap(Self.message) }

    /// The first message for which `condition` holds, from line `start` on.
    @discardableResult
    func first(
        _ what: String,
        from start: Int = 0,
        at place: String = #fileID,
        line: Int = #line,
        where condition: (Message) -> Bool
    ) async throws -> Message {
        try await output.first(what, from: start, at: place, line: line) { text in
            Self.message(text).flatMap { condition($0) ? $0 : nil }
        }
    }

    private static func message(_ line: String) -> Message? {
        guard line.hasPrefix("{"), let message = try? JSON(line) else { return nil }
        return Message(
            sender: message["sender"].string,
            member: message["member"].string,
            arguments: message["payload"]["data"].array
        )
    }
}
