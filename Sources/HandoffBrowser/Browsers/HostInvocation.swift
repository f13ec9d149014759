/// Whether a browser has started the host for the extension, as its arguments say.
package enum HostInvocation: Hashable, Sendable {
    /// A browser runs the host for the extension.
    case browser
    case help
    case version
    /// Something else has started it, such as a person.
    case other

    /// - Parameter arguments: the arguments after the program's name.
    package init(_ arguments: [String]) {
        switch arguments {
        case ["--help"], ["-h"]: self = .help
        case ["--version"]: self = .version
        // developer.chrome.com, "Native messaging": the origin of the caller.
        case let some where some.first == "chrome-extension://\(InstalledFile.chromiumID)/": self = .browser
        // MDN, "Native messaging": the path of the manifest, and the id of the extension.
        case let some where some.count == 2 && some[1] == InstalledFile.firefoxID: self = .browser
        default: self = .other
        }
    }

    /// What the program is, for a person who has started it.
    package static let explanation = """
        handoff-browser-host connects a browser to handoffd. The browser starts it for the extension
        "Handoff", and it ends with the browser; there is nothing to do with it by hand.

        handoffctl browser status    shows whether your browsers find it
        handoffctl browser install   makes your browsers find it

        """
}
