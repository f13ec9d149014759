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

/// The hash of that type.
func hash(_ type: String) throws -> ActivityTypeHash {
    try ActivityType(type).hash
}

/// What an advertisement says of an activity of that type.
func advertised(_ type: String, tag: UInt8 = 0) throws -> AdvertisedActivity {
    AdvertisedActivity(typeHash: try hash(type), tag: ActivityTag(tag))
}

/// What an advertisement says of one of 256 activities of one type.
func advertised(_ tag: UInt8) -> AdvertisedActivity {
    AdvertisedActivity(typeHash: ActivityTypeHash(number: 0x0102_0304), tag: ActivityTag(tag))
}
