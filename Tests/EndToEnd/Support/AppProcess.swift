import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import Synchronization
import Testing

/// An app that the bus starts as a separate process, and that asks the test how to handle each call.
struct AppProcess: Sendable {
    /// How the app handles a call.
    enum Answer: String {
        case yes, crash, never
        /// It answers when the test calls `release`.
        case whenReleased
    }

    /// A call that the app received.
    struct Call: Sendable {
        let name: String
        /// The process that received it.
        let process: Int32
    }

    private let plan: @Sendable (String) -> Answer
    private let log = Calls()
    private let newCalls: AsyncStream<Call>.Continuation
    private let callStream: AsyncStream<Call>
    private let gate: AsyncStream<Never>
    private let opening: AsyncStream<Never>.Continuation

    private final class Calls: Sendable {
        let all = Mutex<[Call]>([])
    }

    /// - Parameter plan: how the app handles a call of the given name.
    init(_ plan: @escaping @Sendable (String) -> Answer) {
        self.plan = plan
        (callStream, newCalls) = AsyncStream.makeStream()
        (gate, opening) = AsyncStream.makeStream()
    }

    /// Installs the app, which declares the activity type `org.example.edit`.
    func install(in world: World) throws {
        try world.writeApp("org.example.Editor", "DBusActivatable=true")
        try world.write(Self.program, to: "app.py")
        let command = "/usr/bin/python3 \(world.directory.path())/app.py"
        try world.write(
            "[D-BUS Service]\nName=org.example.Editor\nExec=\(command)\n",
            to: "services/org.example.Editor.service"
        )
    }

    /// Installs the app without a service file, so that the daemon has to start it.
    func installWithoutService(in world: World, on bus: PrivateBus) throws {
        try world.write(Self.program, to: "app.py")
        let variable = "\"DBUS_SESSION_BUS_ADDRESS=\(bus.address)\""
        let command = "Exec=env \(variable) /usr/bin/python3 \(world.directory.path())/app.py"
        try world.writeApp("org.example.Editor", "Implements=org.handoffd.Application1;\n\(command)")
    }

    /// Ends the processes that have called.
    func terminate() {
        for process in Set(calls.map(\.process)) { kill(process, SIGKILL) }
    }

    /// Runs `body` while the app's questions are answered.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let received = Method(
            name: "Received",
            inputs: [Argument(name: "process", type: .int32), Argument(name: "call", type: .string)],
            outputs: [Argument(name: "answer", type: .string)]
        ) { invocation in
            let call = Call(
                name: try invocation.arguments.decode(at: 1, as: String.self),
                process: try invocation.arguments.decode(at: 0, as: Int32.self)
            )
            log.all.withLock { $0.append(call) }
            newCalls.yield(call)
            let answer = plan(call.name)
            guard answer == .whenReleased else { return .reply([.string(answer.rawValue)]) }
            return .deferred {
                for await _ in gate {}
                return [.string(Answer.yes.rawValue)]
            }
        }
        let interface = Interface(name: "org.example.Story", methods: [received])
        try await bus.withService("org.example.Story", at: "/org/example/Story", [interface]) { _ in try await body() }
    }

    /// All calls so far.
    var calls: [Call] { log.all.withLock { $0 } }

    /// The next call whose name begins with `name`.
    @discardableResult
    func call(_ name: String) async throws -> Call {
        for await call in callStream where call.name.hasPrefix(name) { return call }
        throw CancellationError()
    }

    /// Lets the app answer the calls whose answer is `whenReleased`.
    func release() {
        opening.finish()
    }

    /// Waits until the app, if it is running, has handled every message that was sent to it before.
    func waitForPendingCalls(on bus: PrivateBus) async throws {
        try await Connection.withConnection(to: bus.address) { connection in
            let ping = MethodCall(
                destination: "org.example.Editor",
                path: "/org/example/Editor",
                interface: "org.freedesktop.DBus.Peer",
                member: "Ping",
                startsService: false
            )
            _ = try? await connection.call(ping, timeout: .seconds(20))
        }
    }

    /// Expects one announcement and then one result.
    func expectOneResult(isFailure: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
        let names = calls.map { $0.name.hasPrefix("DidFail") ? "DidFail" : $0.name }
        #expect(names == ["WillContinue", isFailure ? "DidFail" : "Continue"], sourceLocation: sourceLocation)
    }

    private static let program = """
        import os
        import dbus
        import dbus.mainloop.glib
        import dbus.service
        from gi.repository import GLib

        INTERFACE = "org.handoffd.Application1"


        class Editor(dbus.service.Object):
            def ask(self, call, reply=None):
                answer = story.Received(os.getpid(), call, dbus_interface="org.example.Story", timeout=50)
                if answer == "crash":
                    os._exit(1)
                if answer == "yes" and reply:
                    reply(True)

            @dbus.service.method(INTERFACE, in_signature="sa{sv}", out_signature="b", async_callbacks=("reply", "fail"))
            def WillContinue(self, type, options, reply, fail):
                self.ask("WillContinue", reply)

            @dbus.service.method(INTERFACE, in_signature="a{sv}a{sv}", out_signature="b", async_callbacks=("reply", "fail"))
            def Continue(self, activity, options, reply, fail):
                self.ask("Continue", reply)

            @dbus.service.method(INTERFACE, in_signature="sssa{sv}")
            def DidFail(self, type, error, message, options):
                self.ask("DidFail " + error)


        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        story = bus.get_object("org.example.Story", "/org/example/Story")
        name = dbus.service.BusName("org.example.Editor", bus)
        editor = Editor(name, "/org/example/Editor")
        GLib.MainLoop().run()
        """
}
