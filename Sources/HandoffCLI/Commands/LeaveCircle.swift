import ArgumentParser
import HandoffBus

extension DevicesCommand {
    /// `handoffctl devices leave`.
    struct LeaveCircle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave",
            abstract: "Trust nobody any more.",
            discussion: """
                This device forgets all others, tells them nothing, and makes a new key that they do not know. The others go
                on listing it until it is removed on one of them. Do this on a device that was removed or is given away,
                before it is trusted anew.
                """
        )

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            try await options.withClient { client, output in
                let devices = try await client.objects().devices
                try await client.leave()
                try output.print(devices.map(DeviceDocument.init), "this device trusts nobody any more")
            }
        }
    }
}
