import Foundation
import HandoffApps
import TestLimits
import Testing

@Suite("Documents open without a question if their type is known to do nothing", .endsWithin(minutes: 5))
struct InertTypesTests {
    @Test("Every type of the installed database is known to do nothing, or known to need a question")
    func database() throws {
        let file = URL(filePath: "/usr/share/mime/packages/freedesktop.org.xml")
        let text = try String(contentsOf: file, encoding: .utf8)
        let types = Set(text.matches(of: /<mime-type type="([^"]+)"/).map { String($0.output.1) })
        try #require(types.count > 700)
        #expect(types.filter { !InertTypes.contains($0) && !typesWithQuestion.contains($0) }.sorted() == [])
        #expect(typesWithQuestion.filter(InertTypes.contains).sorted() == [])
    }

    @Test(
        "Text, data, pictures, sound, video, PDF, office documents and e-books do nothing",
        arguments: [
            "text/plain", "text/markdown", "text/csv", "application/json", "application/geo+json",
            "application/ld+json",
            "application/x-ipynb+json", "model/gltf+json", "image/png", "image/svg+xml", "audio/mpeg", "audio/flac",
            "video/mp4", "video/x-matroska", "application/pdf", "application/epub+zip", "application/vnd.comicbook+zip",
            "application/vnd.oasis.opendocument.text", "application/msword",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ]
    )
    func inert(type: String) {
        #expect(InertTypes.contains(type))
    }

    @Test(
        "Instructions to a program need a question, also those whose type is not in the database",
        arguments: [
            "application/x-remmina", "application/x-desktop", "application/x-shellscript", "application/x-shar",
            "text/tcl",
            "text/x-python", "application/x-python-bytecode", "application/vnd.openofficeorg.extension",
            "application/x-xpinstall", "application/x-plasma", "application/x-superkaramba", "application/x-kommander",
            "text/x-ms-regedit", "application/winhlp", "application/x-ica", "application/x-godot-project",
            "application/x-gnuplot", "text/x-matlab", "application/x-raw-disk-image-xz-compressed", "audio/x-mpegurl",
            "application/vnd.flatpak.ref", "application/postscript", "text/x-new-language", "application/octet-stream",
        ]
    )
    func asking(type: String) {
        #expect(!InertTypes.contains(type))
    }
}
