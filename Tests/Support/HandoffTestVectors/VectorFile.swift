package import Foundation

/// One file of Docs/vectors, with examples that another implementation must reproduce byte for byte.
package struct VectorFile<Case: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    /// What the cases show, and how to read them.
    package var about: String

    /// The examples.
    package var cases: [Case]

    /// Creates a file with these examples.
    package init(about: String, cases: [Case]) {
        self.about = about
        self.cases = cases
    }

    /// Reads `Docs/vectors/<name>.json`.
    package static func load(_ name: String) throws -> Self {
        try JSONDecoder().decode(Self.self, from: Data(contentsOf: VectorDirectory.file(name)))
    }

    /// Reads `Tests/Tables/<name>.json`, which the tests of other languages read as well.
    package static func table(_ name: String) throws -> Self {
        let file = VectorDirectory.root.appending(path: "Tests/Tables/\(name).json")
        return try JSONDecoder().decode(Self.self, from: Data(contentsOf: file))
    }

    /// Writes `Docs/vectors/<name>.json` if the environment has `HANDOFF_WRITE_VECTORS=1`.
    package func storeIfAsked(_ name: String) throws {
        guard ProcessInfo.processInfo.environment["HANDOFF_WRITE_VECTORS"] == "1" else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: VectorDirectory.file(name))
    }
}

/// The directory of the examples.
package enum VectorDirectory {
    /// The root of the repository, relative to this source file.
    package static var root: URL {
        (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    }

    /// `Docs/vectors/<name>.json`.
    package static func file(_ name: String) -> URL {
        root.appending(path: "Docs/vectors/\(name).json")
    }
}
