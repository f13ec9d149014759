import DBus
import FoundationEssentials
import HandoffBus
import HandoffJSON
import HandoffModel

/// One line of the input of `handoffctl publish --follow`: what its program does from now on.
enum FollowedLine: Hashable, Sendable {
    /// The whole activity.
    case activity(PublishedActivity.Content)
    /// There is nothing to continue any more.
    case nothing
    /// The same as before: the answer to `willSave` when there is no newer state.
    case unchanged
    /// It has written what the stream of that number carries.
    case stream(Int)

    /// Why a line cannot be used; it then changes nothing.
    struct Fault: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// The names that a line may have besides `type`, and the parts of the activity that they set.
    private static let keys: [String: ActivityDraft.Key] = [
        "title": .title, "webpageURL": .webpageURL, "documentURL": .documentURL, "teamID": .teamID,
        "targetContentIdentifier": .targetContentIdentifier, "persistentIdentifier": .persistentIdentifier,
        "requiredUserInfoKeys": .requiredUserInfoKeys, "eligible": .eligible, "needsSave": .needsSave,
        "supportsContinuationStreams": .supportsContinuationStreams,
    ]

    /// Reads a line: `null`, or a JSON object.
    ///
    /// - Throws: ``Fault`` with the place and the reason.
    init(_ text: String) throws(Fault) {
        switch try Self.value(of: text) {
        case .null: self = .nothing
        case .dictionary(let parts) where parts.isEmpty: self = .unchanged
        case .dictionary(let parts) where parts["stream"] != nil: self = .stream(try Self.stream(parts))
        case .dictionary(let parts): self = .activity(try Self.content(parts))
        default: throw Fault(description: "a line is a JSON object or null")
        }
    }

    private static func value(of text: String) throws(Fault) -> UserInfoValue {
        do {
            return try JSONDecoder().decode(UserInfoJSON.self, from: Data(JSONText.repaired(Array(text.utf8)))).value
        } catch {
            throw Fault(description: UserInfoJSON.reason(error))
        }
    }

    private static func stream(_ parts: [String: UserInfoValue]) throws(Fault) -> Int {
        guard parts.count == 1, case .integer(let number)? = parts["stream"], let number = Int(exactly: number) else {
            throw Fault(description: "an answer to streamOpened has the number of the stream, and nothing else")
        }
        return number
    }

    private static func content(_ parts: [String: UserInfoValue]) throws(Fault) -> PublishedActivity.Content {
        guard case .string(let type)? = parts["type"] else { throw Fault(description: "the key \"type\" is missing") }
        var draft = ActivityDraft()
        var rest = parts.filter { $0.key != "type" }
        if let userInfo = rest.removeValue(forKey: "userInfo") {
            guard case .dictionary(let entries) = userInfo else {
                throw Fault(description: "userInfo: it is not a JSON object")
            }
            draft.properties.userInfo = entries
        }
        for (name, value) in rest.sorted(by: { $0.key < $1.key }) { try set(name, to: value, of: &draft) }
        do {
            _ = try draft.activity(ofType: type)
        } catch {
            throw Fault(description: error.message)
        }
        return PublishedActivity.Content(type: type, draft: draft)
    }

    private static func set(
        _ name: String,
        to value: UserInfoValue,
        of draft: inout ActivityDraft
    ) throws(Fault) {
        do {
            switch (name, value) {
            case ("document", .string(let path)):
                draft.properties.documentURL = try fileURL(path)
                return
            case ("expirationDate", .string(let date)):
                draft.properties.expiration = try Timestamp(date)
                return
            default: break
            }
        } catch {
            throw Fault(description: "\(name): \((error as? ModelError)?.message ?? "\(error)")")
        }
        guard let key = keys[name] else {
            let known = (["document", "expirationDate", "type", "userInfo"] + keys.keys).sorted().joined(
                separator: ", "
            )
            throw Fault(description: "\(name.debugDescription) is not a key of an activity; the keys are \(known)")
        }
        guard let part = part(value, of: key) else {
            throw Fault(description: "\(name): it has a value of a wrong type")
        }
        do {
            try draft.set(key, to: part)
        } catch {
            throw Fault(description: "\(name): \(error.message)")
        }
    }

    /// The value as it is on the bus; nil when it is of another type.
    private static func part(_ value: UserInfoValue, of key: ActivityDraft.Key) -> Value? {
        switch (key, value) {
        case (.eligible, .boolean(let flag)), (.needsSave, .boolean(let flag)),
            (.supportsContinuationStreams, .boolean(let flag)):
            .boolean(flag)
        case (.eligible, _), (.needsSave, _), (.supportsContinuationStreams, _): nil
        case (.requiredUserInfoKeys, .array(let elements)): strings(elements)?.value
        case (.requiredUserInfoKeys, _): nil
        case (_, .string(let text)): .string(text)
        default: nil
        }
    }

    private static func strings(_ values: [UserInfoValue]) -> [String]? {
        var strings: [String] = []
        for value in values {
            guard case .string(let text) = value else { return nil }
            strings.append(text)
        }
        return strings
    }
}
