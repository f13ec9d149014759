import Foundation
import HandoffAttackModel
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Docs/ThreatModel.md says what the tests have found", .endsWithin(minutes: 10))
struct TableTests {
    @Test("its table of attacks is the tests' own")
    func table() throws {
        print(Attack.table)
        let document = try String(
            contentsOf: VectorDirectory.root.appending(path: "Docs/ThreatModel.md"),
            encoding: .utf8
        )
        #expect(document.contains("\n" + Attack.table + "\n"))
        #expect(Attack.all.map(\.number) == Array(1...Attack.all.count))
    }

    @Test("nothing asks bluetoothd to pair")
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
