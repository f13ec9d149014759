package import DBus

/// The object of an app that the desktop starts, `org.freedesktop.Application` (Desktop Entry Specification, "D-Bus
/// Activation").
package protocol DesktopApplicationHandler: Sendable {
    /// Shows the app's window.
    func activate(_ platform: PlatformData) async throws
    /// Opens documents or web pages, by their addresses.
    func open(_ addresses: [String], _ platform: PlatformData) async throws
    /// Performs an action of the app's desktop file.
    func activateAction(_ name: String, _ parameter: Value?, _ platform: PlatformData) async throws
}

/// What a desktop tells an app with each call.
package struct PlatformData: Hashable, Sendable {
    /// The token with which the app may take the focus; nil if there is none.
    package let activationToken: String?

    init(_ value: Value) {
        let entries = value.stringDictionary ?? [:]
        activationToken = entries["activation-token"]?.string ?? entries["desktop-startup-id"]?.string
    }
}

extension Interface {
    /// `org.freedesktop.Application`, served by an app.
    package static func desktopApplication(_ application: some DesktopApplicationHandler) -> Interface {
        let platform = Argument(name: "platform_data", type: [String: Value].valueType)
        let activate = Method(name: "Activate", inputs: [platform]) { invocation in
            let platform = PlatformData(invocation.arguments[0])
            return .deferred {
                try await application.activate(platform)
                return []
            }
        }
        let open = Method(
            name: "Open",
            inputs: [Argument(name: "uris", type: [String].valueType), platform]
        ) { invocation in
            let addresses = try invocation.arguments.decode(at: 0, as: [String].self)
            let platform = PlatformData(invocation.arguments[1])
            return .deferred {
                try await application.open(addresses, platform)
                return []
            }
        }
        let action = Method(
            name: "ActivateAction",
            inputs: [
                Argument(name: "action_name", type: .string),
                Argument(name: "parameter", type: .array(.variant)), platform,
            ]
        ) { invocation in
            let name = try invocation.arguments.decode(at: 0, as: String.self)
            let parameter = invocation.arguments[1].array?.first?.unwrapped
            let platform = PlatformData(invocation.arguments[2])
            return .deferred {
                try await application.activateAction(name, parameter, platform)
                return []
            }
        }
        return Interface(name: HandoffName.desktopApplicationInterface, methods: [activate, open, action])
    }
}

extension HandoffName {
    /// Implemented by apps that the desktop starts on the bus.
    package static let desktopApplicationInterface: InterfaceName = "org.freedesktop.Application"
}
