import DBus
import Foundation
import HandoffTestSupport

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
    /// - Parameters:
    ///   - earlier: the app that has the focus before.
    ///   - reports: those of the handoff-desktop that follows the focus.
    ///   - environment: names the display.
    ///   - body: is called with the app.
    func withOtherWindow(
        after earlier: ChildProcess,
        _ reports: FocusReports,
        _ environment: [String: String],
        _ body: @escaping @Sendable (ChildProcess) async throws -> Void = { _ in }
    ) async throws {
        try await reports.until(earlier.processID)
        try await withWindow(publishing: nil, environment) { other in
            try await reports.until(other.processID)
            try await untilCurrent(nil)
            try await body(other)
        }
    }
}
