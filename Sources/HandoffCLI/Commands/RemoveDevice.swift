import ArgumentParser
import HandoffBus

extension DevicesCommand {
    /// `handoffctl devices remove DEVICE`.
    struct RemoveDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Stop trusting a device, for ever.",
            discussion: """
                From then on the device can fetch nothing from this one, and its activities are
                not listed here. The other devices of the circle remove it as soon as they
                receive the removal; each replaces its key, so that the removed device cannot
                read their advertisements. Devices that only the removed one has introduced go
                with it. This command asks first, lists them and the devices that the removed
                one has removed, and asks about each; without a terminal it needs --yes. To
                trust the machine again, run `handoffctl devices leave` on it, which makes new
                keys, and pair it.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Ask nothing: what the removed device has introduced goes with it.")
        var yes = false

        @Argument(
            help: "The name of the device, its id, or the first eight digits of its id, or more.",
            completion: KnownNames.devices.completion
        )
        var device: String

        func run() async throws {
            let (text, yes) = (device, yes)
            try await options.withClient { client, output in
                let confirmation = yes ? nil : Confirmation(output: output)
                switch try KnownDevice.named(text, among: try await client.knownDevices(), isForGood: true) {
                case .own:
                    throw CommandFailure(
                        status: .usage,
                        message: "That is this device. `handoffctl devices leave` makes it forget all others."
                    )
                case .unconfirmed(let device):
                    try await client.forgetPairing(with: device.id)
                    try output.print(DeviceDocument(device), "forgot \(printable(device.name)) (\(device.id))")
                case .questionable(let question):
                    try Self.ask(about: question.name, confirmation)
                    try await client.remove(deviceID: question.id)
                    let text = "removed \(printable(question.name)) (\(question.id))"
                    try output.print(DeviceDocument(question), text)
                case .trusted(let device): try await Self.remove(device, confirmation, client, output)
                }
            }
        }

        private static func remove(
            _ device: DeviceDescription,
            _ confirmation: Confirmation?,
            _ client: HandoffClient,
            _ output: Output
        ) async throws {
            let consequences = try await client.consequencesOfRemoval(of: device.path)
            let kept = try ask(about: device, consequences, confirmation)
            try await client.remove(device: device.path)
            for id in kept { try await client.keep(deviceID: id) }
            let lines = ["removed \(printable(device.name)) (\(device.id))"] + remarks(consequences, kept: kept)
            try output.print(DeviceDocument(device), lines.joined(separator: "\n"))
        }

        /// Asks whether the device is to be removed; does nothing without a confirmation.
        ///
        /// - Throws: ``CommandFailure`` after a no, and where nobody can be asked.
        private static func ask(about name: String, _ confirmation: Confirmation?) throws {
            guard let confirmation else { return }
            guard confirmation.canAsk else {
                throw CommandFailure(
                    status: .usage,
                    message: "This cannot be undone: give --yes where there is no terminal to ask at."
                )
            }
            guard confirmation.agrees("Remove \(printable(name))? Its present keys are never trusted again.") else {
                throw CommandFailure(status: .failed, message: "Nothing was removed.")
            }
        }

        /// Asks whether the device is to be removed, and which others are to be trusted nevertheless; returns their ids.
        private static func ask(
            about device: DeviceDescription,
            _ consequences: RemovalConsequences,
            _ confirmation: Confirmation?
        ) throws -> [String] {
            try ask(about: device.name, confirmation)
            guard let confirmation else { return [] }
            let name = printable(device.name)
            let introduced = consequences.orphaned.filter {
                confirmation.agrees("Only \(name) has introduced \(printable($0.name)). Is it yours?")
            }
            let removed = consequences.removed.filter {
                confirmation.agrees("\(name) has removed \(printable($0.name)). Trust it again?")
            }
            return (introduced + removed).map(\.id)
        }

        private static func remarks(_ consequences: RemovalConsequences, kept: [String]) -> [String] {
            let orphaned = consequences.orphaned.filter { !kept.contains($0.id) }
                .map { "\(printable($0.name)) (\($0.id)), which only it has introduced, is not trusted any more" }
            let removed = consequences.removed.filter { !kept.contains($0.id) }
                .map { "\(printable($0.name)) (\($0.id)), which it has removed, stays removed" }
            let hint = orphaned.isEmpty && removed.isEmpty ? [] : ["trust one again with `handoffctl devices keep ID`"]
            return orphaned + removed + hint
        }
    }

    /// `handoffctl devices keep DEVICE`.
    struct KeepDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keep",
            abstract: "Trust a device about which there is a question, or that was removed by mistake.",
            discussion: """
                `handoffctl devices` lists the devices about which only you can decide: the
                devices that removed them, or that introduced them, are not trusted themselves.
                Your decision holds on this device. Give the whole id of a device that is not
                listed because it was removed.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Argument(
            help: "The name of the device, its id, or the beginning of its id.",
            completion: KnownNames.devices.completion
        )
        var device: String

        func run() async throws {
            let text = device
            try await options.withClient { client, output in
                let id = try await Self.id(of: text, client)
                try await client.keep(deviceID: id)
                guard let device = try await client.objects().devices.first(where: { $0.id == id }) else { return }
                try output.print(DeviceDocument(device), "trusted \(printable(device.name)) (\(device.id))")
            }
        }

        /// Returns the id of the device; a text that names no listed device is one.
        private static func id(of text: String, _ client: HandoffClient) async throws -> String {
            do {
                return try KnownDevice.named(text, among: try await client.knownDevices()).id
            } catch let failure as CommandFailure {
                guard text.count == 16, text.allSatisfy(\.isHexDigit) else { throw failure }
                return text.lowercased()
            }
        }
    }
}

extension DeviceQuestion {
    /// The question for a person, and how to answer it.
    var sentence: String {
        let others = others.map(printable).joined(separator: " and ")
        let fact =
            switch reason {
            case .disputed: "\(printable(name)) was removed by \(others), which this device does not trust."
            case .orphaned: "\(printable(name)) was introduced by \(others), which this device does not trust any more."
            }
        return fact + " Is it yours? Run `handoffctl devices keep \(id)` or `handoffctl devices remove \(id)`."
    }
}
