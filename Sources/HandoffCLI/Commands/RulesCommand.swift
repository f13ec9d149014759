import ArgumentParser
import HandoffBus

/// `handoffctl rules`: lists and changes which apps, types, sites and devices take part.
struct RulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Allow or deny apps, types, sites and devices.",
        discussion: """
            What is denied is neither offered by this device nor shown on it. A rule that
            denies wins over one that allows; where something of a kind is allowed, only
            that is. The rules stay until they are removed.

            EXAMPLES
              handoffctl rules deny site bank.example     web pages there, with sub-domains
              handoffctl rules deny app org.example.Mail
              handoffctl rules allow type org.example.notes.editing
              handoffctl rules receive-only on            offer nothing at all
            """,
        subcommands: [
            ListRules.self, AllowRule.self, DenyRule.self, RemoveRule.self, ReceiveOnly.self,
        ],
        defaultSubcommand: ListRules.self
    )

    @OptionGroup var options: GlobalOptions

    /// `handoffctl rules list`.
    struct ListRules: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List the rules.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let status = try await client.rules()
                let devices = try await client.objects().devices
                try output.print(RulesDocument(status), Self.text(status, devices))
            }
        }

        private static func text(_ status: RulesStatus, _ devices: [DeviceDescription]) -> String {
            var lines: [String] = []
            if status.isReceiveOnly { lines.append("This device only receives.") }
            if !status.rules.isEmpty {
                var table = Table("RULE", "ABOUT", "VALUE")
                for rule in status.rules {
                    let name = rule.kind == "device" ? devices.first { $0.id == rule.value }?.name : nil
                    let value = printable(rule.value) + (name.map { " (\(printable($0)))" } ?? "")
                    table.append(rule.verdict, rule.kind, value)
                }
                lines.append(table.text)
            }
            return lines.isEmpty ? "no rules; everything takes part" : lines.joined(separator: "\n")
        }
    }

    /// `handoffctl rules allow KIND VALUE`.
    struct AllowRule: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow",
            abstract: "Allow something; of its kind, only what is allowed takes part."
        )

        @OptionGroup var options: GlobalOptions
        @OptionGroup var subject: RuleArguments

        func run() async throws { try await subject.set("allow", options) }
    }

    /// `handoffctl rules deny KIND VALUE`.
    struct DenyRule: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deny",
            abstract: "Deny something, whatever else is allowed."
        )

        @OptionGroup var options: GlobalOptions
        @OptionGroup var subject: RuleArguments

        func run() async throws { try await subject.set("deny", options) }
    }

    /// `handoffctl rules remove KIND VALUE`.
    struct RemoveRule: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove the rule about something."
        )

        @OptionGroup var options: GlobalOptions
        @OptionGroup var subject: RuleArguments

        func run() async throws {
            let subject = subject
            try await options.withClient { client, output in
                let value = try await subject.value(for: client, mayBeUnknown: true)
                try await client.removeRule(kind: subject.kind.rawValue, value: value)
                try output.print(
                    ["kind": subject.kind.rawValue, "value": value],
                    "removed the rule about the \(subject.kind.rawValue) \(printable(value))"
                )
            }
        }
    }

    /// `handoffctl rules receive-only on|off`.
    struct ReceiveOnly: AsyncParsableCommand {
        enum State: String, CaseIterable, ExpressibleByArgument {
            case on, off
        }

        static let configuration = CommandConfiguration(
            commandName: "receive-only",
            abstract: "Offer nothing from this device, or offer it again."
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "on or off.")
        var state: State

        func run() async throws {
            let isOn = state == .on
            try await options.withClient { client, output in
                try await client.setReceiveOnly(isOn)
                try output.print(
                    ["receiveOnly": isOn],
                    isOn ? "this device only receives from now on" : "this device offers its activities again"
                )
            }
        }
    }
}

/// What a rule is about, as the command line names it.
struct RuleArguments: ParsableArguments {
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        case app, type, site, device
    }

    @Argument(help: "app, type, site or device.")
    var kind: Kind

    @Argument(
        help: "The id of the app's desktop file, the activity type, the host, or the device's name or id.",
        completion: KnownNames.ruleSubjects.completion
    )
    var value: String

    /// Makes a rule about it.
    func set(_ verdict: String, _ options: GlobalOptions) async throws {
        let (kind, arguments) = (kind.rawValue, self)
        try await options.withClient { client, output in
            let value = try await arguments.value(for: client)
            let rule = RuleDescription(verdict: verdict, kind: kind, value: value)
            try await client.setRule(rule)
            try output.print(rule, "\(verdict) \(kind) \(printable(value))")
        }
    }

    /// Returns the value in the form of the daemon: the id of a device in place of its name, the host of a URL.
    ///
    /// - Parameter mayBeUnknown: whether the device may be one that this one does not know any more.
    /// - Throws: ``CommandFailure`` for a device that is unknown or not unique.
    func value(for client: HandoffClient, mayBeUnknown: Bool = false) async throws -> String {
        switch kind {
        case .app, .type: return value
        case .site: return Self.host(of: value)
        case .device:
            do {
                return try KnownDevice.named(value, among: try await client.knownDevices()).id
            } catch let failure as CommandFailure {
                guard mayBeUnknown else { throw failure }
                return value
            }
        }
    }

    /// Returns the host of an address that was copied from a browser; other text as it is.
    static func host(of text: String) -> String {
        guard let start = text.firstRange(of: "://") else { return text }
        return String(text[start.upperBound...].prefix { !"/?#".contains($0) })
    }
}

/// What `handoffctl rules --json` prints.
struct RulesDocument: Encodable {
    let receiveOnly: Bool
    let rules: [RuleDescription]

    init(_ status: RulesStatus) {
        receiveOnly = status.isReceiveOnly
        rules = status.rules
    }
}
