import DBus

/// The options that a caller of `Fetch` may set.
package struct FetchOptions: Hashable, Sendable {
    /// What the caller does with the activity.
    package enum Purpose: Hashable, Sendable {
        /// It shows the state that the app saved last; the app is told nothing.
        case preview
        /// It shows the newest state: the app saves first.
        case freshPreview
        /// It goes on with the activity: the app saves first, and is told.
        case take
    }

    package var purpose: Purpose

    package init(_ purpose: Purpose = .preview) {
        self.purpose = purpose
    }

    init(_ options: Value) {
        let options = options.stringDictionary ?? [:]
        let isFresh = options[Key.fresh]?.boolean ?? false
        purpose = options[Key.take]?.boolean ?? false ? .take : isFresh ? .freshPreview : .preview
    }

    var value: Value {
        switch purpose {
        case .preview: [String: Value]().value
        case .freshPreview: [Key.fresh: Value.boolean(true)].value
        case .take: [Key.take: Value.boolean(true)].value
        }
    }

    private enum Key {
        static let fresh = "Fresh"
        static let take = "Take"
    }
}
