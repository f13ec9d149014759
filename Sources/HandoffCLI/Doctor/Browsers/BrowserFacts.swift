import HandoffBrowser

/// What is known of a browser on this computer, without any judgement.
struct BrowserFacts: Hashable, Sendable {
    /// The way in which a browser is installed.
    enum Package: String, Hashable, Sendable, Encodable {
        /// As programs of the system, in no sandbox.
        case system
        case snap, flatpak
    }

    let browser: Browser
    /// The ways in which it is installed; none if it is not.
    var packages: [Package]
    /// The path of the manifest by which it finds the host: the user's before the system's; nil if there is none.
    var manifest: String?
    /// Whether it is the default browser.
    var isDefault = false
    /// Whether it runs with the extension: its host is on the bus.
    var isConnected = false

    var isInstalled: Bool { !packages.isEmpty }
}
