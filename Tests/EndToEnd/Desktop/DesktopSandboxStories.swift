import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("What programs in a sandbox may do with handoff-desktop", .endsWithin(minutes: 15, instances: 2))
struct DesktopSandboxStories {
    @Test("A program in a Flatpak's sandbox gets nothing of the menu, the search or the icon, and clicks nothing")
    func flatpak() async throws {
        try await World.run { world in
            try world.write("[Application]\nname=org.example.Sandboxed\n", to: "sandbox/.flatpak-info")
            try world.write(Self.program, to: "sandboxed.py")
            let paths = ["sandboxed.py", "sandbox"].map { world.directory.appending(path: $0).path() }
            try await world.withDevice("laptop") { laptop in
                try await laptop.bus.withDesktop(in: world) { _ in
                    try await laptop.bus.waitForOwner(of: HandoffName.desktop)
                    let result = try await run("/usr/bin/python3", paths + [laptop.bus.address.description])
                    let answers = result.stdout.split(separator: "\n")
                    #expect(answers.count == 6, "\(result.stderr)")
                    for answer in answers {
                        #expect(answer.contains(" org.handoffd.Error.CallerSandboxed "), "\(answer)")
                        #expect(answer.contains("runs in that of Flatpak"))
                    }
                    #expect(try await laptop.json("status")["paused"].boolean == false)
                }
            }
        }
    }

    /// Calls everything that handoff-desktop has for desktops; clicks each item that the menu may have.
    private static let program = """
        import ctypes, os, sys
        import dbus, dbus.bus

        root, address = sys.argv[1:]
        bus = dbus.bus.BusConnection(address)
        # Whoever is not root needs a user namespace (CLONE_NEWUSER) to change its root directory, as Flatpak does.
        if os.geteuid() != 0 and ctypes.CDLL(None).unshare(0x10000000) != 0:
            sys.exit("no user namespaces")
        os.chroot(root)
        os.chdir("/")

        MENU, SEARCH = "com.canonical.dbusmenu", "org.gnome.Shell.SearchProvider2"
        clicks = [(number, "clicked", dbus.Int32(0, variant_level=1), 0) for number in range(1, 30)]
        for path, interface, member, signature, arguments in [
            ("/MenuBar", MENU, "GetLayout", "iias", (0, -1, [])),
            ("/MenuBar", MENU, "EventGroup", "a(isvu)", (clicks,)),
            ("/StatusNotifierItem", "org.freedesktop.DBus.Properties", "GetAll", "s", ("org.kde.StatusNotifierItem",)),
            ("/StatusNotifierItem", "org.kde.StatusNotifierItem", "SecondaryActivate", "ii", (0, 0)),
            ("/org/handoffd/Desktop1", SEARCH, "GetInitialResultSet", "as", (["handoff"],)),
            ("/org/handoffd/Desktop1", "org.kde.krunner1", "Match", "s", ("handoff",)),
        ]:
            try:
                bus.call_blocking("org.handoffd.Desktop1", path, interface, member, signature, arguments)
                print(member, "performed")
            except dbus.DBusException as error:
                print(member, error.get_dbus_name(), error.get_dbus_message())
        """
}
