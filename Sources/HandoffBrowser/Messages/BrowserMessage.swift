private import FoundationEssentials
import HandoffModel

/// A message of the extension (Docs/Browsers.md, "Messages").
package enum BrowserMessage: Hashable, Sendable {
    /// The number of an exchange, by which an answer finds its question.
    package typealias ID = UInt32

    /// The version of the protocol that this module speaks.
    package static let protocolVersion = 1

    /// The first message: in which browser the extension runs.
    case hello(Browser)
    /// The page that the user sees; `nil` when it is one that is never published.
    case page(PublishedPage?, isFocused: Bool)
    /// No page is offered any more.
    case noPage
    /// The answer to `save`: what can be continued of the page with that address; nil if the extension may not look.
    case saved(ID, url: String, PageState?)
    /// The answer to `open`: whether a tab was opened.
    case opened(ID, Bool)
    /// Whether the list of nearby activities is on the screen.
    case look(Bool)
    /// The user continues a nearby activity, by its number in the list.
    case `continue`(ID, entry: UInt64)

    /// Reads a message.
    ///
    /// Keys that are unknown have no effect. What is no character is U+FFFD (`JSONText`), and a title or a part of
    /// a state that cannot be used is left out.
    ///
    /// - Throws: ``BrowserError`` with `invalidMessage`, `unknownMessage` or `unsupportedProtocol`.
    package init(_ bytes: [UInt8]) throws(BrowserError) {
        let content = try Self.decode(bytes)
        switch content.type {
        case "hello":
            guard content.protocol == Self.protocolVersion else { throw Self.otherProtocol(content.protocol) }
            guard let browser = content.browser.flatMap(Browser.init) else {
                throw Self.invalid("browser", in: "hello")
            }
            self = .hello(browser)
        case "page":
            let url = try Self.required(content.url, "url", in: "page")
            let title = content.title ?? ""
            self = .page(PublishedPage(url: url, title: title), isFocused: content.focused ?? false)
        case "noPage": self = .noPage
        case "saved":
            let id = try Self.required(content.id, "id", in: "saved")
            self = .saved(id, url: content.url ?? "", content.state.map { PageState($0) })
        case "opened":
            self = .opened(
                try Self.required(content.id, "id", in: "opened"),
                try Self.required(content.opened, "opened", in: "opened")
            )
        case "look": self = .look(try Self.required(content.on, "on", in: "look"))
        case "continue":
            self = .continue(
                try Self.required(content.id, "id", in: "continue"),
                entry: try Self.required(content.entry, "entry", in: "continue")
            )
        default:
            throw BrowserError(
                .unknownMessage,
                "The extension has sent a message of an unknown type: it is newer or older than handoff-browser-host."
            )
        }
    }

    /// All keys of all messages, before it is known which message it is.
    private struct Content: Decodable {
        let type: String
        let `protocol`: Int?
        let browser: String?
        let url: String?
        let title: String?
        let focused: Bool?
        let id: ID?
        let state: PageState.Content?
        let opened: Bool?
        let on: Bool?
        let entry: UInt64?

        init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            type = try values.decode(String.self, forKey: .type)
            `protocol` = try values.decodeIfPresent(Int.self, forKey: .protocol)
            browser = try values.decodeIfPresent(String.self, forKey: .browser)
            url = try values.decodeIfPresent(String.self, forKey: .url)
            // The page counts without them.
            title = try? values.decodeIfPresent(String.self, forKey: .title)
            focused = try? values.decodeIfPresent(Bool.self, forKey: .focused)
            id = try values.decodeIfPresent(ID.self, forKey: .id)
            state = try? values.decodeIfPresent(PageState.Content.self, forKey: .state)
            opened = try values.decodeIfPresent(Bool.self, forKey: .opened)
            on = try values.decodeIfPresent(Bool.self, forKey: .on)
            entry = try values.decodeIfPresent(UInt64.self, forKey: .entry)
        }

        private enum CodingKeys: String, CodingKey {
            case type, `protocol`, browser, url, title, focused, id, state, opened, on, entry
        }
    }

    private static func decode(_ bytes: [UInt8]) throws(BrowserError) -> Content {
        // JSONDecoder accepts other encodings, and text before which there is a byte order mark.
        guard bytes.first == UInt8(ascii: "{"),
            let content = try? JSONDecoder().decode(Content.self, from: Data(JSONText.repaired(bytes)))
        else {
            throw BrowserError(
                .invalidMessage,
                "The extension has sent a message that is not a JSON object, or has a value of another type."
            )
        }
        return content
    }

    private static func required<Value>(
        _ value: Value?,
        _ key: String,
        in type: String
    ) throws(BrowserError) -> Value {
        guard let value else { throw invalid(key, in: type) }
        return value
    }

    private static func invalid(_ key: String, in type: String) -> BrowserError {
        BrowserError(.invalidMessage, "The extension has sent a message \"\(type)\" without a valid \"\(key)\".")
    }

    private static func otherProtocol(_ version: Int?) -> BrowserError {
        BrowserError(
            .unsupportedProtocol,
            "The extension speaks version \(version.map(String.init) ?? "?") of the protocol, and handoff-browser-host "
                + "version \(protocolVersion): update the older of the two."
        )
    }
}
