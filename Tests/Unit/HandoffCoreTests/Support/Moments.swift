@testable import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio

extension Moment {
    /// An instant of virtual time, `seconds` after a start in the middle of a slot.
    static func at(_ seconds: Double) -> Moment {
        Moment(uptime: .seconds(1000), unixMicroseconds: 900_000_000 * 10 + 300_000_000)
            .advanced(by: .milliseconds(Int64(seconds * 1000)))
    }
}

/// An activity of that type with that state.
func activity(_ type: String, _ userInfo: [String: UserInfoValue] = [:], webpage: String? = nil) throws -> Activity {
    try Activity(type: ActivityType(type), webpageURL: try webpage.map { try WebpageURL($0) }, userInfo: userInfo)
}

/// The hash of that type, without a team.
func hash(_ type: String) throws -> ActivityTypeHash {
    try ActivityType(type).hash
}

/// What is advertised of one of 256 activities of one type.
func offered(_ number: UInt8, hasWebpage: Bool = false) -> AdvertisementPacer.Content {
    let (id, hash) = (ActivityID(rawValue: UInt64(number) + 1), ActivityTypeHash(number: 0x0102_0304))
    return .activity(OfferedActivity(id: id, typeHash: hash), hasWebpage: hasWebpage)
}

extension AdvertisementNumber {
    /// That of the first activity of an origin at the start of the virtual time: 300 s after the border, and 21 more.
    static let first = at(171)

    /// A number in the slot of the virtual time.
    static func at(_ index: UInt16, slot: UInt64 = 10) -> AdvertisementNumber {
        AdvertisementNumber(slot: slot, lowNineBits: index)
    }
}
