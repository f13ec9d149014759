import Foundation
import HandoffBus
import TestLimits
import Testing

@Suite("Docs/dbus/errors.md explains every error", .endsWithin(minutes: 10))
struct ErrorPageTests {
    @Test("Each error has its section, and nothing else has one")
    func sections() throws {
        let page = try Page("dbus/errors.md")
        #expect(Set(page.headings(3)) == Set(HandoffErrorName.allCases.map(\.rawValue)))
        for name in HandoffErrorName.allCases {
            let section = page.section("### \(name.rawValue)").joined(separator: "\n")
            #expect(section.contains("**What to do.**"), "\(name)")
        }
    }

    @Test(
        "Every error that a page names exists",
        arguments: [
            "dbus/README.md", "dbus/Manager1.md", "dbus/Activity1.md", "dbus/NearbyActivity1.md", "dbus/Device1.md",
            "dbus/Application1.md", "dbus/Apps1.md", "dbus/Documents1.md", "dbus/Pairing1.md", "dbus/PairingAgent1.md",
            "handoffctl.md",
        ]
    )
    func links(_ path: String) throws {
        let anchors = Set(HandoffErrorName.allCases.map { $0.rawValue.lowercased() })
        for link in try Documentation.text(path).matches(of: /errors\.md#([A-Za-z-]+)/) {
            #expect(anchors.contains(String(link.1)), "\(link.0)")
        }
        for name in try Documentation.text(path).matches(of: /org\.handoffd\.Error\.([A-Za-z]+)/) {
            #expect(HandoffErrorName(rawValue: String(name.1)) != nil, "\(name.0)")
        }
    }
}
