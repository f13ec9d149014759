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
                give it away.
                """
        )

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let devices = try await client.objects().devices
                try await client.leave()
                try output.print(devices.map(DeviceDocument.init), "this device no longer trusts any other")
            }
        }
    }
}
