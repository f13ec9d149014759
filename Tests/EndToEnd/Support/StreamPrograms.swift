import Foundation
import HandoffTestSupport
import Testing

extension Device {
    /// The activity type of the pipes in the stories about streams.
    static let pipeType = "org.example.pipe"

    /// A redirection of standard input to lines of text that never end.
    static let endlessInput = "< <(yes \(String(repeating: "7", count: 500)))"

    /// Runs `body` with `handoffctl publish --stream`, once the activity is nearby on `other`.
    ///
    /// - Parameters:
    ///   - other: the device that is to continue it.
    ///   - redirections: those of its standard streams, in the notation of bash.
    ///   - options: more options of the command.
    ///   - body: what to do meanwhile.
    func offeringPipe(
        to other: Device,
        _ redirections: String,
        options: String = "",
        _ body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void
    ) async throws {
        let command = "publish --type \(Self.pipeType) --stream \(options)"
        try await withShell(command, redirections) { process, output in
            try await other.watching { _ = try await $0.one() }
            try await body(process, output)
        }
    }

    /// Runs `body` with a running handoffctl whose standard streams bash redirects, and with what it prints.
    func withShell(
        _ arguments: String,
        _ redirections: String,
        _ body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void
    ) async throws {
        let line = shellCommand(arguments, redirections)
        try await withTranscript(of: "/bin/bash", ["-c", line], environment: world.environment, body)
    }

    /// The command line for bash that becomes handoffctl, with standard streams that bash has redirected.
    func shellCommand(_ arguments: String, _ redirections: String) -> String {
        "exec \(Programs.handoffctl) \(arguments) --bus '\(bus.address)' \(redirections)"
    }
}

extension World {
    /// A redirection of standard input to a pipe in which there is nothing, and which does not end.
    func silentInput() throws -> String {
        let pipe = directory.appending(path: "silence-\(UUID().uuidString.prefix(8))").path()
        try #require(mkfifo(pipe, 0o600) == 0)
        // Open for writing too, so that the pipe does not end.
        return "<> '\(pipe)'"
    }

    /// Writes a program in Python that uses the bare descriptors of streams.
    ///
    /// `write HOW` publishes an activity and writes to each stream: for ever, or 300 000 bytes that it finishes or
    /// leaves unfinished. `read PATH` takes the nearby activity at that path and reads a stream to its end or error.
    func writeSocketProgram() throws -> String {
        try write(Self.socketProgram, to: "sockets.py")
        return directory.appending(path: "sockets.py").path()
    }

    private static let socketProgram = """
        import socket, struct, sys, threading
        import dbus, dbus.mainloop.glib, dbus.service
        from gi.repository import GLib

        bus = dbus.SessionBus(mainloop=dbus.mainloop.glib.DBusGMainLoop())
        manager = dbus.Interface(bus.get_object("org.handoffd.Handoff1", "/org/handoffd/Handoff1"), "org.handoffd.Manager1")

        class Writer(dbus.service.Object):
            @dbus.service.method("org.handoffd.ActivityDelegate1", in_signature="ohosa{sv}")
            def DidReceiveStream(self, activity, stream, device, device_name, options):
                threading.Thread(target=self.write, args=(socket.socket(fileno=stream.take()),)).start()

            def write(self, connection):
                while sys.argv[2] == "endless":
                    connection.sendall(b"7" * 1000)
                connection.sendall(b"7" * 300_000)
                if sys.argv[2] == "finished":
                    connection.shutdown(socket.SHUT_WR)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 0, 0))
                connection.close()
                print("closed", flush=True)

        def read(path):
            nearby = dbus.Interface(bus.get_object("org.handoffd.Control1", path), "org.handoffd.NearbyActivity1")
            activity = nearby.Fetch({"Take": True}, timeout=40)
            stream = manager.OpenStream(activity["Continuation"], {}, timeout=40)
            connection = socket.socket(fileno=stream.take())
            connection.shutdown(socket.SHUT_WR)
            count = 0
            try:
                while data := connection.recv(65536):
                    if not count:
                        print("reading", flush=True)
                    count += len(data)
                print("end", count, flush=True)
            except ConnectionResetError:
                print("broken", flush=True)

        if sys.argv[1] == "read":
            read(sys.argv[2])
        else:
            Writer(bus, "/org/example/writer")
            parts = {"Delegate": dbus.ObjectPath("/org/example/writer"), "SupportsContinuationStreams": True}
            path = manager.CreateActivity("org.example.sockets", parts, {})
            bus.get_object("org.handoffd.Handoff1", path).BecomeCurrent({}, dbus_interface="org.handoffd.Activity1")
            GLib.MainLoop().run()
        """
}
