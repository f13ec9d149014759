/// The settings with which a daemon was started, and what it takes to read and to change them.
package struct RunningSettings: Sendable {
    package let source: SettingsSource
    package let settings: Settings
    /// The level of the log.
    package let threshold: LogThreshold

    /// Reads the settings.
    ///
    /// - Throws: ``SettingsError`` that names the setting and its allowed values.
    package init(from source: SettingsSource) throws {
        self.source = source
        settings = try source.settings()
        threshold = LogThreshold(settings.logLevel)
    }
}
