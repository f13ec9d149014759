import DBus
import Foundation
import HandoffTestSupport
import Synchronization

extension Device {
    /// Runs `body` while an app of GTK has a window, which gets the focus, and publishes an activity of a type.
    ///
    /// - Parameters:
    ///   - type: the type; nil for an app that publishes nothing.
    ///   - environment: names the display.
    ///   - body: is called with the app.
    func withWindow(
        publishing type: String?,
        _ environment: [String: String],
        _ body: @escaping @Sendable (ChildProcess) async throws -> Void
    ) async throws {
        let publish = [Programs.handoffctl, "--bus", bus.address.description, "publish", "--type"]
        let program = type.map { publish + [$0] } ?? ["true"]
        let arguments = [Repository.file("Tests/Scripts/show-gtk-window.py").path()] + program
        try await withProgram("/usr/bin/python3", arguments, environment: environment) { try await body($0) }
    }

    /// Runs `body` while an app of GTK has the focus that publishes nothing, once no activity is current.
    ///
    /// Until the daemon knows that the app which had the focus before had it, that counts as one without a window, which is
    /// current whatever has the focus. So the window is opened anew: in between, the other app has the focus again.
    func withOtherWindow(
        _ environment: [String: String],
        _ body: @escaping @Sendable (ChildProcess) async throws -> Void = { _ in }
    ) async throws {
        let isDone = Mutex(false)
        while !isDone.withLock(\.self) {
            try await withWindow(publishing: nil, environment) { other in
                for _ in 0..<Self.questions where try await isCurrent(nil) {
                    try await body(other)
                    return isDone.withLock { $0 = true }
                }
            }
        }
    }

    /// How often the daemon is asked what is current before the window is opened anew.
    private static var questions: Int { 50 }
}
