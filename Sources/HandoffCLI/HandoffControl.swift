package import ArgumentParser

/// The command `handoffctl`.
package struct HandoffControl: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "handoffctl",
        abstract: "Continue here what you do on another of your computers nearby.",
        discussion: """
            EXAMPLES
              handoffctl pair                              on two devices: make them trust each other
              handoffctl publish --type org.example.edit --title Draft --user-info '{"line": 12}'
              handoffctl nearby --watch                    show what can be continued, as it changes
              handoffctl continue                          go on with the nearest activity in its app
              handoffctl folders add docs ~/Documents      say that ~/Documents is synchronised, as "docs"
              handoffctl publish --document report.odt     offer a document in such a folder
              handoffctl publish --type org.example.pipe --stream < FILE    on one device, and on another:
              handoffctl stream --type org.example.pipe > FILE              a pipe between the two

            EXIT STATUS
              0   done
              1   the daemon or the other device refused or failed; the sentence on standard error says why
              3   no daemon: handoffd is not running, or there is no bus
              4   nothing found: no such activity nearby, no such device, no such app
              5   confirmed here, and nobody knows about the other device: see `handoffctl devices`
              64  the command line is wrong
            """,
        version: ToolVersion.current,
        subcommands: [
            StatusCommand.self, PairCommand.self, NearbyCommand.self, PublishCommand.self, ContinueCommand.self,
            StreamCommand.self, AppsCommand.self, FoldersCommand.self, DevicesCommand.self, MonitorCommand.self,
        ]
    )

    @OptionGroup var options: GlobalOptions

    package init() {}
}
