import Crypto
import Foundation
import HandoffApps
import HandoffBrowser
import HandoffModel
import TestLimits
import Testing

@Suite("The extension, its host and the files by which they find each other", .endsWithin(minutes: 10))
struct ExtensionTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Extensions/Browser").standardized

    private static func json(_ file: String) throws -> [String: Any] {
        let data = try Data(contentsOf: directory.appending(path: file))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    @Test("The extension asks for these permissions and no others, and never runs in private windows")
    func permissions() throws {
        let manifest = try Self.json("manifest.json")
        let permissions = try #require(manifest["permissions"] as? [String])
        #expect(permissions == ["alarms", "nativeMessaging", "scripting", "storage", "tabs"])
        #expect(manifest["host_permissions"] == nil && manifest["content_scripts"] == nil)
        #expect(manifest["optional_host_permissions"] as? [String] == ["http://*/*", "https://*/*"])
        #expect(manifest["incognito"] as? String == "not_allowed")
        #expect(manifest["content_security_policy"] == nil, "that of the browser allows no code from elsewhere")
    }

    @Test("The ids with which the host's manifests allow the extension are those of the extension's manifest")
    func ids() throws {
        let manifest = try Self.json("manifest.json")
        let key = try #require((manifest["key"] as? String).flatMap { Data(base64Encoded: $0) })
        let settings = manifest["browser_specific_settings"] as? [String: [String: Any]]
        #expect(settings?["gecko"]?["id"] as? String == InstalledFile.firefoxID)
        #expect(Self.chromiumID(of: key) == InstalledFile.chromiumID)
    }

    @Test("Each language has the same texts, with the same placeholders")
    func languages() throws {
        let english = try Self.json("_locales/en/messages.json")
        let german = try Self.json("_locales/de/messages.json")
        #expect(english.count > 10 && Set(english.keys) == Set(german.keys))
        let text = { (messages: [String: Any], key: String) in (messages[key] as? [String: String])?["message"] ?? "" }
        for key in english.keys {
            let (one, other) = (text(english, key), text(german, key))
            #expect(!one.isEmpty && !other.isEmpty && one.contains("$1") == other.contains("$1"), "\(key)")
        }
    }

    @Test("Each text that the popup uses exists, and the popup has no code in its page")
    func texts() throws {
        let names = try Set(Self.json("_locales/en/messages.json").keys)
        let page = try String(contentsOf: Self.directory.appending(path: "popup.html"), encoding: .utf8)
        let script = try String(contentsOf: Self.directory.appending(path: "popup.js"), encoding: .utf8)
        let used =
            page.matches(of: /data-text="(\w+)"/).map { String($0.1) }
            + script.matches(of: /text\("(\w+)"/).map { String($0.1) }
        #expect(used.count > 10 && Set(used).isSubset(of: names))
        #expect(page.matches(of: /<script/).count == 1 && !page.contains(" on"))
        #expect(!script.contains("innerHTML"), "what another device names is text, never markup")
    }

    @Test("A user's manifest is JSON that names the host and the one extension", arguments: Browser.allCases)
    func manifest(_ browser: Browser) throws {
        let files = InstalledFile.files(
            of: browser,
            home: "/h",
            data: "/h/d",
            configuration: "/h/c",
            host: "/a \"b\\/host"
        )
        let file = try #require(files.first { $0.path.hasSuffix(".json") })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(file.text.utf8)) as? [String: Any])
        #expect(object["name"] as? String == "org.handoffd.browser" && object["type"] as? String == "stdio")
        #expect(object["path"] as? String == "/a \"b\\/host")
        let allowed = object[browser.isFirefox ? "allowed_extensions" : "allowed_origins"] as? [String]
        #expect(allowed?.count == 1 && object.count == 5)
        let host = try String(contentsOf: Self.directory.appending(path: "host.js"), encoding: .utf8)
        #expect(host.contains("\"\(InstalledFile.hostName)\""))
    }

    @Test(
        "The desktop file stands for the browser, and only while that is the default one",
        arguments: Browser.allCases
    )
    func desktopFile(_ browser: Browser) throws {
        let files = InstalledFile.systemFiles(of: browser, data: "/usr/share", host: "/usr/bin/host")
        let file = try #require(files.first { $0.path.hasSuffix(".desktop") })
        #expect(file.path == "/usr/share/applications/\(browser.application).desktop")
        let entry = try DesktopEntry(file.text)
        let app = try #require(try App(id: browser.application, entry))
        #expect(app.launchMethod == .bus && app.browsers == browser.desktopFiles)
        var registry = AppRegistry(apps: [app])
        #expect(registry.claimants(of: .browsingWeb).isEmpty && registry.browser == nil)
        for id in browser.desktopFiles {
            registry.browserID = id
            #expect(registry.claimants(of: .browsingWeb) == [app] && registry.browser == app)
        }
        registry.browserID = "another"
        #expect(registry.claimants(of: .browsingWeb).isEmpty)
        registry.defaults[.browsingWeb] = browser.application
        #expect(registry.claimants(of: .browsingWeb) == [app], "the user has chosen it")
        let sandboxed = try App(id: browser.application, entry, isExported: true)
        #expect(sandboxed?.browsers == [], "a sandboxed app stands for nothing but itself")
    }

    @Test(
        "The host knows whether a browser has started it",
        arguments: [
            (["chrome-extension://\(InstalledFile.chromiumID)/"], .browser),
            (["/usr/lib/mozilla/x.json", InstalledFile.firefoxID], .browser),
            (["chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"], .other),
            (["/x.json", "other@example.org"], .other),
            ([], .other), (["--help"], .help), (["--version"], .version), (["--bus"], .other),
        ] as [([String], HostInvocation)]
    )
    func invocation(_ arguments: [String], _ invocation: HostInvocation) {
        #expect(HostInvocation(arguments) == invocation)
    }

    /// The rule of Chromium: 16 bytes of SHA-256, each half byte as a letter.
    private static func chromiumID(of key: Data) -> String {
        let letters = Array("abcdefghijklmnop")
        return String(SHA256.hash(data: key).prefix(16).flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] })
    }
}
