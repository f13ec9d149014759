import HandoffRadio
import TestRuns

extension RadioRequirement {
    static var stateRequirements: [RadioRequirement] {
        [
            RadioRequirement("states() yields the current state at once, and ends with run()") { world in
                try await world.withRadios { radio, _ in
                    let states = radio.states()
                    // When the body has ended, run() was cancelled and has ended as well.
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
            RadioRequirement("A running scan reports an advertisement that begins later") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await first.withScan(for: [advertisement.service]) { reports in
                        _ = try await second.withAdvertisement(advertisement) {
                            try await reports.first(of: advertisement)
                        }
                    }
                }
            },
            RadioRequirement("A scan reports an advertisement that began before it") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh(.relaxed)
                    _ = try await second.withAdvertisement(advertisement) {
                        try await first.address(of: advertisement)
                    }
                }
            },
            RadioRequirement("A scan reports an advertisement of one byte") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh().changed(to: [0])
                    _ = try await second.withAdvertisement(advertisement) {
                        try await first.address(of: advertisement)
                    }
                }
            },
            RadioRequirement("A running scan reports the new data of an advertisement that is replaced") {
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
            RadioRequirement("A new scan does not report an advertisement that was withdrawn") { world in
                try await world.withRunningRadios { first, second in
                    let old = Advertisement.fresh()
                    _ = try await second.withAdvertisement(old) { try await first.address(of: old) }
                    let new = old.changed(to: [1])
                    try await second.withAdvertisement(new) {
                        try await first.withScan(for: [old.service]) { reports in
                            for await report in reports {
                                try expect(report.data != old.data, "the old data was reported")
                                if report.data == new.data { return }
                            }
                            throw RequirementFailure("the scan ended")
                        }
                    }
                }
            },
            RadioRequirement("A second advertisement at the same time is refused as busy, and the first one stays") {
                world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await second.withAdvertisement(advertisement) {
                        try await expect(.busy) { try await second.withAdvertisement(.fresh()) {} }
                        _ = try await first.address(of: advertisement)
                    }
                }
            },
            RadioRequirement("An advertisement without data or with too much data is refused as invalid") { world in
                try await world.withRunningRadios { _, second in
                    for count in [0, Advertisement.maximumDataLength + 1] {
                        let advertisement = Advertisement.fresh().changed(to: Array(repeating: 1, count: count))
                        try await expect(.invalidAdvertisement) { try await second.withAdvertisement(advertisement) {} }
                    }
                }
            },
            RadioRequirement("withAdvertisement returns or throws what its body returns or throws") { world in
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
            RadioRequirement("A scan reports the requested services and no others") { world in
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
            RadioRequirement("An advertisement is reported repeatedly while it is advertised") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await second.withAdvertisement(advertisement) {
                        try await first.withScan(for: [advertisement.service]) { reports in
                            for _ in 0..<3 { _ = try await reports.first(of: advertisement) }
                        }
                    }
                }
            },
            RadioRequirement("Both radios can advertise and scan at the same time") { world in
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
