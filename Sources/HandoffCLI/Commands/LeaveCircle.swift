import ArgumentParser
import HandoffBus

extension DevicesCommand {
    /// `handoffctl devices leave`.
    struct LeaveCircle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave",
            abstract: "Stop trusting all devices, and become a new device.",
            discussion: """
                This device forgets all others without notifying them, and makes new keys, so
                that it has a new id. They list the old one until you remove it on one of them.
                Run this on a device that was removed before you trust it again, or before you
                give it away. It asks before it does so; without a terminal it needs --yes.
                """
        )

        @OptionGroup var options: GlobalOptions

        @Flag(help: "Ask nothing.")
        var yes = false

        func run() async throws {
            let yes = yes
            try await options.withClient { client, output in
                let devices = try await client.objects().devices
                if !yes { try Self.ask(devices, Confirmation(output: output)) }
                try await client.leave()
                try output.print(devices.map(DeviceDocument.init), "this device no longer trusts any other")
            }
        }

        private static func ask(_ devices: [DeviceDescription], _ confirmation: Confirmation) throws {
            guard confirmation.canAsk else {
                throw CommandFailure(
                    status: .usage,
                    message: "This cannot be undone: give --yes where there is no terminal to ask at."
                )
            }
            let names = devices.map { printable($0.name) }.joined(separator: ", ")
            let others = devices.isEmpty ? "No device is trusted." : "This device forgets \(names)."
            guard confirmation.agrees("\(others) It gets new keys, which cannot be undone. Leave?") else {
                throw CommandFailure(status: .failed, message: "Nothing was changed.")
            }
        }
    }
}
