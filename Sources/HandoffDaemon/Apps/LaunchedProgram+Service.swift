import DBus
import Epoll
import Glibc
import SystemPackage

/// A property of a transient unit, with its value.
typealias TransientProperty = (name: String, value: Value)

extension LaunchedProgram {
    /// The properties of the transient service that is this program (systemd.exec(5), systemd.service(5)).
    ///
    /// - Parameter executable: the path of the file to execute.
    /// - Throws: the error of memfd_create(2) or write(2).
    func properties(executing executable: String) throws(Errno) -> [TransientProperty] {
        // ExecStartEx: the words are passed as they are, `$` included.
        let line = Value.structure([.string(executable), command.value, ["no-env-expand"].value])
        var properties: [TransientProperty] = [
            ("Description", .string("\(name), continues an activity")),
            // Its start has succeeded when it is executed.
            ("Type", .string("exec")),
            ("ExecStartEx", .array(of: line.type, [line])),
            ("Slice", .string("app.slice")),
            ("CollectMode", .string("inactive-or-failed")),
            // Kept until its exit status was read.
            ("AddRef", .boolean(true)),
            ("Environment", serviceVariables.filter(Self.isAssignment).value),
        ]
        if let directory { properties.append(("WorkingDirectory", .string(directory.string))) }
        if let inputPath {
            properties.append(("StandardInputFile", .string(inputPath.string)))
        } else if !input.isEmpty {
            let file = try inputFile()
            properties.append(("StandardInputFileDescriptor", .unixFD(try Self.shared(file))))
        }
        return properties
    }

    /// systemd takes no other names of variables, and no control characters (systemd.exec(5), "Environment=").
    private static func isAssignment(_ text: String) -> Bool {
        let name = text.prefix { $0 != "=" }
        return name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
            && name.utf8.allSatisfy { $0 == UInt8(ascii: "_") || Character(UnicodeScalar($0)).isASCIIAlphanumeric }
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" }
    }

    private static func shared(_ file: borrowing Descriptor) throws(Errno) -> UnixFD {
        let number = file.rawValue
        return UnixFD(taking: try systemCall { fcntl(number, F_DUPFD_CLOEXEC, 0) })
    }
}

extension Character {
    fileprivate var isASCIIAlphanumeric: Bool { isASCII && (isLetter || isNumber) }
}
