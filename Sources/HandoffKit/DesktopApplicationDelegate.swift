import DBus
public import FoundationEssentials
import HandoffBus

/// Starts an app and opens documents in it when the user does so on the desktop, beside continuing activities.
///
/// A desktop starts an app whose desktop file has `DBusActivatable=true` by calls of `org.freedesktop.Application`, which
/// HandoffKit serves under the id that the app passes to ``Handoff/run(application:delegate:bus:_:)``. If the app's
/// delegate conforms to this protocol, it gets them. handoffd opens documents in the same way.
///
/// The conforming type decides on which actor the methods run, as with ``UserActivityDelegate``. All requirements are
/// optional.
public protocol DesktopApplicationDelegate: HandoffApplicationDelegate {
    /// Shows the app to the user, who has started it or has chosen it again.
    ///
    /// - Parameters:
    ///   - handoff: the connection of the app.
    ///   - activationToken: the token with which a window may take the focus (XDG activation); nil if there is none.
    func applicationDidActivate(_ handoff: Handoff, activationToken: String?) async

    /// Opens documents or web pages.
    ///
    /// - Parameters:
    ///   - handoff: the connection of the app.
    ///   - urls: the addresses, of which most have the scheme `file`.
    ///   - activationToken: the token with which a window may take the focus; nil if there is none.
    /// - Returns: whether the app opens them; the default implementation returns false.
    func application(_ handoff: Handoff, open urls: [URL], activationToken: String?) async -> Bool

    /// Performs an action of the app's desktop file, such as `new-window`.
    ///
    /// - Parameters:
    ///   - handoff: the connection of the app.
    ///   - action: the name of the action.
    ///   - activationToken: the token with which a window may take the focus; nil if there is none.
    /// - Returns: whether the app has such an action; the default implementation returns false.
    func application(_ handoff: Handoff, performAction action: String, activationToken: String?) async -> Bool
}

extension DesktopApplicationDelegate {
    public func applicationDidActivate(_ handoff: Handoff, activationToken: String?) async {}

    public func application(_ handoff: Handoff, open urls: [URL], activationToken: String?) async -> Bool { false }

    public func application(_ handoff: Handoff, performAction action: String, activationToken: String?) async -> Bool {
        false
    }
}

/// The D-Bus object on which a desktop starts the app.
///
/// It is served for every app with an id: a menu waits for the answer to `Activate`.
struct DesktopApplicationObject: DesktopApplicationHandler {
    let handoff: Handoff

    func activate(_ platform: PlatformData) async throws {
        await delegate?.applicationDidActivate(handoff, activationToken: platform.activationToken)
    }

    func open(_ addresses: [String], _ platform: PlatformData) async throws {
        let urls = try addresses.map { text in
            guard let url = URL(string: text) else {
                throw DBusError.failure(.invalidArguments, "\(text.debugDescription) is not a URL.")
            }
            return url
        }
        let token = platform.activationToken
        guard await delegate?.application(handoff, open: urls, activationToken: token) == true else {
            throw DBusError.failure(.notSupported, "The app does not open \(addresses.joined(separator: ", ")).")
        }
    }

    func activateAction(_ name: String, _ parameter: Value?, _ platform: PlatformData) async throws {
        let token = platform.activationToken
        guard await delegate?.application(handoff, performAction: name, activationToken: token) == true else {
            throw DBusError.failure(.notSupported, "The app has no action \(name.debugDescription).")
        }
    }

    private var delegate: (any DesktopApplicationDelegate)? { handoff.delegate as? any DesktopApplicationDelegate }
}

extension ErrorName {
    fileprivate static let invalidArguments: ErrorName = "org.freedesktop.DBus.Error.InvalidArgs"
    fileprivate static let notSupported: ErrorName = "org.freedesktop.DBus.Error.NotSupported"
}
