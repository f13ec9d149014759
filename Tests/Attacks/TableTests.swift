import Foundation
import HandoffAttackModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Docs/ThreatModel.md has the results of the tests", .endsWithin(minutes: 10))
struct TableTests {
    @Test("The table of attacks in the document equals the tests' table")
    func table() throws {
        print(Attack.table)
        let document = try String(
            contentsOf: VectorDirectory.root.appending(path: "Docs/ThreatModel.md"),
            encoding: .utf8
        )
        #expect(document.contains("\n" + Attack.table + "\n"))
        // Numbers are stable: one may be left out, none is used twice.
        #expect(Attack.all.map(\.number) == Set(Attack.all.map(\.number)).sorted())
    }

    @Test("No code requests bluetoothd to pair")
    func noLinkLayerTrust() throws {
        var read = 0
        for module in ["BlueZ", "HandoffRadioBlueZ", "L2CAP"] {
            let sources = VectorDirectory.root.appending(path: "Sources/\(module)")
            let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
            for case let file as URL in files where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                read += 1
                for word in [#""Pair""#, #""RegisterAgent""#, #""ConnectProfile""#] {
                    let isHere = text.contains(word)
                    #expect(!isHere, "\(file.lastPathComponent): \(word)")
                }
            }
        }
        #expect(read > 40)
    }
}
