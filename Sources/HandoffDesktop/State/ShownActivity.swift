package import DBus
import HandoffBus
import HandoffClient

/// An activity of another device as people see it; all texts are safe to show.
package struct ShownActivity: Hashable, Sendable {
    package let path: ObjectPath
    /// The title, if it is known.
    package let title: String?
    /// What would open it: an app's name, or the kind of the activity.
    package let app: String
    /// The name of its device.
    package let device: String
    /// The name or path of an icon.
    package let icon: String
    /// Its type; empty while it is unknown.
    package let type: String
    /// Why it cannot be continued here, in a few words; nil if it can.
    package let obstacle: String?

    init(_ activity: NearbyActivityDescription, title: String?) {
        path = activity.path
        self.title = title.flatMap { $0.isEmpty ? nil : $0.shown }
        device = activity.deviceName.isEmpty ? "another device" : activity.deviceName.shown
        type = activity.type.shown
        let name = activity.applicationName.isEmpty ? activity.application : activity.applicationName
        let fallback: (app: String, icon: String) =
            switch activity.opensWith {
            case "browser": ("Web page", "web-browser")
            case "document": ("Document", "text-x-generic")
            default: (activity.type.isEmpty ? "Activity" : type, HandoffName.desktopFile)
            }
        app = name.isEmpty ? fallback.app : name.shown
        icon = activity.applicationIcon.isEmpty ? fallback.icon : activity.applicationIcon
        obstacle = activity.opensWith == "none" ? "no app here continues it" : nil
    }

    /// The activity in one line: `“Draft” – Editor from laptop`.
    package var line: String {
        let what = title.map { "“\($0)” – \(app)" } ?? app
        return "\(what) from \(device)" + (obstacle.map { " (\($0))" } ?? "")
    }
}

extension DesktopState {
    /// The activities of other devices, the newest first.
    package var activities: [ShownActivity] {
        (mirror?.objects.nearby ?? []).sorted { ($0.firstSeen, $0.id) > ($1.firstSeen, $1.id) }
            .map { ShownActivity($0, title: titles[$0.path]) }
    }
}
