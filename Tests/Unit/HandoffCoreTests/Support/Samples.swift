import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffTestVectors
import HandoffWire

extension Activity {
    /// An activity of the type `org.example.NAME`.
    static func sample(
        _ name: String = "edit",
        webpage: String? = nil,
        userInfo: [String: UserInfoValue] = [:]
    ) throws -> Activity {
        try Activity(
            type: ActivityType("org.example.\(name)"),
            webpageURL: try webpage.map { url throws(ModelError) in try WebpageURL(url) },
            userInfo: userInfo
        )
    }

    /// An activity whose encoding has exactly `bytes` bytes.
    static func weighing(_ bytes: Int) throws -> Activity {
        var random = SeededRandom(seed: UInt64(bytes))
        var filling = random.bytes(bytes)
        while true {
            let activity = try sample(userInfo: ["data": .data(filling)])
            guard activity.encodedSize != bytes else { return activity }
            filling.removeLast(activity.encodedSize > bytes ? activity.encodedSize - bytes : 0)
            if activity.encodedSize < bytes { filling += random.bytes(bytes - activity.encodedSize) }
        }
    }
}

extension FetchRequest {
    /// A request for what is advertised with a number of the slot of the virtual time, by default with that of the first
    /// activity of an origin, and to go on with it.
    static func sample(_ number: AdvertisementNumber? = nil, for purpose: Purpose? = nil) throws -> FetchRequest {
        FetchRequest(number: number ?? .first, purpose: try purpose ?? .take(.sample(1)))
    }
}

extension Origin {
    /// An origin without activities, whose stream tokens are made under a key of that byte.
    init(key: UInt8 = 0) {
        let key = StreamTokenKey(bytes: [UInt8](repeating: key, count: StreamTokenKey.byteCount))
        self.init(streamTokenKey: key)
    }

    /// The number of what is advertised at an instant; nil for nothing.
    mutating func number(at now: Moment) -> AdvertisementNumber? { advance(to: now).broadcast?.number }

    /// The answer to requests for an activity of a type with every number of the slot of the virtual time, and with that
    /// which a refusal tells; a refusal if all are refused.
    mutating func answer(anyNumberOf type: String, at now: Moment) throws -> Answer {
        _ = advance(to: now)
        var refusal = answer(to: FetchRequest(number: .at(0)), at: now)
        let told = refusal.refusal?.current.map { [$0.activity.number] } ?? []
        for number in told + (0...AdvertisementNumber.maximumIndex).map({ .at($0) }) {
            let answer = answer(to: FetchRequest(number: number), at: now)
            if answer.activity?.type.rawValue == type { return answer }
            if answer.refusalCode != .noLongerCurrent, answer.activity == nil { refusal = answer }
        }
        return refusal
    }

    /// The answer to a request of the first of the sample devices.
    mutating func answer(to request: FetchRequest, after saved: ActivityID? = nil, at now: Moment) -> Answer {
        answer(to: request, from: DeviceID(number: 1), after: saved, at: now)
    }

}

extension Answer {
    /// The activity, if it is one.
    var activity: Activity? {
        if case .activity(let activity) = self { activity } else { nil }
    }

    /// The refusal, if it is one.
    var refusal: Refusal? {
        if case .refusal(let refusal) = self { refusal } else { nil }
    }

    /// The code of a refusal, if it is one.
    var refusalCode: Refusal.Code? { refusal?.code }
}

extension DeviceID {
    /// One of 256 devices.
    static func sample(_ number: UInt8) throws -> DeviceID {
        try DeviceID(bytes: [0, 0, 0, 0, 0, 0, 0, number])
    }
}

extension TakeID {
    /// One of 256 takes.
    static func sample(_ number: UInt8) throws -> TakeID {
        try TakeID(bytes: [0, 0, 0, 0, 0, 0, 0, number])
    }
}

extension LEPSM {
    static let sample = LEPSM(lowFiveBits: 1)
}
