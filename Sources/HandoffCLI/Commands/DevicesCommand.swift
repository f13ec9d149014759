import ArgumentParser
import HandoffBus
import HandoffModel

/// `handoffctl devices`: lists and changes the devices that this one trusts.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List and change the devices that this one trusts.",
        discussion: """
            `handoffctl pair` makes two devices trust each other. Cards do the same where
            you cannot be at both: print the card of each device with `handoffctl devices
            card`, and pass it to `handoffctl devices trust` on the other. A card is not
            secret, but it must reach the other device unaltered: copy it by ssh or on a
            USB stick.
            """,
        subcommands: [
            ListDevices.self, ShowCard.self, TrustCard.self, RenameDevice.self, RemoveDevice.self, KeepDevice.self,
            LeaveCircle.self,
        ],
        defaultSubcommand: ListDevices.self
    )

    @OptionGroup var options: GlobalOptions

    /// `handoffctl devices list`.
    struct ListDevices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the trusted devices, unconfirmed pairings and open questions."
        )

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let devices = try await client.objects().devices
                let unconfirmed = try await client.unconfirmedDevices()
                let status = try await client.status()
                let documents =
                    devices.map(DeviceDocument.init) + unconfirmed.map(DeviceDocument.init)
                    + status.questions.map(DeviceDocument.init)
                let text = Self.text(devices, unconfirmed, status, at: try .now)
                try output.print(documents, text)
            }
        }

        private static func text(
            _ devices: [DeviceDescription],
            _ unconfirmed: [UnconfirmedDevice],
            _ status: DaemonStatus,
            at now: Timestamp
        ) -> String {
            let (own, questions) = (status.deviceID, status.questions)
            guard !devices.isEmpty || !unconfirmed.isEmpty || !questions.isEmpty else {
                return "no device is trusted yet: run `handoffctl pair` on both devices"
            }
            var table = Table("ID", "NAME", "INTRODUCED BY", "LAST SEEN", "PROTOCOL", "STATE")
            for device in devices {
                table.append(
                    device.id,
                    printable(device.name),
                    printable(introducer(of: device, among: devices, own: own)),
                    Timestamp(microseconds: device.lastSeen)?.ago(at: now) ?? "never",
                    device.protocolVersion == 0 ? "-" : "\(device.protocolVersion)",
                    "trusted"
                )
            }
            for device in unconfirmed { table.append(device.id, printable(device.name), "-", "-", "-", "unconfirmed") }
            for question in questions {
                table.append(question.id, printable(question.name), "-", "-", "-", question.reason.rawValue)
            }
            return ([table.text] + questions.map(\.sentence)).joined(separator: "\n")
        }

        private static func introducer(of device: DeviceDescription, among devices: [DeviceDescription], own: String)
            -> String
        {
            if device.introducedBy.isEmpty { return "-" }
            if device.introducedBy == own { return "this device" }
            return devices.first { $0.id == device.introducedBy }?.name ?? device.introducedBy
        }

    }

    /// `handoffctl devices card`.
    struct ShowCard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "card", abstract: "Print the card of this device.")

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let card = try await client.card()
                try output.print(["card": card], card)
            }
        }
    }

    /// `handoffctl devices trust CARD`.
    struct TrustCard: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "trust",
            abstract: "Trust the device to which a card belongs."
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The card, as printed on the other device.")
        var card: String

        func run() async throws {
            let card = card
            try await options.withClient { client, output in
                let path = try await client.trust(card: card)
                guard let device = try await client.objects().devices.first(where: { $0.path == path }) else { return }
                try output.print(DeviceDocument(device), "trusted \(printable(device.name)) (\(device.id))")
            }
        }
    }
}

/// A trusted device as `--json` prints it.
struct DeviceDocument: Encodable {
    let id: String
    let name: String
    /// The id of the device that trusted it first; nil when unknown.
    let introducedBy: String?
    /// Nil when unknown.
    let protocolVersion: UInt32?
    /// As in ISO 8601, accurate to the hour for an earlier run of the daemon; nil if never.
    let lastSeen: String?
    /// `trusted`; `unconfirmed` for a pairing confirmed here whose confirmation by the other device is unknown; or
    /// `disputed` or `orphaned` when a person has to decide.
    let state: String

    init(_ device: UnconfirmedDevice) {
        id = device.id
        name = device.name
        introducedBy = nil
        protocolVersion = nil
        lastSeen = nil
        state = "unconfirmed"
    }

    init(_ question: DeviceQuestion) {
        id = question.id
        name = question.name
        introducedBy = nil
        protocolVersion = nil
        lastSeen = nil
        state = question.reason.rawValue
    }

    init(_ device: DeviceDescription) {
        state = "trusted"
        id = device.id
        name = device.name
        introducedBy = device.introducedBy.isEmpty ? nil : device.introducedBy
        protocolVersion = device.protocolVersion == 0 ? nil : device.protocolVersion
        lastSeen = Timestamp(microseconds: device.lastSeen)?.description
    }
}
