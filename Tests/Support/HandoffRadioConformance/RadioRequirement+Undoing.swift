import Bluetooth
import HandoffRadio

extension RadioRequirement {
    static var teardownRequirements: [RadioRequirement] {
        [
            RadioRequirement("A cancelled advertisement is no longer sent, and another can follow at once") { world in
                try await world.withRunningRadios { first, second in
                    let old = Advertisement.fresh()
                    try await cancelling { isUnderWay in
                        try await second.withAdvertisement(old) {
                            isUnderWay.send()
                            try await untilCancelled()
                        }
                    }
                    let new = old.changed(to: [1])
                    try await second.withAdvertisement(new) {
                        try await first.withScan(for: [old.service]) { reports in
                            for await report in reports {
                                try expect(report.data == new.data, "the old data was reported")
                                return
                            }
                        }
                    }
                }
            },
            RadioRequirement("A cancelled scan has ended, and another can follow at once") { world in
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await second.withAdvertisement(advertisement) {
                        try await cancelling { isUnderWay in
                            try await first.withScan(for: [advertisement.service]) { reports in
                                _ = try await reports.first(of: advertisement)
                                isUnderWay.send()
                                try await untilCancelled()
                            }
                        }
                        _ = try await first.address(of: advertisement)
                    }
                }
            },
            RadioRequirement("A connection to the port of a cancelled listener is refused") { world in
                try await world.withRunningRadios { first, second in
                    let opened = Signal<LEPSM>()
                    try await cancelling { isUnderWay in
                        try await second.withListener(limit: 1, serving: echo) { port in
                            opened.send(port)
                            isUnderWay.send()
                            try await untilCancelled()
                        }
                    }
                    let port = try await opened.value()
                    let advertisement = Advertisement.fresh()
                    try await second.withAdvertisement(advertisement) {
                        let address = try await first.address(of: advertisement)
                        try await expect(.refused) {
                            try await first.withChannel(to: address, port: port, timeout: .dialTimeout) { _ in }
                        }
                    }
                }
            },
            RadioRequirement("The serving task is cancelled and awaited when its listener ends") { world in
                let (opened, isServing, served) = (Signal<LEPSM>(), Signal<Void>(), Signal<Bool>())
                try await world.withRunningRadios { first, second in
                    let advertisement = Advertisement.fresh()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask {
                            let (address, port) = (try await first.address(of: advertisement), try await opened.value())
                            do {
                                try await first.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                                    try await channel.send([1])
                                    // The listener may close or break the channel; both end it.
                                    while let _ = try? await channel.receive() {}
                                }
                            } catch let error as RadioError where error.code == .channelClosed {
                                // The channel may be closed so early that withChannel itself fails.
                            }
                        }
                        try await second.withAdvertisement(advertisement) {
                            try await second.withListener(limit: 8) { channel in
                                // An attempt that was abandoned and repeated leaves a channel without messages.
                                guard let message = try? await channel.receive(), message == [1] else { return }
                                isServing.send()
                                while let _ = try? await channel.receive() {}
                                served.send(Task.isCancelled)
                            } _: { port in
                                opened.send(port)
                                try await isServing.value()
                            }
                            try expect(try await served.value(), "the serving task was not cancelled")
                        }
                        try await group.waitForAll()
                    }
                }
            },
            RadioRequirement("A cancelled channel is closed, and the listener receives the end") { world in
                let served = Signal<Void>()
                try await world.withConnectableRadios { channel in
                    await echo(channel)
                    served.send()
                } _: { radio, address, port in
                    try await cancelling { isUnderWay in
                        try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                            try await channel.send([1])
                            _ = try await channel.receive(exactly: 1)
                            isUnderWay.send()
                            try await untilCancelled()
                        }
                    }
                    try await served.value()
                }
            },
            RadioRequirement("A cancelled connection attempt ends and does not delay the next one") { world in
                try await world.withConnectableRadios(serving: echo) { radio, address, port in
                    let unreachable = RadioAddress("C0:00:00:00:00:01/random")
                    try await cancelling { isUnderWay in
                        isUnderWay.send()
                        try await radio.withChannel(to: unreachable, port: port, timeout: .seconds(600)) { _ in }
                    }
                    try await radio.withChannel(to: address, port: port, timeout: .dialTimeout) { channel in
                        try await channel.send([1])
                        try expect(try await channel.receive(exactly: 1) == [1], "the echo differs")
                    }
                }
            },
        ]
    }
}
