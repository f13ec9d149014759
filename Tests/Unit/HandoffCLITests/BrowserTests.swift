import Foundation
import HandoffBrowser
@testable import HandoffCLI
import TestLimits
import Testing

@Suite("What is found of browsers", .endsWithin(minutes: 10))
struct BrowserTests {
    @Test(
        "Only a browser that no sandbox keeps from its host works with the extension",
        arguments: Browser.allCases,
        [[], [.system], [.snap], [.flatpak], [.system, .flatpak]] as [[BrowserFacts.Package]]
    )
    func sandboxes(_ browser: Browser, _ packages: [BrowserFacts.Package]) {
        let facts = BrowserFacts(browser: browser, packages: packages)
        let problem = BrowserDiagnosis.problem(with: facts)
        #expect((problem == nil) == (packages.isEmpty || packages.first == .system))
        #expect(problem?.contains(browser.name) ?? true)
        let findings = BrowserDiagnosis.findings(from: [facts])
        #expect(findings.map(\.grade) == (problem == nil ? [] : [.advice]))
    }

    @Test("A connected browser is good, whatever it is installed as")
    func connected() {
        let facts = BrowserFacts(browser: .firefox, packages: [.flatpak], isConnected: true)
        #expect(BrowserDiagnosis.findings(from: [facts]).map(\.grade) == [.good])
    }

    @Test("Snaps, Flatpaks and programs are found where they are")
    func packages() async throws {
        let root = URL.temporaryDirectory.appending(path: "browsers-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let make = { (path: String) throws in
            let file = root.appending(path: path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            #expect(
                FileManager.default.createFile(
                    atPath: file.path(),
                    contents: nil,
                    attributes: [.posixPermissions: 0o755]
                )
            )
        }
        try make("usr/bin/firefox")
        try make("snap/bin/firefox")
        try make("usr/bin/chromium")
        try make("home/a/.local/share/flatpak/app/org.chromium.Chromium/x")
        try make("var/lib/flatpak/app/com.google.Chrome/x")
        try make("etc/chromium/native-messaging-hosts/org.handoffd.browser.json")
        var files = SystemFiles()
        files.root = root.path()
        files.environment = ["HOME": "/home/a", "PATH": "/usr/bin"]
        let facts = await BrowserExamination(bus: "unix:path=/nowhere", files: files).facts()
        #expect(facts.map(\.browser) == Browser.allCases)
        #expect(facts.map(\.packages) == [[.snap], [.system, .flatpak], [.flatpak]])
        #expect(facts.map { $0.manifest != nil } == [false, true, false])
    }
}
