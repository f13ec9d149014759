import DBus

/// The launch target of an activity of another device.
package enum NearbyLaunchTarget: Hashable, Sendable {
    case app(id: String, name: String, icon: String?)
    /// Its web page, in the browser.
    case browser
    /// Its document, in the app for documents of its kind, which is known when the activity is fetched.
    case document
    /// No app claims its type, and it has no web page and no document that can be opened here.
    case nothing

    /// `app`, `browser`, `document` or `none`.
    var kind: String {
        switch self {
        case .app: "app"
        case .browser: "browser"
        case .document: "document"
        case .nothing: "none"
        }
    }

    var app: String { if case .app(let id, _, _) = self { id } else { "" } }
    var name: String { if case .app(_, let name, _) = self { name } else { "" } }
    /// The name or path of the app's icon; empty when there is none.
    var icon: String { if case .app(_, _, let icon) = self { icon ?? "" } else { "" } }
}

/// The options that a caller of `Continue` may set.
package struct ContinuationOptions: Hashable, Sendable {
    /// The token with which the app may take the focus (XDG activation); nil when there is none.
    package var activationToken: String?
    /// Whether a document is opened that may start a program.
    package var opensPrograms: Bool

    /// Whether the caller shows the user a failure, so that the app need not.
    package var showsFailure: Bool

    /// Whether the caller wants what the device shows, whichever activity that is by then.
    package var takesCurrent: Bool

    private static let openProgram = "OpenProgram"

    package init(
        activationToken: String? = nil,
        showsFailure: Bool = false,
        opensPrograms: Bool = false,
        takesCurrent: Bool = false
    ) {
        self.activationToken = activationToken
        self.showsFailure = showsFailure
        self.opensPrograms = opensPrograms
        self.takesCurrent = takesCurrent
    }

    init(_ options: Value) {
        let options = options.stringDictionary ?? [:]
        activationToken = options[ApplicationCalls.Option.activationToken]?.string
        showsFailure = options[ApplicationCalls.Option.showsFailure]?.boolean ?? false
        opensPrograms = options[Self.openProgram]?.boolean ?? false
        takesCurrent = options[FetchOptions.current]?.boolean ?? false
    }

    var value: Value {
        var options: [String: Value] = [:]
        options[ApplicationCalls.Option.activationToken] = activationToken.map(Value.string)
        if showsFailure { options[ApplicationCalls.Option.showsFailure] = .boolean(true) }
        if opensPrograms { options[Self.openProgram] = .boolean(true) }
        if takesCurrent { options[FetchOptions.current] = .boolean(true) }
        return options.value
    }
}

/// Where an activity was continued.
package struct ContinuationResult: Hashable, Sendable {
    /// `app`, `browser`, or `document` for the app that opens documents of its kind.
    package let outcome: String
    /// The id of the app; empty for the browser.
    package let application: String

    package init(outcome: String, application: String) {
        self.outcome = outcome
        self.application = application
    }
}
