import DBus
import Foundation
import HandoffTestSupport

/// The panel of Xfce on a virtual display, with nothing but tray items in it, at the top left.
struct XfcePanel: Sendable {
    private let environment: [String: String]

    private static let watcher: BusName = "org.kde.StatusNotifierWatcher"
    private static let configuration = """
        <?xml version="1.0" encoding="UTF-8"?>
        <channel name="xfce4-panel" version="1.0">
          <property name="configver" type="int" value="2"/>
          <property name="panels" type="array">
            <value type="int" value="1"/>
            <property name="panel-1" type="empty">
              <property name="position" type="string" value="p=6;x=0;y=0"/>
              <property name="length" type="uint" value="100"/>
              <property name="position-locked" type="bool" value="true"/>
              <property name="size" type="uint" value="32"/>
              <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
            </property>
          </property>
          <property name="plugins" type="empty">
            <property name="plugin-1" type="string" value="systray"/>
          </property>
        </channel>
        """

    /// Runs `body` while the panel is on the bus.
    static func whileOnBus(
        on bus: PrivateBus,
        in world: World,
        _ body: @escaping @Sendable (XfcePanel) async throws -> Void
    ) async throws {
        try world.write(configuration, to: "config/xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml")
        let directories = ["XDG_CONFIG_HOME": "config", "XDG_CACHE_HOME": "cache", "XDG_RUNTIME_DIR": "run"]
        let paths = directories.mapValues { world.directory.appending(path: $0).path() }
        try world.write("", to: "run/here")
        try await withVirtualDisplay { display in
            let own = paths.merging(["XDG_DATA_DIRS": "/usr/share", "NO_AT_BRIDGE": "1"]) { $1 }
            let environment = world.environment.merging(bus.environment) { $1 }.merging(display) { $1 }
                .merging(own) { $1 }
            let arguments = ["-c", #"exec "$(ls /usr/lib/*/xfce4/xfconf/xfconfd | head -n 1)""#]
            try await withProgram("/bin/sh", arguments, environment: environment) { _ in
                try await bus.waitForOwner(of: "org.xfce.Xfconf")
                let panel = ["--disable-wm-check"]
                try await withProgram("/usr/bin/xfce4-panel", panel, environment: environment) { _ in
                    try await bus.waitForOwner(of: watcher)
                    try await body(XfcePanel(environment: environment))
                }
            }
        }
    }

    /// Clicks the first tray item, where the panel shows one; a menu that is open is closed before.
    func clickItem() async throws {
        try await perform(["key", "Escape", "mousemove", "16", "16", "click", "1"])
    }

    /// Chooses the first item of the open menu that can be chosen, with the keyboard.
    func chooseFirst() async throws {
        try await perform(["key", "Down", "key", "Return"])
    }

    private func perform(_ gestures: [String]) async throws {
        let result = try await run("/usr/bin/xdotool", gestures, environment: environment)
        try Task.checkCancellation()
        guard result.status == 0 else { throw MissingProgram(description: "xdotool failed: \(result.stderr)") }
    }
}
