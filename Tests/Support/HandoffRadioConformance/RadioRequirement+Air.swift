import HandoffRadio
import TestRuns

extension RadioRequirement {
    static var stateRequirements: [RadioRequirement] {
        [
            RadioRequirement("states() says at once how it is, and ends with run()") { world in
                try await world.withRadios { radio, _ in
                    let states = radio.states()
                    // When the body has ended, so has run(), which was cancelled.
                    try await withServices([{ try await radio.run() }]) {
                        try await radio.becomesReady()
                        var first = radio.states().makeAsyncIterator()
                        guard case .ready = await first.next() else { throw RequirementFailure("not ready at once") }
                    }
                    for await _ in states {}
                    for await _ in radio.states() {}
                }
            }
        ]
    }

    static var advertisementRequirements: [RadioRequirement] {
        [
            RadioRequirement("an advertisement is heard by a scan that was there before") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await first.withScan(for: [advertisement.service]) { reports in
                        _ = try await second.withAdvertisement(advertisement) {
                            try await reports.first(of: advertisement)
                        }
                    }
                }
            },
            RadioRequirement("an advertisement is heard by a scan that comes later") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh(.relaxed)
                    _ = try await second.withAdvertisement(advertisement) {
                        try await first.address(of: advertisement)
                    }
                }
            },
            RadioRequirement("an advertisement of one byte is heard") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh().changed(to: [0])
                    _ = try await second.withAdvertisement(advertisement) {
                        try await first.address(of: advertisement)
                    }
                }
            },
            RadioRequirement("an advertisement that is replaced is heard with its new bytes by the same scan") {
                world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await first.withScan(for: [advertisement.service]) { reports in
                        for data: [UInt8] in [[1, 2, 3], [4, 5], [1, 2, 3]] {
                            let next = advertisement.changed(to: data)
                            _ = try await second.withAdvertisement(next) { try await reports.first(of: next) }
                        }
                    }
                }
            },
            RadioRequirement("an advertisement that was withdrawn is not reported to a new scan") { world in
                try await world.withRunningRadios { first, second in
                    let old = Advertisement.fresh()
                    _ = try await second.withAdvertisement(old) { try await first.address(of: old) }
                    let new = old.changed(to: [1])
                    try await second.withAdvertisement(new) {
                        try await first.withScan(for: [old.service]) { reports in
                            for await report in reports {
                                try expect(report.data != old.data, "the old bytes were reported")
                                if report.data == new.data { return }
                            }
                            throw RequirementFailure("the scan ended")
                        }
                    }
                }
            },
            RadioRequirement("a second advertisement at the same time is refused as busy, and the first stays") {
                world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await second.withAdvertisement(advertisement) {
                        try await expect(.busy) { try await second.withAdvertisement(.fresh()) {} }
                        _ = try await first.address(of: advertisement)
                    }
                }
            },
            RadioRequirement("an advertisement without data, or with too much, is refused as invalid") { world in
                try await world.withRunningRadios { _, second in
                    for count in [0, Advertisement.maximumDataLength + 1] {
                        let advertisement = Advertisement.fresh().changed(to: Array(repeating: 1, count: count))
                        try await expect(.invalidAdvertisement) { try await second.withAdvertisement(advertisement) {} }
                    }
                }
            },
            RadioRequirement("what the body of an advertisement returns or throws comes through") { world in
                try await world.withRunningRadios { _, second in
                    let seven = try await second.withAdvertisement(.fresh()) { 7 }
                    try expect(seven == 7, "the result was \(seven)")
                    do {
                        try await second.withAdvertisement(.fresh()) { throw RequirementFailure("on purpose") }
                    } catch is RequirementFailure {
                        return
                    }
                    throw RequirementFailure("the body's error was swallowed")
                }
            },
        ]
    }

    static var scanRequirements: [RadioRequirement] {
        [
            RadioRequirement("a scan reports the services it was asked for, and no others") { world in
                try await world.withRunningRadios { first, second in
                    let other = Advertisement.fresh()
                    let wanted = Advertisement.fresh()
                    _ = try await second.withAdvertisement(other) { try await first.address(of: other) }
                    try await first.withScan(for: [wanted.service, .fresh()]) { reports in
                        try await second.withAdvertisement(other) {}
                        try await second.withAdvertisement(wanted) {
                            for await report in reports {
                                try expect(report.service == wanted.service, "\(report.service) was reported")
                                return
                            }
                        }
                    }
                }
            },
            RadioRequirement("an advertisement goes on being reported for as long as it is on the air") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await second.withAdvertisement(advertisement) {
                        try await first.withScan(for: [advertisement.service]) { reports in
                            for _ in 0..<3 { _ = try await reports.first(of: advertisement) }
                        }
                    }
                }
            },
            RadioRequirement("both radios can advertise and scan at the same time") { world in
                try await world.withRunningRadios { first, second in
                    let one = Advertisement.fresh()
                    let other = Advertisement.fresh()
                    try await first.withAdvertisement(one) {
                        try await second.withAdvertisement(other) {
                            _ = try await first.address(of: other)
                            _ = try await second.address(of: one)
                        }
                    }
                }
            },
        ]
    }
}
