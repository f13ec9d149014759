import Foundation
import TestLimits
import Testing

/// Qt is too large for what `make test` installs: these tests run with the stories of real programs.
@Suite("The interface files serve the code generator of Qt", .endsWithin(minutes: 10))
struct QtCodeGeneratorTests {
    @Test("What qdbusxml2cpp makes of them compiles, for programs that call and for those that are called")
    func qt() async throws {
        try await GeneratedCode.withDirectory { directory in
            let flags = try await GeneratedCode.flags(of: "Qt5DBus")
            let moc =
                try await GeneratedCode.output("/usr/bin/pkg-config", ["--variable=host_bins", "Qt5Core"]) + "/moc"
            var all = ""
            for file in GeneratedCode.files {
                for (option, kind) in [("-p", "Proxy"), ("-a", "Adaptor")] {
                    let name = file.name + kind
                    try await GeneratedCode.output(
                        "/usr/bin/qdbusxml2cpp",
                        [option, "\(directory)/\(name)", file.path]
                    )
                    try await GeneratedCode.output(
                        moc,
                        ["\(directory)/\(name).h", "-o", "\(directory)/\(name).moc.cpp"]
                    )
                    all += "#include \"\(name).cpp\"\n#include \"\(name).moc.cpp\"\n"
                }
            }
            try all.write(toFile: "\(directory)/all.cpp", atomically: true, encoding: .utf8)
            let output = ["-c", "\(directory)/all.cpp", "-o", "\(directory)/all.o"]
            try await GeneratedCode.output("/usr/bin/g++", ["-std=c++17", "-fPIC", "-I", directory] + flags + output)
            let proxy = try String(contentsOfFile: "\(directory)/Manager1Proxy.h", encoding: .utf8)
            #expect(proxy.contains("QDBusPendingReply<QDBusUnixFileDescriptor> OpenStream("))
            #expect(proxy.contains("QList<QVariantMap> advisories"))
        }
    }
}
