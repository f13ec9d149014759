package import ArgumentParser

/// The command `handoffctl`.
package struct HandoffControl: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "handoffctl",
        abstract: "Continue here what you do on another of your computers nearby.",
        discussion: """
            EXAMPLES
              handoffctl devices card                      show the card that another device can trust
              handoffctl devices trust handoff1:…          trust the device of a card
              handoffctl publish --type org.example.edit --title Draft --user-info '{"line": 12}'
              handoffctl nearby --watch                    show what can be continued, as it changes
              handoffctl continue                          go on with the nearest activity in its app
              handoffctl publish --type org.example.pipe --stream < FILE    on one device, and on another:
              handoffctl stream --type org.example.pipe > FILE              a pipe between the two

            EXIT STATUS
              0   done
              1   the daemon or the other device refused or failed; the sentence on standard error says why
              3   no daemon: handoffd is not running, or there is no bus
              4   nothing found: no such activity nearby, no such device, no such app
              64  the command line is wrong
            """,
        version: ToolVersion.current,
        subcommands: [
            StatusCommand.self, NearbyCommand.self, PublishCommand.self, ContinueCommand.self, StreamCommand.self,
            AppsCommand.self, DevicesCommand.self, MonitorCommand.self,
        ]
    )

    @OptionGroup var options: GlobalOptions

    package init() {}
}
