import HandoffApps
import HandoffModel
import TestLimits
import Testing

@Suite("A page whose site approves an app opens that app", .endsWithin(minutes: 10))
struct SiteAppTests {
    private static func app(_ id: String, _ domains: String, _ lines: String = "DBusActivatable=true") throws -> App {
        let text = "[Desktop Entry]\nType=Application\nName=\(id)\nX-Handoff-TeamID=T\n"
        let list = domains.split(separator: " ").map { "activitycontinuation:\($0);" }.joined()
        return try #require(try App(id: id, DesktopEntry(text + "X-Handoff-AssociatedDomains=\(list)\n" + lines)))
    }

    private static func page(_ address: String, type: ActivityType = .browsingWeb) throws -> Activity {
        try Activity(type: type, title: "Page", webpageURL: WebpageURL(address), userInfo: ["x": .string("secret")])
    }

    /// A registry in which every claim is approved.
    private static func registry(_ apps: App...) -> AppRegistry {
        var registry = AppRegistry(apps: apps)
        registry.siteApprovals = registry.siteClaims
        return registry
    }

    private static func ids(_ registry: AppRegistry, _ address: String) throws -> [String] {
        registry.recipients(of: try page(address)).map(\.id)
    }

    @Test("An app needs no activity type to claim a domain, and is no browser for that")
    func claim() throws {
        let app = try Self.app("org.a.App", "example.org *.example.org")
        #expect(app.types.isEmpty && app.associatedDomains.count == 2)
        #expect(app.siteClaims.map(\.app.description) == ["T.org.a.App", "T.org.a.App"])
        #expect(
            AppRegistry(apps: [app]).launchTarget(for: ActivityKind(.browsingWeb, team: nil), hasWebpage: true)
                == .browser
        )
        #expect(try Self.ids(AppRegistry(apps: [app]), "https://example.org/").isEmpty, "nobody approves it")
    }

    @Test("Pages of the domain open the app, and others do not; unusual addresses go to the browser")
    func pages() throws {
        let registry = Self.registry(try Self.app("org.a.App", "example.org *.example.net"))
        for address in ["https://example.org/a", "http://EXAMPLE.org", "https://a.b.example.net/"] {
            #expect(try Self.ids(registry, address) == ["org.a.App"], "\(address)")
        }
        for address in [
            "https://www.example.org/", "https://example.net/", "https://example.org:8443/", "https://u@example.org/",
            "https://example.org.evil.example/", "https://evil.example/https://example.org/",
        ] {
            #expect(try Self.ids(registry, address).isEmpty, "\(address)")
        }
        #expect(
            registry.recipients(of: try Self.page("https://example.org/", type: ActivityType("org.a.edit"))).isEmpty
        )
    }

    @Test("Of several apps, the one that claims the host comes first, then the longer wildcard, then the order of apps")
    func choice() throws {
        let registry = Self.registry(
            try Self.app("org.a.Wide", "*.example.org"),
            try Self.app("org.b.Wide", "*.example.org"),
            try Self.app("org.c.Narrow", "*.b.example.org"),
            try Self.app("org.d.Exact", "a.b.example.org *.example.org")
        )
        let all = ["org.d.Exact", "org.c.Narrow", "org.a.Wide", "org.b.Wide"]
        #expect(try Self.ids(registry, "https://a.b.example.org/") == all)
        #expect(try Self.ids(registry, "https://c.example.org/") == ["org.a.Wide", "org.b.Wide", "org.d.Exact"])
    }

    @Test("An approved app precedes the browsers, and is left out when it cannot take an address or is denied")
    func beforeBrowsers() throws {
        let text =
            "[Desktop Entry]\nType=Application\nName=b\nX-Handoff-ActivityTypes=NSUserActivityTypeBrowsingWeb\nExec=b %u"
        let browser = try #require(try App(id: "browser", DesktopEntry(text)))
        let documents = "X-Handoff-DocumentTypes=text/plain=a.b\nExec=viewer %f"
        var registry = Self.registry(
            browser,
            try Self.app("org.a.App", "example.org"),
            try Self.app("viewer", "example.org", documents)
        )
        registry.browserID = "browser"
        registry.defaults[.browsingWeb] = "browser"
        #expect(try Self.ids(registry, "https://example.org/") == ["org.a.App", "browser"])
        #expect(try Self.ids(registry, "https://example.com/") == ["browser"])
        #expect(try Self.ids(registry.filtered { $0.id != "org.a.App" }, "https://example.org/") == ["browser"])
    }

    @Test("The app gets the address and the title, and no userInfo")
    func activity() throws {
        let activity = try #require(AppRegistry.siteActivity(of: try Self.page("https://example.org/a")))
        #expect(activity.type == .browsingWeb && activity.webpageURL?.rawValue == "https://example.org/a")
        #expect(activity.title == "Page" && activity.userInfo.isEmpty && activity.teamID == nil)
    }

    @Test("A malformed domain and more than 20 are errors of the file; an app without a simple team asks for nothing")
    func faults() throws {
        #expect(throws: AppError.self) { try Self.app("a.b", "Example.org") }
        #expect(throws: AppError.self) { try Self.app("a.b", (0..<21).map { "s\($0).example" }.joined(separator: " ")) }
        let claim = "X-Handoff-AssociatedDomains=activitycontinuation:example.org\nDBusActivatable=true"
        for team in ["", "X-Handoff-TeamID=ORG.example\n"] {
            let entry = try DesktopEntry("[Desktop Entry]\nType=Application\nName=a\n" + team + claim)
            let app = try #require(try App(id: "a.b", entry))
            #expect(app.siteClaims.isEmpty && app.associatedDomains.count == 1)
        }
        let other = "[Desktop Entry]\nType=Application\nName=a\nX-Handoff-AssociatedDomains=applinks:example.org;\n"
        #expect(try App(id: "a.b", DesktopEntry(other)) == nil)
    }
}
