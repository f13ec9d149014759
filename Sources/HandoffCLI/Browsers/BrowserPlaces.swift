import ArgumentParser
import Glibc
import HandoffBrowser
import SystemPackage

/// The browsers whose files a command is about, and where these files are.
struct BrowserPlaces: ParsableArguments {
    @Argument(help: "firefox, chromium or chrome; those that are installed if none is given.")
    var browsers: [Browser] = []

    @Option(help: ArgumentHelp("The path of handoff-browser-host, if it is not installed.", valueName: "file"))
    var host: String?

    @Flag(help: "The files of all users, for a package.")
    var system = false

    @Option(help: ArgumentHelp("With --system: the directory that stands for /.", valueName: "directory"))
    var destdir: String?

    @Option(help: ArgumentHelp("With --system: where desktop files are.", valueName: "directory"))
    var datadir: String = "/usr/share"

    /// Checks that the browser could start the host.
    ///
    /// - Throws: ``CommandFailure`` if there is no program at its path; for a package it may be installed later.
    func check() throws {
        let path = try hostPath()
        guard system || access(path, X_OK) == 0 else {
            throw CommandFailure(
                status: .notFound,
                message: "There is no program \(path): install handoffd, or name the program with --host."
            )
        }
    }

    /// Returns the files for the browsers that were named, or for those that are installed; for a package, for all.
    ///
    /// - Throws: ``CommandFailure`` if there is no browser, or no home directory.
    func files(bus: String) async throws -> [InstalledFile] {
        guard browsers.isEmpty else { return try files(of: browsers) }
        guard !system else { return try files(of: Browser.allCases) }
        let installed = await BrowserExamination(bus: bus).facts().filter(\.isInstalled).map(\.browser)
        guard !installed.isEmpty else {
            let names = Browser.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(status: .notFound, message: "No browser was found; name one of \(names).")
        }
        return try files(of: installed)
    }

    /// Returns the files for browsers.
    ///
    /// - Throws: ``CommandFailure`` if there is no home directory.
    func files(of browsers: [Browser]) throws -> [InstalledFile] {
        let host = try hostPath()
        if system {
            let files = browsers.flatMap { InstalledFile.systemFiles(of: $0, data: datadir, host: host) }
            let root = try destdir.map(absolutePath) ?? ""
            return files.map { $0.below(root) }
        }
        guard let directories = BrowserDirectories(environment: SystemFiles().environment) else {
            throw CommandFailure(status: .failed, message: "The variable HOME names no directory.")
        }
        return browsers.flatMap { directories.files(of: $0, host: host) }
    }

    /// The path of the host: beside this program, or where a package has it.
    private func hostPath() throws -> String {
        if let host { return try absolutePath(host) }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { throw CommandFailure(status: .failed, message: "Name the program with --host.") }
        let program = FilePath(String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self))
        let directory = program.removingLastComponent()
        let installed = directory.removingLastComponent().appending("libexec/handoffd/handoff-browser-host").string
        return access(installed, X_OK) == 0 ? installed : directory.appending("handoff-browser-host").string
    }
}
