import ArgumentParser
import HandoffBus
import HandoffModel

/// `handoffctl devices`: the devices that this one trusts.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Show and change which devices this one trusts.",
        discussion: """
            `handoffctl pair` makes two devices trust each other. Without a person at both, their cards do: print the card
            of each with `handoffctl devices card`, and give it to the other's `handoffctl devices trust`. Who has a card
            can read that device's advertisements: hand it over in person, by ssh, or on a stick, not in public.
            """,
        subcommands: [
            ListDevices.self, ShowCard.self, TrustCard.self, RenameDevice.self, RemoveDevice.self, LeaveCircle.self,
        ],
        defaultSubcommand: ListDevices.self
    )

    @OptionGroup var options: GlobalOptions

    /// `handoffctl devices list`.
    struct ListDevices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the trusted devices.")

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
            _ devices: [TrustedDevice],
            _ unconfirmed: [UnconfirmedDevice],
            own: String
        ) -> String {
            guard !devices.isEmpty || !unconfirmed.isEmpty else {
                return "no device is trusted yet: run `handoffctl pair` on two devices"
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

        private static func introducer(of device: TrustedDevice, among devices: [TrustedDevice], own: String) -> String
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
        static let configuration = CommandConfiguration(commandName: "card", abstract: "Print this device's card.")

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
        static let configuration = CommandConfiguration(commandName: "trust", abstract: "Trust the device of a card.")

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The card of the other device, as `handoffctl devices card` prints it there.")
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
            abstract: "End the trust in a device.",
            discussion: """
                It can fetch nothing of this device from then on, and its activities are not shown here. The other devices of
                the circle remove it as soon as they hear of it; each makes a new key then, so that it can read nothing
                that they advertise. It can be trusted anew later.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Argument(help: "The device's id, or the beginning of it.")
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

        /// Forgets the one unconfirmed pairing that is meant; false when there is none.
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
    /// The one trusted device whose id begins with `prefix`.
    func device(withPrefix prefix: String) async throws -> TrustedDevice {
        let matches = try await objects().devices.filter { $0.id.hasPrefix(prefix.lowercased()) }
        guard let device = matches.first, matches.count == 1, !prefix.isEmpty else {
            throw CommandFailure(
                status: .notFound,
                message: matches.isEmpty
                    ? "No trusted device has the id \(prefix); see `handoffctl devices`."
                    : "\(matches.count) devices have ids that begin with \"\(prefix)\"; give more of it."
            )
        }
        return device
    }
}

/// A trusted device as `--json` prints it.
struct DeviceDocument: Encodable {
    let id: String
    let name: String
    /// The id of the device that trusted it first; nil when nobody says.
    let introducedBy: String?
    /// Nil when nobody knows.
    let protocolVersion: UInt32?
    /// Microseconds since 1970, to the hour when it was in an earlier run of the daemon; nil for never.
    let lastSeen: UInt64?
    /// `trusted`, or `unconfirmed` for a pairing that was confirmed here, and of which nobody knows the other half.
    let state: String

    init(_ device: UnconfirmedDevice) {
        id = device.id
        name = device.name
        introducedBy = nil
        protocolVersion = nil
        lastSeen = nil
        state = "unconfirmed"
    }

    init(_ device: TrustedDevice) {
        state = "trusted"
        id = device.id
        name = device.name
        introducedBy = device.introducedBy.isEmpty ? nil : device.introducedBy
        protocolVersion = device.protocolVersion == 0 ? nil : device.protocolVersion
        lastSeen = device.lastSeen == 0 ? nil : device.lastSeen
    }
}
