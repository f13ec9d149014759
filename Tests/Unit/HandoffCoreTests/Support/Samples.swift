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
    /// A request for `org.example.NAME`, with which somebody goes on.
    static func sample(_ name: String = "edit") throws -> FetchRequest {
        try sample(name, for: .take(.sample(1)))
    }

    /// A request for `org.example.NAME` for that purpose.
    static func sample(_ name: String = "edit", for purpose: Purpose) throws -> FetchRequest {
        FetchRequest(typeHash: try ActivityType("org.example.\(name)").hash, purpose: purpose)
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
