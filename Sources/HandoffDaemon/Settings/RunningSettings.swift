import HandoffCore

/// The settings with which a daemon was started, and what it takes to read and to change them.
package struct RunningSettings: Sendable {
    package let settings: Settings
    /// The level of the log.
    package let threshold: LogThreshold

    private let line: Settings.CommandLine
    private let environment: [String: String]
    /// Returns the present name of the host.
    let hostName: @Sendable () -> String

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - line: the options that were given on the command line.
    ///   - environment: the environment variables from which settings are read.
    ///   - hostName: returns the present name of the host.
    /// - Throws: ``SettingsError`` that names the setting and its allowed values.
    package init(
        _ line: Settings.CommandLine,
        environment: [String: String] = Environment.current,
        hostName: @escaping @Sendable () -> String = { Environment.hostName }
    ) throws {
        (self.line, self.environment, self.hostName) = (line, environment, hostName)
        settings = try Settings(line, environment: environment, hostName: hostName())
        threshold = LogThreshold(settings.logLevel)
    }

    /// Reads the settings from the command line, the configuration files as they are now, and the environment.
    ///
    /// - Throws: ``SettingsError`` that names the setting and its allowed values.
    package func readAgain() throws -> Settings {
        try Settings(line, environment: environment, hostName: hostName())
    }

    /// Returns the configuration files that are read, as the text of one.
    ///
    /// - Throws: ``SettingsError`` as ``init(_:environment:hostName:)``.
    package static func fileText(
        _ line: Settings.CommandLine,
        environment: [String: String] = Environment.current
    ) throws -> String {
        try SettingFiles(option: line.configuration, environment: environment).text()
    }
}
