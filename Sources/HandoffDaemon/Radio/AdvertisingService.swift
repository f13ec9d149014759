import AsyncSupport
import HandoffCore
import HandoffRadio
import Logging

/// Broadcasts the advertisement that the engine plans.
///
/// When the daemon stops, all activities are invalidated, and the service continues until the withdrawal advertisement
/// ends.
struct AdvertisingService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let logger: Logger

    /// The longest time that a stopping daemon spends on its withdrawal advertisement: its whole duration, and a second
    /// for it to start.
    private static var maximumWithdrawalTime: Duration { AdvertisementPacer.withdrawalDuration + .seconds(1) }

    func run() async throws {
        let plans = engine.advertising
        var plan = plans.current
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        while true {
            guard let advertisement = plan.value.advertisement else {
                plan = try await plans.changed(since: plan)
                continue
            }
            let shown = plan
            do {
                plan = try await radio.withAdvertisement(advertisement) {
                    engine.radio.began(shown.value)
                    return try await plans.changed(since: shown)
                }
                retry.reset()
            } catch let error as RadioError {
                engine.radio.failed(.advertising, error)
                logger.warning(
                    "cannot advertise: \(error.message)",
                    metadata: ["event": "advertising.failed", "code": "\(error.code)"]
                )
                plan = try await retry.wait(orUntil: plans, changesSince: shown)
            }
        }
    }

    func prepareToStop() async {
        engine.activities.cover(false)
        engine.trust.endGreetings()
        engine.activities.allClientsLeft()
        // What is not withdrawn by then disappears with the advertisement.
        _ = try? await withTimeout(Self.maximumWithdrawalTime) { try await waitUntilNothingIsAdvertised() }
    }

    private func waitUntilNothingIsAdvertised() async throws {
        var plan = engine.advertising.current
        while plan.value.advertisement != nil { plan = try await engine.advertising.changed(since: plan) }
    }
}
