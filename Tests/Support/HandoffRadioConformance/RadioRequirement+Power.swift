import HandoffRadio

extension RadioRequirement {
    static var powerRequirements: [RadioRequirement] {
        [
            switchingOff("an advertisement") { radio, isUnderWay in
                try await radio.withAdvertisement(.fresh()) {
                    isUnderWay.send()
                    try await untilCancelled()
                }
            },
            switchingOff("a scan") { radio, isUnderWay in
                try await radio.withScan(for: [.fresh()]) { reports in
                    isUnderWay.send()
                    for await _ in reports {}
                }
            },
            switchingOff("a listener") { radio, isUnderWay in
                try await radio.withListener(limit: 1, serving: echo) { _ in
                    isUnderWay.send()
                    try await untilCancelled()
                }
            },
            RadioRequirement("When a radio is switched off, its channel breaks on both sides", needsPowerSwitch: true) {
                world in
                let served = Signal<Void>()
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await first.withListener(limit: 1) { channel in
                        await echo(channel)
                        served.send()
                    } _: { port in
                        try await first.withAdvertisement(advertisement) {
                            let address = try await second.address(of: advertisement)
                            try await expect(.poweredOff) {
                                try await second.withChannel(to: address, port: port, timeout: .dialTimeout) {
                                    channel in
                                    try await channel.send([1])
                                    _ = try await channel.receive(exactly: 1)
                                    try await world.setPower(false, ofSecond: second)
                                    try await untilCancelled()
                                }
                            }
                            try await served.value()
                        }
                    }
                    try await world.setPower(true, ofSecond: second)
                    try await second.becomesReady()
                }
            },
        ]
    }

    /// What begins while the radio is on ends with `poweredOff` when the radio is switched off, and works again later.
    private static func switchingOff(
        _ what: String,
        _ begin: @escaping @Sendable (World.TestedRadio, Signal<Void>) async throws -> Void
    ) -> RadioRequirement {
        RadioRequirement(
            "When the radio is switched off, \(what) ends with that reason, and it works again later",
            needsPowerSwitch: true
        ) {
            world in
            try await world.withRunningRadios { _, second in
                let isUnderWay = Signal<Void>()
                for _ in 0..<2 {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await expect(.poweredOff) { try await begin(second, isUnderWay) } }
                        try await isUnderWay.value()
                        try await world.setPower(false, ofSecond: second)
                        try await group.waitForAll()
                    }
                    try await second.becomesUnavailable(.poweredOff)
                    try await expect(.poweredOff) { try await begin(second, isUnderWay) }
                    try await world.setPower(true, ofSecond: second)
                    try await second.becomesReady()
                }
            }
        }
    }
}
