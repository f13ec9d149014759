private import FoundationEssentials

/// A message to the extension (Docs/Browsers.md, "Messages").
package enum HostMessage: Hashable, Sendable {
    /// A nearby activity, as the popup shows it.
    package struct Entry: Hashable, Sendable, Encodable {
        /// Its number, for `continue`.
        package let entry: UInt64
        /// The name of its device.
        package let device: String
        /// Its type; empty when it is unknown here.
        package let type: String
        package let isWebpage: Bool
        /// The name of the app that continues it; empty for the browser, a document, or none.
        package let app: String
        /// Whether anything here is known to continue it.
        package let isContinuable: Bool

        package init(
            entry: UInt64,
            device: String,
            type: String,
            isWebpage: Bool,
            app: String,
            isContinuable: Bool
        ) {
            self.entry = entry
            self.device = device
            self.type = type
            self.isWebpage = isWebpage
            self.app = app
            self.isContinuable = isContinuable
        }

        private enum CodingKeys: String, CodingKey {
            case entry, device, type, app
            case isWebpage = "webpage"
            case isContinuable = "continuable"
        }
    }

    /// The largest number of entries in a list: more than a person looks through.
    package static let maximumEntries = 50

    /// The answer to `hello`, with the version of the host.
    case ready(version: String)
    /// Whether Handoff is available; nil, or why it is not, as a sentence for a person.
    case status(unavailable: String?)
    /// Asks for the state of a page, which another device is about to continue.
    case save(BrowserMessage.ID)
    /// Asks to open a page in a new tab, with the focus, and to restore its state.
    case open(BrowserMessage.ID, url: String, PageState)
    /// The nearby activities, at most ``maximumEntries``.
    case nearby([Entry])
    /// The result of `continue`: nil, or why it failed, as a sentence for a person.
    case continued(BrowserMessage.ID, failure: String?)
    /// A message of the extension was not accepted.
    case error(BrowserError)

    /// The message as it is sent, without its length.
    package var encoded: [UInt8] {
        // Every value is a string, a number or a Boolean, which encode without an error.
        (try? JSONEncoder().encode(Content(self))).map { Array($0) } ?? Array("{}".utf8)
    }

    private struct Content: Encodable {
        var type: String
        var `protocol`: Int?
        var version: String?
        var available: Bool?
        var message: String?
        var id: BrowserMessage.ID?
        var url: String?
        var state: PageState.Content?
        var entries: [Entry]?
        var continued: Bool?
        var code: String?

        init(_ message: HostMessage) {
            type = message.name
            switch message {
            case .ready(let version):
                self.protocol = BrowserMessage.protocolVersion
                self.version = version
            case .status(let reason):
                available = reason == nil
                self.message = reason
            case .save(let id): self.id = id
            case .open(let id, let url, let state):
                self.id = id
                self.url = url
                self.state = state.content
            case .nearby(let entries): self.entries = entries
            case .continued(let id, let failure):
                self.id = id
                continued = failure == nil
                self.message = failure
            case .error(let error):
                code = error.code.description
                self.message = error.message
            }
        }
    }

    private var name: String {
        switch self {
        case .ready: "ready"
        case .status: "status"
        case .save: "save"
        case .open: "open"
        case .nearby: "nearby"
        case .continued: "continued"
        case .error: "error"
        }
    }
}
