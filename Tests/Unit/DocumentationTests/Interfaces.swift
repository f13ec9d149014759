import DBus
import HandoffBus

/// The interfaces of the daemon and of those that it calls.
enum Interfaces {
    static let all = [
        ManagerInterface.declaration, ActivityInterface.declaration, NearbyActivityInterface.declaration,
        ApplicationInterface.declaration, AppsInterface.declaration, DocumentsInterface.declaration,
        RulesInterface.declaration, SettingsInterface.declaration, PairingInterface.declaration,
        PairingAgentInterface.declaration, ActivityDelegateInterface.declaration, DeviceInterface.declaration,
    ]

    /// The part of an interface's name after the last dot, which names its page.
    static func page(of interface: InterfaceDeclaration) -> String {
        interface.name.description.split(separator: ".").last.map(String.init) ?? ""
    }
}
