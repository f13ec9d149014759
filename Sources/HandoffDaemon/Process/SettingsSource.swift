/// Where the settings of a daemon come from, so that they can be read again.
package struct SettingsSource: Sendable {
    /// The options that were given on the command line.
    package let line: Settings.CommandLine
    /// The environment variables from which settings are read.
    package let environment: [String: String]
    /// Returns the present name of the host.
    private let hostName: @Sendable () -> String

    package init(
        _ line: Settings.CommandLine,
        environment: [String: String] = Environment.current,
        hostName: @escaping @Sendable () -> String = { Environment.hostName }
    ) {
        self.line = line
        self.environment = environment
        self.hostName = hostName
    }

    /// Reads the settings from the command line, the configuration files as they are now, and the environment.
    ///
    /// - Throws: ``SettingsError`` that names the setting and its allowed values.
    package func settings() throws -> Settings {
        try Settings(line, environment: environment, hostName: hostName())
    }
}
