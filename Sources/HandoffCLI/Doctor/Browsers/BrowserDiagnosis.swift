import HandoffBrowser

/// What works of the extension in each browser: facts in, findings out.
enum BrowserDiagnosis {
    /// Returns the findings of `handoffctl doctor` about browsers.
    static func findings(from browsers: [BrowserFacts]) -> [Finding] {
        browsers.compactMap { facts in
            if facts.isConnected {
                return .good("browser-extension", "\(facts.browser.name) runs with the extension of Handoff.")
            }
            guard let problem = problem(with: facts) else { return nil }
            return .advice("browser-sandbox", problem, cure: nil)
        }
    }

    /// Why the extension does not work in a browser, or only in part; nil if nothing prevents it.
    static func problem(with facts: BrowserFacts) -> String? {
        guard let package = facts.packages.first, package != .system else { return nil }
        let name = facts.browser.name
        switch (package, facts.browser) {
        case (.snap, .firefox):
            return
                "\(name) is a Snap. It finds the host of the extension only through the portal of Ubuntu's desktop, "
                + "which asks once; pages open in it either way."
        case (.flatpak, .firefox):
            return
                "\(name) is a Flatpak. Before version 157, or without xdg-native-messaging-proxy, it starts no native "
                + "host, so that the extension does not work; pages open in it, without their position."
        case (.snap, _), (.flatpak, _):
            return
                "\(name) is a \(package == .snap ? "Snap" : "Flatpak"), which starts no native host, so that the "
                + "extension does not work; pages open in it, without their position."
        case (.system, _): return nil
        }
    }
}
