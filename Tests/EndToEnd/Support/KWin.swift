import DBus
import Foundation
import HandoffBus
import HandoffTestSupport

/// KWin with a screen that nobody sees, on the bus of a device.
struct KWin: Sendable {
    let device: Device
    /// The variables with which programs run in its session.
    let environment: [String: String]
    /// The reports of handoff-desktop, and the calls about scripts that KWin gets.
    let messages: BusMessages

    private static let scripting: InterfaceName = "org.kde.kwin.Scripting"

    /// Runs `body` while KWin runs.
    ///
    /// - Throws: the error of `body`, or `MissingProgram`.
    static func run(on device: Device, _ body: @escaping @Sendable (KWin) async throws -> Void) async throws {
        let directory = device.world.directory
        // What is installed has capabilities, with which it cannot be executed where the tests lack them; and it runs under
        // its own name only.
        let program = directory.appending(path: "kwin_wayland")
        let installed = "/usr/bin/kwin_wayland"
        guard FileManager.default.fileExists(atPath: installed) else {
            throw MissingProgram(description: "\(installed) is missing: apt-get install kwin-wayland")
        }
        // One of before may still be there.
        try? FileManager.default.removeItem(at: program)
        // By a process of its own: one that another test starts meanwhile would inherit the file that is written here, and a
        // file that somebody may write to cannot be executed.
        _ = try await HandoffTestSupport.run("/bin/cp", [installed, program.path()])
        let session = [
            "XDG_RUNTIME_DIR": directory.path(), "DBUS_SESSION_BUS_ADDRESS": device.bus.address.description,
            "XDG_SESSION_TYPE": "wayland", "WAYLAND_DISPLAY": "shown", "DISPLAY": "", "GDK_BACKEND": "wayland",
            "GSK_RENDERER": "cairo",
        ]
        let environment = device.world.environment.merging(session) { $1 }
        // Without the variable, it shows its screen in a window of the display that is named.
        let own = environment.merging(["WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": "offscreen"]) { $1 }
        let arguments = ["--virtual", "--no-lockscreen", "--no-global-shortcuts", "--socket", "shown"]
        let rules = [FocusReports.rule, "type='method_call',interface='\(scripting)'"]
        try await BusMessages.follow(rules, on: device.bus) { messages in
            try await withProgram(program.path(), arguments, environment: own) { _ in
                try await device.bus.waitForOwner(of: "org.kde.KWin")
                try await body(KWin(device: device, environment: environment, messages: messages))
            }
        }
    }

    /// Runs `body` while an app has a window, which gets the focus, and publishes an activity of a type; nil for none.
    func withApp(_ type: String?, _ body: @escaping @Sendable (ChildProcess) async throws -> Void) async throws {
        try await device.withWindow(publishing: type, environment, body)
    }

    /// Runs `body` while an app has the focus that publishes nothing, once no activity is current.
    ///
    /// - Parameter earlier: the app that has the focus before.
    func withOtherApp(
        after earlier: ChildProcess,
        _ body: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        try await device.withOtherWindow(after: earlier, FocusReports(messages), environment) { _ in try await body() }
    }

    /// Waits until KWin has got a call about scripts, as one of the messages from number `start` on.
    func untilCalled(_ member: String, from start: Int = 0) async throws {
        try await messages.first("the call \(member) of KWin", from: start) { $0.member == member }
    }

    /// Whether KWin runs a script with that name.
    func hasScript(_ name: String) async throws -> Bool {
        let call = MethodCall(
            destination: "org.kde.KWin",
            path: "/Scripting",
            interface: Self.scripting,
            member: "isScriptLoaded",
            arguments: [.string(name)]
        )
        return try await device.connected { user in
            try await user.connection.call(call).decode(at: 0, as: Bool.self)
        }
    }
}
