import ArgumentParser
import DBus
import FoundationEssentials
private import Glibc
private import HandoffModel

/// The output of a command: results go to standard output, failures to standard error.
struct Output: Sendable {
    let isJSON: Bool

    /// Prints a result: `text` for people, in lines that fit the terminal, `document` as one line of JSON for programs.
    ///
    /// - Parameters:
    ///   - document: what programs read.
    ///   - text: what people read.
    ///   - indent: the number of spaces before each line that was broken off.
    /// - Throws: as ``write(_:after:)``.
    func print(_ document: some Encodable, _ text: @autoclosure () -> String, indent: Int = 0) throws {
        guard !isJSON else { return try write(try Self.json(document)) }
        let text = printableLines(text())
        try write(TerminalWidth.ofOutput.map { text.wrapped(toCells: $0, indent: indent) } ?? text)
    }

    /// Prints a line without buffering, even into a pipe.
    ///
    /// Text for people is made safe for a terminal; a line break in it remains.
    ///
    /// - Parameters:
    ///   - line: the line, or several.
    ///   - control: control functions for the terminal that come before it.
    /// - Throws: ``CommandFailure`` if standard output cannot be written; `ExitCode` as of SIGPIPE, without a message,
    ///   if its reader has gone.
    func write(_ line: String, after control: String = "") throws {
        switch Self.write(control + (isJSON ? line : printableLines(line)), to: STDOUT_FILENO) {
        case nil: return
        case EPIPE: throw ExitCode(128 + SIGPIPE)
        case let error?:
            let reason = String(cString: strerror(error))
            throw CommandFailure(status: .failed, message: "Standard output cannot be written: \(reason).")
        }
    }

    /// Prints a note besides the result to standard error, safe for a terminal, in lines that fit it.
    func note(_ line: String) {
        let text = "handoffctl: \(printableLines(line))"
        _ = Self.write(TerminalWidth.ofErrors.map { text.wrapped(toCells: $0) } ?? text, to: STDERR_FILENO)
    }

    /// Prints a note to standard error if that is a terminal, so that the user knows what the command waits for.
    func noteOnTerminal(_ line: String) {
        if isatty(STDERR_FILENO) != 0 { note(line) }
    }

    /// Prints an error to standard error and returns its exit code; returns an error of another type unchanged.
    func failure(_ error: any Error) -> any Error {
        switch error {
        case let failure as CommandFailure: report(failure)
        case let error as DBusError: report(Self.failure(error))
        default: error
        }
    }

    /// A document as one line of JSON, for use in text for people; `?` if it cannot be encoded.
    static func compact(_ document: some Encodable) -> String {
        (try? json(document)) ?? "?"
    }

    private func report(_ failure: CommandFailure) -> ExitCode {
        if isJSON, let line = try? Self.json(Failure(error: failure.message, name: failure.name)) {
            _ = Self.write(line, to: STDERR_FILENO)
        } else {
            note(failure.message)
        }
        return ExitCode(failure.status.rawValue)
    }

    private struct Failure: Encodable {
        let error: String
        let name: String?
    }

    private static func failure(_ error: DBusError) -> CommandFailure {
        let status = ExitStatus(error)
        let name = error.name?.description
        if DaemonAbsence.hasEndedMeanwhile(error) {
            return CommandFailure(status: status, message: DaemonAbsence.lostCall, name: name)
        }
        guard status == .noDaemon, error.code == .remote else {
            // The daemon's sentence may quote another device, also with a line break.
            return CommandFailure(status: status, message: printable(error.message), name: name)
        }
        return CommandFailure(status: status, message: DaemonAbsence(error).sentence(about: error), name: name)
    }

    /// Writes a line; returns the number of the error (errno(3)), nil if there was none.
    private static func write(_ line: String, to descriptor: Int32) -> Int32? {
        var bytes = Array((line + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno }
            bytes = bytes.dropFirst(count)
        }
        return nil
    }

    private static func json(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return escaped(String(decoding: try encoder.encode(document), as: UTF8.self))
    }

    /// JSON in a line, in which nothing steers a terminal or deceives the eye: such characters of strings as `\u202e`.
    static func escaped(_ json: String) -> String {
        guard !json.unicodeScalars.allSatisfy(\.isHarmlessInLine) else { return json }
        return json.unicodeScalars.reduce(into: "") { text, scalar in
            guard !scalar.isHarmlessInLine else { return text.unicodeScalars.append(scalar) }
            // A character beyond 16 bits is two of these.
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
    }
}
