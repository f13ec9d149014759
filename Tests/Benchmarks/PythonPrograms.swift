/// The service and the client with python3-dbus, which many programs on a Linux desktop use.
enum PythonPrograms {
    /// Serves until it is killed.
    static let service = """
        import dbus.mainloop.glib, dbus.service
        from gi.repository import GLib

        class Echo(dbus.service.Object):
            @dbus.service.method("org.example.Echo", in_signature="s", out_signature="s")
            def Echo(self, text):
                return text

        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        bus = dbus.SessionBus()
        name = dbus.service.BusName("org.example.Echo.Python", bus)
        echo = Echo(bus, "/org/example/Echo")
        print("ready", flush=True)
        GLib.MainLoop().run()
        """

    /// Calls a service, and prints the nanoseconds per call.
    static let client = """
        import dbus, sys, time

        service, text, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
        proxy = dbus.SessionBus().get_object(service, "/org/example/Echo", introspect=False)
        echo = proxy.get_dbus_method("Echo", "org.example.Echo")
        for _ in range(16):
            echo(text)
        start = time.monotonic_ns()
        for _ in range(calls):
            echo(text)
        print((time.monotonic_ns() - start) / calls)
        """
}
