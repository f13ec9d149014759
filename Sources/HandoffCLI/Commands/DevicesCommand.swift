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
            card`, and pass it to `handoffctl devices trust` on the other. A card is secret:
            its holder can read the device's advertisements. Copy it by ssh or on a USB
            stick, not in public.
            """,
        subcommands: [
            ListDevices.self, ShowCard.self, TrustCard.self, RenameDevice.self, RemoveDevice.self, LeaveCircle.self,
        ],
        defaultSubcommand: ListDevices.self
    )

    @OptionGroup var options: GlobalOptions

    /// `handoffctl devices list`.
    struct ListDevices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the trusted devices and unconfirmed pairings."
        )

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let devices = try await client.objects().devices
                let unconfirmed = try await client.unconfirmedDevices()
                let own = try await client.status().deviceID
                let documents = devices.map(DeviceDocument.init) + unconfirmed.map(DeviceDocument.init)
                try output.print(documents, Self.text(devices, unconfirmed, own: own))
            }
        }

        private static func text(
            _ devices: [DeviceDescription],
            _ unconfirmed: [UnconfirmedDevice],
            own: String
        ) -> String {
            guard !devices.isEmpty || !unconfirmed.isEmpty else {
                return "no device is trusted yet: run `handoffctl pair` on both devices"
            }
            var table = Table("ID", "NAME", "INTRODUCED BY", "LAST SEEN", "PROTOCOL", "STATE")
            for device in devices {
                table.append(
                    device.id,
                    printable(device.name),
                    printable(introducer(of: device, among: devices, own: own)),
                    device.lastSeen == 0 ? "never" : moment(device.lastSeen),
                    device.protocolVersion == 0 ? "-" : "\(device.protocolVersion)",
                    "trusted"
                )
            }
            for device in unconfirmed { table.append(device.id, printable(device.name), "-", "-", "-", "unconfirmed") }
            return table.text
        }

        private static func introducer(of device: DeviceDescription, among devices: [DeviceDescription], own: String)
            -> String
        {
            if device.introducedBy.isEmpty { return "-" }
            if device.introducedBy == own { return "this device" }
            return devices.first { $0.id == device.introducedBy }?.name ?? device.introducedBy
        }

        private static func moment(_ microseconds: UInt64) -> String {
            (try? Timestamp(seconds: Int64(microseconds / 1_000_000)))?.description ?? "-"
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

    /// `handoffctl devices remove ID`.
    struct RemoveDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Stop trusting a device.",
            discussion: """
                From then on the device can fetch nothing from this one, and its activities are
                not listed here. The other devices of the circle remove it as soon as they
                receive the removal; each replaces its key, so that the removed device cannot
                read their advertisements. You can trust it again later.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The id of the device, or its first characters.")
        var id: String

        func run() async throws {
            let id = id
            try await options.withClient { client, output in
                if try await Self.forget(id, client, output) { return }
                let device = try await client.device(withPrefix: id)
                try await client.remove(device: device.path)
                try output.print(DeviceDocument(device), "removed \(printable(device.name)) (\(device.id))")
            }
        }

        /// Forgets the unconfirmed pairing whose device id begins with `id`; returns false unless exactly one does.
        private static func forget(_ id: String, _ client: HandoffClient, _ output: Output) async throws -> Bool {
            let matches = try await client.unconfirmedDevices().filter { $0.id.hasPrefix(id.lowercased()) }
            guard let device = matches.first, matches.count == 1, !id.isEmpty else { return false }
            try await client.forgetPairing(with: device.id)
            try output.print(DeviceDocument(device), "forgot \(printable(device.name)) (\(device.id))")
            return true
        }
    }
}

extension HandoffClient {
    /// The trusted device whose id begins with `prefix`.
    ///
    /// - Throws: ``CommandFailure`` unless exactly one does.
    func device(withPrefix prefix: String) async throws -> DeviceDescription {
        let matches = try await objects().devices.filter { $0.id.hasPrefix(prefix.lowercased()) }
        guard let device = matches.first, matches.count == 1, !prefix.isEmpty else {
            throw CommandFailure(
                status: .notFound,
                message: matches.isEmpty
                    ? "No trusted device has the id \(prefix). `handoffctl devices` lists them."
                    : "\(matches.count) device ids begin with \"\(prefix)\"; give more characters."
            )
        }
        return device
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
    /// Microseconds since 1970, accurate to the hour for an earlier run of the daemon; nil if never.
    let lastSeen: UInt64?
    /// `trusted`, or `unconfirmed` for a pairing confirmed here whose confirmation by the other device is unknown.
    let state: String

    init(_ device: UnconfirmedDevice) {
        id = device.id
        name = device.name
        introducedBy = nil
        protocolVersion = nil
        lastSeen = nil
        state = "unconfirmed"
    }

    init(_ device: DeviceDescription) {
        state = "trusted"
        id = device.id
        name = device.name
        introducedBy = device.introducedBy.isEmpty ? nil : device.introducedBy
        protocolVersion = device.protocolVersion == 0 ? nil : device.protocolVersion
        lastSeen = device.lastSeen == 0 ? nil : device.lastSeen
    }
}
