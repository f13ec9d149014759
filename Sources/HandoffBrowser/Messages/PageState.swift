package import HandoffModel

/// Where the user is on a page: what another browser needs to show the same, whatever the size of its window.
package struct PageState: Hashable, Sendable {
    /// The largest length of each text, in bytes of UTF-8: together they stay about within the size that is recommended
    /// for an activity (Docs/Adopting.md, "Small").
    package static let maximumTextBytes = 1024

    /// The version of the keys in userInfo.
    private static let version: Int64 = 1

    /// The keys in userInfo (Docs/Browsers.md, "The activity").
    private enum Key {
        static let version = "Version"
        static let scroll = "Scroll"
        static let anchor = "Anchor"
        static let selection = "Selection"
        static let page = "PageState"
    }

    /// How far the page is scrolled, from 0 at its beginning to 1 at its end; nil if that is unknown.
    package private(set) var scroll: Double?
    /// The beginning of the first paragraph that is visible; nil if there is none.
    package private(set) var anchor: String?
    /// The beginning of the selected text, which is never that of a field; nil if nothing is selected.
    package private(set) var selection: String?
    /// What the page itself offers for continuing it; nil if it offers nothing.
    package private(set) var page: String?

    /// Nothing is known.
    package init() {}

    /// Reads the state from the userInfo of an activity, of which it takes what has the right form.
    package init(_ userInfo: [String: UserInfoValue]) {
        if case .real(let value) = userInfo[Key.scroll] { scroll = Self.fraction(value) }
        anchor = Self.text(userInfo[Key.anchor])
        selection = Self.text(userInfo[Key.selection])
        page = Self.text(userInfo[Key.page])
    }

    /// The userInfo of an activity with this state.
    package var userInfo: [String: UserInfoValue] {
        var userInfo: [String: UserInfoValue] = [Key.version: .integer(Self.version)]
        userInfo[Key.scroll] = scroll.map(UserInfoValue.real)
        userInfo[Key.anchor] = anchor.map(UserInfoValue.string)
        userInfo[Key.selection] = selection.map(UserInfoValue.string)
        userInfo[Key.page] = page.map(UserInfoValue.string)
        return userInfo
    }

    /// The state as it is in messages.
    struct Content: Hashable, Codable {
        var scroll: Double?
        var anchor: String?
        var selection: String?
        var page: String?
    }

    /// Reads the state from a message, of which it takes what has the right form.
    init(_ content: Content) {
        scroll = content.scroll.flatMap(Self.fraction)
        anchor = content.anchor.flatMap(Self.short)
        selection = content.selection.flatMap(Self.short)
        page = content.page.flatMap(Self.short)
    }

    /// The state as it is in messages.
    var content: Content { Content(scroll: scroll, anchor: anchor, selection: selection, page: page) }

    private static func fraction(_ value: Double) -> Double? { (0...1).contains(value) ? value : nil }

    private static func text(_ value: UserInfoValue?) -> String? {
        guard case .string(let text) = value else { return nil }
        return short(text)
    }

    private static func short(_ text: String) -> String? { text.utf8.count <= maximumTextBytes ? text : nil }
}

extension PageState.Content {
    /// Each part that is of another type than it has to be is left out.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        scroll = try? values.decodeIfPresent(Double.self, forKey: .scroll)
        anchor = try? values.decodeIfPresent(String.self, forKey: .anchor)
        selection = try? values.decodeIfPresent(String.self, forKey: .selection)
        page = try? values.decodeIfPresent(String.self, forKey: .page)
    }
}
