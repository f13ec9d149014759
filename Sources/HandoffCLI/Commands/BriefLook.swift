import AsyncSupport
import DBus
import HandoffBus
import HandoffClient

/// Finds what is nearby for a person who asks now, although the daemon may scan only seldom, or not at all.
///
/// When nothing fitting is known, the daemon scans continuously for ``limit``. It is waited for as long also when it does
/// already: it may have begun to only now, as after unlocking the session.
struct BriefLook: Sendable {
    /// Long enough to hear an advertiser at 1.28 s, the slowest (BlueZ before 5.77), with a margin.
    static let limit = Duration.seconds(2)

    let client: HandoffClient
    var limit = Self.limit

    /// What was found.
    struct Result<Found: Sendable>: Sendable {
        let found: Found?
        /// Why the daemon scans less than usual by itself, or what the person has to mend, in a sentence; empty for no
        /// reason.
        let message: String
    }

    /// Returns all activities nearby, after a look if none is known.
    func all() async throws -> Result<[NearbyActivityDescription]> {
        let known = try await client.objects().nearby
        guard known.isEmpty else { return Result(found: known, message: "") }
        // Who lists wants more than the first. A device shows one activity, so that the list of all devices is complete.
        let devices = try await client.objects().devices.count
        let result = try await first { nearby in !nearby.isEmpty && nearby.count >= devices ? nearby : nil }
        return Result(found: try await client.objects().nearby, message: result.message)
    }

    /// Returns the first thing that `find` finds in a list of what is nearby, the nearest first.
    func first<Found: Sendable>(
        _ find: @escaping @Sendable ([NearbyActivityDescription]) throws -> Found?
    ) async throws -> Result<Found> {
        if let found = try find(try await client.objects().nearby) { return Result(found: found, message: "") }
        let scanning = try await client.status().scanning
        guard scanning.canLook else { return Result(found: nil, message: scanning.message) }
        let (client, limit) = (client, limit)
        try await client.startLooking()
        let found: Found? = try await withTimeout(limit) {
            try await client.first(in: [.nearby, .distances]) { try find($0.objects.nearby) }
        }
        try await client.stopLooking()
        return Result(found: found, message: scanning.message)
    }
}
