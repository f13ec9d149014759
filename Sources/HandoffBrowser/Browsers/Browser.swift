/// A browser in which the extension runs.
package enum Browser: String, CaseIterable, Hashable, Sendable {
    case firefox, chromium, chrome

    /// Its name for people.
    package var name: String {
        switch self {
        case .firefox: "Firefox"
        case .chromium: "Chromium"
        case .chrome: "Google Chrome"
        }
    }

    /// The name that the host owns on the bus while this browser runs: that of a desktop file, with which the daemon
    /// finds it.
    package var application: String {
        switch self {
        case .firefox: "org.handoffd.Browser.Firefox"
        case .chromium: "org.handoffd.Browser.Chromium"
        case .chrome: "org.handoffd.Browser.Chrome"
        }
    }

    /// The ids of the desktop files with which its packages come, without `.desktop`: Debian's and Ubuntu's, the
    /// vendor's, and those of Snap and Flatpak.
    package var desktopFiles: [String] {
        switch self {
        case .firefox: ["firefox-esr", "firefox", "firefox_firefox", "org.mozilla.firefox"]
        case .chromium: ["chromium", "chromium-browser", "chromium_chromium", "org.chromium.Chromium"]
        case .chrome: ["google-chrome", "com.google.Chrome"]
        }
    }

    /// The programs by which it is found on the search path; that of a Snap is another file.
    package var programs: [String] {
        switch self {
        case .firefox: ["firefox-esr", "firefox"]
        case .chromium: ["chromium", "chromium-browser"]
        case .chrome: ["google-chrome", "google-chrome-stable"]
        }
    }

    /// The name of its Snap; nil if there is none.
    package var snap: String? {
        switch self {
        case .firefox: "firefox"
        case .chromium: "chromium"
        case .chrome: nil
        }
    }

    /// The id of its Flatpak.
    package var flatpak: String {
        switch self {
        case .firefox: "org.mozilla.firefox"
        case .chromium: "org.chromium.Chromium"
        case .chrome: "com.google.Chrome"
        }
    }

    /// Whether it takes extensions of Firefox; else it takes those of Chromium.
    package var isFirefox: Bool { self == .firefox }
}
