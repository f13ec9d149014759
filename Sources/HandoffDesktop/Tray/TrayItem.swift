import DBus
import HandoffBus
import Synchronization

/// The tray item on the bus, `org.kde.StatusNotifierItem`.
///
/// It has no `Activate`: as `ItemIsMenu` says, a click opens the menu.
final class TrayItem: Sendable {
    /// The path that hosts expect of an item that is registered by a bus name.
    static let path: ObjectPath = "/StatusNotifierItem"
    private static let interface: InterfaceName = "org.kde.StatusNotifierItem"

    private let status = Mutex(DesktopState().trayStatus)
    private let connection: Connection
    private let menu: ObjectPath
    /// Is called when the person presses the item with the second button; must not block.
    private let activateSecondarily: @Sendable () -> Void
    /// Is called with the token with which what the next click starts may take the focus.
    private let provideToken: @Sendable (String) -> Void

    init(
        connection: Connection,
        menu: ObjectPath,
        activateSecondarily: @escaping @Sendable () -> Void,
        provideToken: @escaping @Sendable (String) -> Void
    ) {
        (self.connection, self.menu) = (connection, menu)
        (self.activateSecondarily, self.provideToken) = (activateSecondarily, provideToken)
    }

    /// Replaces what the item shows, and tells hosts what has changed.
    func show(_ new: TrayStatus) {
        status.withLock { status in
            let old = status
            status = new
            // Under the lock, so that signals are in the order of the changes.
            if new.icon != old.icon {
                emit("NewIcon")
                emit("NewAttentionIcon")
            }
            if (new.title, new.text, new.icon) != (old.title, old.text, old.icon) { emit("NewToolTip") }
            if new.attention != old.attention { emit("NewStatus", [.string(new.attention.rawValue)]) }
        }
    }

    /// The interface, for the object at ``path``.
    var description: Interface {
        let position = [Argument(name: "x", type: .int32), Argument(name: "y", type: .int32)]
        let secondary = Method(name: "SecondaryActivate", inputs: position) { _ in
            self.activateSecondarily()
            return .reply([])
        }
        let token = Method(
            name: "ProvideXdgActivationToken",
            inputs: [Argument(name: "token", type: .string)]
        ) { invocation in
            self.provideToken(try invocation.arguments.decode(at: 0, as: String.self))
            return .reply([])
        }
        let scroll = Method(
            name: "Scroll",
            inputs: [Argument(name: "delta", type: .int32), Argument(name: "orientation", type: .string)]
        ) { _ in .reply([]) }
        return Interface(
            name: Self.interface,
            methods: [secondary, token, scroll],
            properties: constants + changing,
            signals: Self.signals
        )
    }

    private var constants: [Property] {
        let menu = menu
        return [
            Property(name: "Category", type: .string, changes: .constant) { .string("SystemServices") },
            Property(name: "Id", type: .string, changes: .constant) { .string(HandoffName.desktopFile) },
            Property(name: "WindowId", type: .int32, changes: .constant) { .int32(0) },
            Property(name: "ItemIsMenu", type: .boolean, changes: .constant) { .boolean(true) },
            Property(name: "Menu", type: .objectPath, changes: .constant) { .objectPath(menu) },
            Property(name: "IconThemePath", type: .string, changes: .constant) { .string("") },
            Property(name: "OverlayIconName", type: .string, changes: .constant) { .string("") },
            Property(name: "AttentionMovieName", type: .string, changes: .constant) { .string("") },
        ]
            + ["IconPixmap", "OverlayIconPixmap", "AttentionIconPixmap"].map { name in
                Property(name: name, type: Self.pixmaps, changes: .constant) { Self.noPixmap }
            }
    }

    private var changing: [Property] {
        [
            property("Title") { .string($0.title) },
            property("Status") { .string($0.attention.rawValue) },
            property("IconName") { .string($0.icon) },
            property("AttentionIconName") { .string($0.icon) },
            property("ToolTip", .structure([.string, Self.pixmaps, .string, .string])) {
                .structure([.string($0.icon), Self.noPixmap, .string($0.title), .string($0.text)])
            },
        ]
    }

    /// A property whose change is told by a signal of the interface itself.
    private func property(
        _ name: MemberName,
        _ type: ValueType = .string,
        _ value: @escaping @Sendable (TrayStatus) -> Value
    ) -> Property {
        Property(name: name, type: type, changes: .silent) { value(self.status.withLock { $0 }) }
    }

    private func emit(_ member: MemberName, _ arguments: [Value] = []) {
        connection.emit(Signal(path: Self.path, interface: Self.interface, member: member, arguments: arguments))
    }

    private static let pixmap = ValueType.structure([.int32, .int32, .array(.byte)])
    private static let pixmaps = ValueType.array(pixmap)
    private static let noPixmap = Value.array(of: pixmap, [])

    private static let signals =
        (["NewTitle", "NewIcon", "NewAttentionIcon", "NewOverlayIcon", "NewToolTip"] as [MemberName])
        .map { SignalDescription(name: $0) }
        + [SignalDescription(name: "NewStatus", arguments: [Argument(name: "status", type: .string)])]
}
