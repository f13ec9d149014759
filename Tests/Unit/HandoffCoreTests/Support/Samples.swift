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
    /// A request for `org.example.NAME` for that purpose, by default with the tag of the first activity of an origin and
    /// to go on with it.
    static func sample(_ name: String = "edit", tag: UInt8 = 0, for purpose: Purpose? = nil) throws -> FetchRequest {
        let hash = try ActivityType("org.example.\(name)").hash
        return FetchRequest(typeHash: hash, tag: ActivityTag(tag), purpose: try purpose ?? .take(.sample(1)))
    }
}

extension Origin {
    /// An origin without activities, whose stream tokens are made under a key of that byte.
    init(firstTag: UInt8 = 0, key: UInt8 = 0) {
        let key = StreamTokenKey(bytes: [UInt8](repeating: key, count: StreamTokenKey.byteCount))
        self.init(streamTokenKey: key, firstTag: ActivityTag(firstTag))
    }

    /// The answer to a request of the first of the sample devices.
    func answer(to request: FetchRequest, after saved: ActivityID? = nil, at now: Moment) -> Answer {
        answer(to: request, from: DeviceID(number: 1), after: saved, at: now)
    }

    /// The answer to a request for the activity of a type with any of the first tags; a refusal if all are refused.
    func answer(anyTagOf type: String, at now: Moment) throws -> Answer {
        let hash = try hash(type)
        let answers = (0..<32).map { answer(to: FetchRequest(typeHash: hash, tag: ActivityTag($0)), at: now) }
        return answers.first { $0.refusalCode != .noLongerCurrent } ?? answers[0]
    }
}

extension Answer {
    /// The activity, if it is one.
    var activity: Activity? {
        if case .activity(let activity) = self { activity } else { nil }
    }

    /// The code of a refusal, if it is one.
    var refusalCode: Refusal.Code? {
        if case .refusal(let refusal) = self { refusal.code } else { nil }
    }
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
    static let sample = LEPSM(lowSevenBits: 1)
}
