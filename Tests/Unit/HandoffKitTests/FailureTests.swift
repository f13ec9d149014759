import DBus
import FoundationEssentials
import HandoffBus
import HandoffModel
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@testable import HandoffKit

@Suite("A failure is shown to the user even if the app does not show it", .endsWithin(minutes: 10, instances: 1))
struct FailureTests {
    private static let id = "org.example.Editor"

    /// An app that implements nothing.
    private final class Silent: HandoffApplicationDelegate {}

    /// An app that shows failures itself.
    private final class Showing: HandoffApplicationDelegate {
        let errors = AsyncStream<CocoaError>.makeStream()

        func application(
            _ handoff: Handoff,
            didFailToContinueUserActivityWithType userActivityType: String,
            error: CocoaError
        ) async {
            errors.continuation.yield(error)
        }
    }

    /// What an app has told its developer, and what the desktop shows.
    private final class Screen: Sendable {
        let shown = AsyncStream<String>.makeStream()

        var diagnostics: Diagnostics { Diagnostics { [shown] in shown.continuation.yield("stderr: \($0)") } }

        func next() async throws -> String {
            for await text in shown.stream { return text }
            throw CancellationError()
        }

        /// Runs `body` while the desktop has a notification server.
        func whileOnBus(_ bus: PrivateBus, _ body: @escaping @Sendable () async throws -> Void) async throws {
            try await Connection.withConnection(to: bus.address) { [server] connection in
                connection.objects.insert([server], at: "/org/freedesktop/Notifications")
                try await connection.withName("org.freedesktop.Notifications", body)
            }
        }

        private var server: Interface {
            let able = Method(
                name: "GetCapabilities",
                outputs: [Argument(name: "capabilities", type: [String].valueType)]
            ) { _ in .reply([["body-markup"].value]) }
            let notify = Method(
                name: "Notify",
                inputs: [
                    Argument(name: "app_name", type: .string), Argument(name: "replaces_id", type: .uint32),
                    Argument(name: "app_icon", type: .string), Argument(name: "summary", type: .string),
                    Argument(name: "body", type: .string), Argument(name: "actions", type: [String].valueType),
                    Argument(name: "hints", type: [String: Value].valueType),
                    Argument(name: "expire_timeout", type: .int32),
                ],
                outputs: [Argument(name: "id", type: .uint32)]
            ) { [shown] invocation in
                let texts = invocation.arguments.compactMap(\.string)
                shown.continuation.yield(texts.joined(separator: "|"))
                return .reply([.uint32(1)])
            }
            return Interface(name: "org.freedesktop.Notifications", methods: [able, notify])
        }
    }

    private static func didFail(
        _ error: HandoffErrorName,
        _ message: String,
        isShown: Bool = false,
        on bus: PrivateBus
    ) async throws {
        let calls = try ApplicationCalls(id: id)
        let type = try ActivityType("org.example.edit")
        try await Connection.withConnection(to: bus.address) { connection in
            try await connection.withOwner(of: calls.application) { owners in
                for await owner in owners where owner != nil { break }
            }
            _ = try await connection.call(calls.didFail(type, error, message, isShown: isShown))
        }
    }

    @Test("A desktop with notifications shows it once, and not what the user knows already", arguments: [true, false])
    func notification(hasDelegate: Bool) async throws {
        let screen = Screen()
        let silent = hasDelegate ? Silent() : nil
        try await withPrivateBus { bus in
            try await screen.whileOnBus(bus) {
                try await Handoff.run(
                    application: Self.id,
                    delegate: silent,
                    bus: bus.address.description,
                    diagnostics: screen.diagnostics
                ) { _ in
                    try await Self.didFail(.userCancelled, "cancelled", on: bus)
                    try await Self.didFail(.peerUnreachable, "seen", isShown: true, on: bus)
                    try await Self.didFail(.peerUnreachable, "laptop & phone are out of range.", on: bus)
                    #expect(
                        try await screen.next()
                            == "org.example.Editor||Could not continue|laptop &amp; phone are out of range."
                    )
                    try await Self.didFail(.timedOut, "again", on: bus)
                    #expect(try await screen.next() == "org.example.Editor||Could not continue|again")
                }
            }
        }
    }

    @Test("Without a notification server it is on standard error")
    func standardError() async throws {
        let screen = Screen()
        try await withPrivateBus { bus in
            try await Handoff.run(
                application: Self.id,
                bus: bus.address.description,
                diagnostics: screen.diagnostics
            ) { _ in
                try await Self.didFail(.peerUnreachable, "laptop is out of range.", on: bus)
                #expect(try await screen.next() == "stderr: Could not continue: laptop is out of range.")
            }
        }
    }

    @Test("An app that shows failures gets them all, with what the user knows already marked as such")
    func shownByApp() async throws {
        let (screen, app) = (Screen(), Showing())
        try await withPrivateBus { bus in
            try await Handoff.run(
                application: Self.id,
                delegate: app,
                bus: bus.address.description,
                diagnostics: screen.diagnostics
            ) { _ in
                var errors = app.errors.stream.makeAsyncIterator()
                try await Self.didFail(.peerUnreachable, "one", isShown: true, on: bus)
                let first = await errors.next()
                #expect(first?.isShownToUser == true && first?.handoffReason == .peerUnreachable)
                try await Self.didFail(.timedOut, "two", on: bus)
                let second = await errors.next()
                #expect(second?.isShownToUser == false && second?.handoffMessage == "two")
                #expect(first?.code.rawValue == 4609 && second?.code.rawValue == 4610)
            }
            screen.shown.continuation.finish()
            for await text in screen.shown.stream { Issue.record("shown twice: \(text)") }
        }
    }

    @Test("The size of an activity is worth a warning above 3 KiB, which names the limit of 64 KiB")
    func size() {
        #expect(SaveResult.sizeWarning(3072) == nil)
        let warning = SaveResult.sizeWarning(3073) ?? ""
        #expect(warning.contains("3073") && warning.contains("3072") && warning.contains("65536"), "\(warning)")
        #expect(SaveResult(encodedSize: 4000, error: nil).sizeWarning != nil)
        #expect(SaveResult(encodedSize: nil, error: nil).sizeWarning == nil)
    }
}
