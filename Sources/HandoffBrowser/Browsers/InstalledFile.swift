/// A file by which a browser finds the host, or the daemon finds the browser.
package struct InstalledFile: Hashable, Sendable {
    /// The absolute path.
    package let path: String
    /// The content, UTF-8.
    package let text: String

    /// The name of the host, by which the extension asks for it.
    package static let hostName = "org.handoffd.browser"

    /// The extension's id in Firefox: `browser_specific_settings.gecko.id` in its manifest.
    package static let firefoxID = "handoff@handoffd.org"

    /// The extension's id in Chromium, which follows from `key` in its manifest: the first 16 bytes of the SHA-256 of
    /// the public key, each half byte as a letter from a to p.
    package static let chromiumID = "cokaofdipkecenhncfifcnkimkeeohom"

    /// Returns the same file below another directory than `/`.
    package func below(_ root: String) -> InstalledFile { InstalledFile(path: root + path, text: text) }

    /// The files of a user for a browser.
    ///
    /// - Parameters:
    ///   - browser: the browser.
    ///   - home: the user's home directory.
    ///   - data: the user's data directory, `XDG_DATA_HOME`.
    ///   - configuration: the user's configuration directory, `XDG_CONFIG_HOME`.
    ///   - host: the path of handoff-browser-host.
    package static func files(
        of browser: Browser,
        home: String,
        data: String,
        configuration: String,
        host: String
    ) -> [InstalledFile] {
        // MDN, "Native manifests"; developer.chrome.com, "Native messaging host location".
        let directory =
            switch browser {
            case .firefox: "\(home)/.mozilla/native-messaging-hosts"
            case .chromium: "\(configuration)/chromium/NativeMessagingHosts"
            case .chrome: "\(configuration)/google-chrome/NativeMessagingHosts"
            }
        return files(of: browser, manifests: directory, applications: "\(data)/applications", host: host)
    }

    /// The files of a system for a browser.
    ///
    /// - Parameters:
    ///   - browser: the browser.
    ///   - data: the directory of the system's or the package's data, such as `/usr/share`.
    ///   - host: the path of handoff-browser-host.
    package static func systemFiles(of browser: Browser, data: String, host: String) -> [InstalledFile] {
        let directory =
            switch browser {
            case .firefox: "/usr/lib/mozilla/native-messaging-hosts"
            case .chromium: "/etc/chromium/native-messaging-hosts"
            case .chrome: "/etc/opt/chrome/native-messaging-hosts"
            }
        return files(of: browser, manifests: directory, applications: "\(data)/applications", host: host)
    }

    private static func files(
        of browser: Browser,
        manifests: String,
        applications: String,
        host: String
    ) -> [InstalledFile] {
        [
            InstalledFile(path: "\(manifests)/\(hostName).json", text: manifest(for: browser, host: host)),
            InstalledFile(path: "\(applications)/\(browser.application).desktop", text: desktopFile(for: browser)),
        ]
    }

    private static func manifest(for browser: Browser, host: String) -> String {
        // Each browser refuses the other's key.
        let allowed =
            browser.isFirefox
            ? #""allowed_extensions": ["\#(firefoxID)"]"#
            : #""allowed_origins": ["chrome-extension://\#(chromiumID)/"]"#
        return """
            {
              "name": "\(hostName)",
              "description": "Continue web pages on your other computers",
              "path": "\(quoted(host))",
              "type": "stdio",
              \(allowed)
            }

            """
    }

    /// The text inside the quotation marks of a JSON string.
    private static func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func desktopFile(for browser: Browser) -> String {
        """
        [Desktop Entry]
        Type=Application
        Name=\(browser.name)
        Comment=The open windows of the browser, through the extension of Handoff
        Icon=\(browser.desktopFiles[0])
        NoDisplay=true
        DBusActivatable=true
        X-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb;
        X-Handoff-Browsers=\(browser.desktopFiles.joined(separator: ";"));

        """
    }
}
