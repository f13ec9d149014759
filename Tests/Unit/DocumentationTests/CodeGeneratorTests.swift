import Foundation
import HandoffTestSupport
import TestLimits
import Testing

@Suite("The interface files serve the code generator of GLib", .endsWithin(minutes: 10))
struct CodeGeneratorTests {
    @Test("What gdbus-codegen makes of them compiles, and passes the descriptors of streams")
    func glib() async throws {
        try await GeneratedCode.withDirectory { directory in
            let flags = try await GeneratedCode.flags(of: "gio-unix-2.0")
            for file in GeneratedCode.files {
                let code = "\(directory)/\(file.name)"
                let names = ["--interface-prefix", "org.handoffd.", "--c-namespace", "Handoff"]
                try await GeneratedCode.output(
                    "/usr/bin/gdbus-codegen",
                    names + ["--generate-c-code", code, file.path]
                )
                try await GeneratedCode.output(
                    "/usr/bin/gcc",
                    ["-Wall", "-Werror", "-c", "\(code).c", "-o", "\(code).o"] + flags
                )
                let header = try String(contentsOfFile: "\(code).h", encoding: .utf8)
                let passesStreams = ["Manager1", "ActivityDelegate1"].contains(file.name)
                #expect(header.contains("GUnixFDList") == passesStreams, "\(file.name)")
            }
        }
    }
}
