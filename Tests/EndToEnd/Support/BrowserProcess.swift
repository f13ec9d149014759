import Foundation
import HandoffTestSupport
import Synchronization

/// A MonkeyBrowser on a device's bus, controlled by the test.
struct BrowserProcess: Sendable {
    static let id = "org.handoffd.MonkeyBrowser"

    let process: ChildProcess
    /// Everything that it has printed.
    let shown: Transcript
    private let commands: FileHandle

    /// Runs `body` while a browser runs; it is killed afterwards.
    static func browsing(
        on bus: PrivateBus,
        in world: World,
        _ variables: [String: String] = [:],
        _ body: @escaping @Sendable (BrowserProcess) async throws -> Void
    ) async throws {
        let pipe = world.directory.appending(path: "commands-\(UUID().uuidString.prefix(8))").path()
        guard mkfifo(pipe, 0o600) == 0 else { throw MissingProgram(description: "cannot make the pipe \(pipe)") }
        // Open for reading too, so that neither end waits for the other one to be opened.
        guard let commands = FileHandle(forUpdatingAtPath: pipe) else {
            throw MissingProgram(description: "cannot open \(pipe)")
        }
        let environment = world.environment.merging(bus.environment) { _, new in new }
            .merging(variables) { _, new in new }
        let command = "exec '\(Programs.monkeybrowser)' < '\(pipe)'"
        try await withTranscript(of: "/bin/sh", ["-c", command], environment: environment) { process, shown in
            try await shown.line(containing: "ready")
            try await body(BrowserProcess(process: process, shown: shown, commands: commands))
        }
    }

    /// Sends commands one after the other, each when the previous one is done.
    ///
    /// - Returns: what the browser has printed meanwhile.
    @discardableResult
    func send(_ lines: String...) async throws -> [String] {
        let start = shown.lines.count
        for line in lines {
            let before = shown.lines.count
            try commands.write(contentsOf: Data((line + "\n").utf8))
            let verb = line.split(separator: " ").first ?? ""
            _ = try await shown.first(from: before) {
                $0 == "done \(verb)" || $0.hasPrefix("cannot \(verb)") ? $0 : nil
            }
        }
        return Array(shown.lines[start...])
    }

    /// The first line that contains `text`, from line `start` on.
    @discardableResult
    func shows(_ text: String, from start: Int = 0) async throws -> String {
        try await shown.line(containing: text, from: start)
    }
}

extension NearbyWatcher {
    /// Waits until a tab of the other device's browser can be continued in the browser on this device.
    func tab(_ number: Int) async throws {
        try await until { rows in
            rows.contains {
                $0["type"].string == "\(BrowserProcess.id).tab\(number)"
                    && $0["application"].string == BrowserProcess.id
            }
        }
    }
}

extension World {
    /// Installs the sample app's desktop file, with more lines, where the desktop's daemon finds it.
    func installBrowser(_ lines: [String] = []) throws {
        let file = Repository.file("Examples/MonkeyBrowser/\(BrowserProcess.id).desktop")
        let text = try String(contentsOf: file, encoding: .utf8) + lines.map { $0 + "\n" }.joined()
        try write(text, to: "share/applications/\(BrowserProcess.id).desktop")
    }

    /// Installs the sample app's service file, changed to write the browser's output to a file.
    func installBrowserService() throws {
        let file = Repository.file("Examples/MonkeyBrowser/\(BrowserProcess.id).service")
        let text = try String(contentsOf: file, encoding: .utf8)
        let browser = "exec \(Programs.monkeybrowser) --service > \(browserShown.path())"
        let command = "/bin/sh -c 'echo $$ > \(browserProcess.path()); \(browser)'"
        let service = text.replacing("/usr/local/bin/monkeybrowser --service", with: command)
        guard service != text else {
            throw MissingProgram(description: "the service file starts another program than monkeybrowser")
        }
        try write(service, to: "services/\(BrowserProcess.id).service")
    }

    /// The output of a browser that the bus has started.
    var browserShown: URL { directory.appending(path: "browser-shown") }

    /// The file with the process id of that browser.
    var browserProcess: URL { directory.appending(path: "browser-process") }
}
