import CAdwaita

/// A widget of GTK; GTK itself checks what kind of widget it is.
typealias Widget = UnsafeMutablePointer<GtkWidget>

/// A closure that GTK calls on its main loop, which runs on the main thread.
private final class Handler<Argument> {
    let body: @MainActor (Argument) -> Void

    init(_ body: @escaping @MainActor (Argument) -> Void) {
        self.body = body
    }

    static func released(_ data: gpointer?) {
        if let data { Unmanaged<Handler<Argument>>.fromOpaque(data).release() }
    }

    /// Calls the closure to which `data` points.
    ///
    /// GTK calls what is connected here, and what g_idle_add_full(3) adds, on the thread that runs the default main loop:
    /// the main thread, which `MainActor.assumeIsolated` checks. So the pointer and the argument, which are not Sendable,
    /// stay on the thread on which GTK gives them; the compiler cannot know that.
    static func call(_ data: gpointer?, _ argument: Argument) {
        nonisolated(unsafe) let (data, argument) = (data, argument)
        MainActor.assumeIsolated {
            guard let data else { return }
            Unmanaged<Handler<Argument>>.fromOpaque(data).takeUnretainedValue().body(argument)
        }
    }
}

/// Calls a closure with each signal of an object, until the object ends.
@MainActor
func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping @MainActor () -> Void) {
    let data = Unmanaged.passRetained(Handler<Void>(body)).toOpaque()
    cadw_connect(
        object,
        signal,
        { data in
            Handler<Void>.call(data, ())
        },
        data
    ) { Handler<Void>.released($0) }
}

/// Calls a closure with the name of the response when a question is answered or closed.
@MainActor
func connectResponse(_ dialog: Widget, _ body: @escaping @MainActor (String) -> Void) {
    let data = Unmanaged.passRetained(Handler<String>(body)).toOpaque()
    cadw_connect_response(
        dialog,
        { data, name in
            let response = name.map { String(cString: $0) } ?? ""
            Handler<String>.call(data, response)
        },
        data
    ) { Handler<String>.released($0) }
}

/// Runs a program without blocking; calls a closure with its output and exit status, a negative one if it did not run.
@MainActor
func runProgram(_ arguments: [String], end: @escaping @MainActor (_ output: String, _ status: Int) -> Void) {
    let data = Unmanaged.passRetained(Handler<(String, Int)> { end($0.0, $0.1) }).toOpaque()
    var strings: [UnsafePointer<CChar>?] = arguments.map { UnsafePointer(g_strdup($0)) }
    defer { for string in strings { g_free(UnsafeMutableRawPointer(mutating: string)) } }
    strings.append(nil)
    cadw_run(
        &strings,
        { data, output, status in
            let output = output.map { String(cString: $0) } ?? ""
            Handler<(String, Int)>.call(data, (output, Int(status)))
            Handler<(String, Int)>.released(data)
        },
        data
    )
}

/// Calls a closure once a minute as long as the process runs.
@MainActor
func everyMinute(_ body: @escaping @MainActor () -> Void) {
    let data = Unmanaged.passRetained(Handler<Void>(body)).toOpaque()
    cadw_every_minute(
        { data in
            Handler<Void>.call(data, ())
            return 1
        },
        data
    )
}

/// Runs a closure on the main loop, from any thread.
func onMainLoop(_ body: @escaping @MainActor @Sendable () -> Void) {
    let data = Unmanaged.passRetained(Handler<Void>(body)).toOpaque()
    g_idle_add_full(
        G_PRIORITY_DEFAULT,
        { data in
            Handler<Void>.call(data, ())
            return 0
        },
        data
    ) { Handler<Void>.released($0) }
}
