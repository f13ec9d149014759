import ArgumentParser
private import Glibc
import HandoffBus

extension DevicesCommand {
    /// `handoffctl devices remove ID`.
    struct RemoveDevice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Stop trusting a device, for ever.",
            discussion: """
                From then on the device can fetch nothing from this one, and its activities are
                not listed here. The other devices of the circle remove it as soon as they
                receive the removal; each replaces its key, so that the removed device cannot
                read their advertisements. Devices that only the removed one has introduced go
                with it. At a terminal, this command lists them, and the devices that the
                removed one has removed, and asks about each. To trust the machine again, run
                `handoffctl devices leave` on it, which makes new keys, and pair it.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Ask nothing: what the removed device has introduced goes with it.")
        var yes = false

        @Argument(help: "The id of the device, or its first characters.")
        var id: String

        func run() async throws {
            let (id, asks) = (id, !yes && isatty(STDIN_FILENO) != 0 && !options.json)
            try await options.withClient { client, output in
                if try await Self.forget(id, client, output) { return }
                if let question = try await client.question(withPrefix: id) {
                    try await client.remove(deviceID: question.id)
                    return try output.print(
                        DeviceDocument(question),
                        "removed \(printable(question.name)) (\(question.id))"
                    )
                }
                let device = try await client.device(withPrefix: id)
                let consequences = try await client.consequencesOfRemoval(of: device.path)
                let kept = asks ? try Self.ask(about: device, consequences, output) : []
                try await client.remove(device: device.path)
                for id in kept { try await client.keep(deviceID: id) }
                try output.print(
                    DeviceDocument(device),
                    (["removed \(printable(device.name)) (\(device.id))"] + Self.remarks(consequences, kept: kept))
                        .joined(separator: "\n")
                )
            }
        }

        /// Asks which devices are to be trusted nevertheless; returns their ids.
        private static func ask(
            about device: DeviceDescription,
            _ consequences: RemovalConsequences,
            _ output: Output
        ) throws -> [String] {
            let name = printable(device.name)
            guard try agrees("Remove \(name)? Its present keys are never trusted again.", output) else {
                throw CommandFailure(status: .failed, message: "Nothing was removed.")
            }
            var kept: [String] = []
            for other in consequences.orphaned
            where try agrees("Only \(name) has introduced \(printable(other.name)). Is it yours?", output) {
                kept.append(other.id)
            }
            for other in consequences.removed
            where try agrees("\(name) has removed \(printable(other.name)). Trust it again?", output) {
                kept.append(other.id)
            }
            return kept
        }

        private static func agrees(_ question: String, _ output: Output) throws -> Bool {
            output.note("\(question) Type yes or no.")
            while let line = readLine() {
                switch line.lowercased() {
                case "yes": return true
                case "no": return false
                default: output.note("Type yes or no.")
                }
            }
            throw CommandFailure(status: .failed, message: "Nothing was removed.")
        }

        private static func remarks(_ consequences: RemovalConsequences, kept: [String]) -> [String] {
            let orphaned = consequences.orphaned.filter { !kept.contains($0.id) }
                .map { "\(printable($0.name)) (\($0.id)), which only it has introduced, is not trusted any more" }
            let removed = consequences.removed.filter { !kept.contains($0.id) }
                .map { "\(printable($0.name)) (\($0.id)), which it has removed, stays removed" }
            let hint = orphaned.isEmpty && removed.isEmpty ? [] : ["trust one again with `handoffctl devices keep ID`"]
            return orphaned + removed + hint
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

    /// `handoffctl devices keep ID`.
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

        @Argument(help: "The id of the device, or its first characters if it is listed.")
        var id: String

        func run() async throws {
            let id = id
            try await options.withClient { client, output in
                let whole = try await client.question(withPrefix: id)?.id ?? id
                try await client.keep(deviceID: whole)
                let device = try await client.device(withPrefix: whole)
                try output.print(DeviceDocument(device), "trusted \(printable(device.name)) (\(device.id))")
            }
        }
    }
}

extension HandoffClient {
    /// The question about the device whose id begins with `prefix`; nil unless exactly one does.
    fileprivate func question(withPrefix prefix: String) async throws -> DeviceQuestion? {
        let matches = try await status().questions.filter { $0.id.hasPrefix(prefix.lowercased()) }
        return matches.count == 1 && !prefix.isEmpty ? matches[0] : nil
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
