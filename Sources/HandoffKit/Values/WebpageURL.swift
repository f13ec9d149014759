import FoundationEssentials
package import HandoffModel

/// The http or https URL, with a host, of the web page that continues an activity where no app does.
public struct WebpageURL: Hashable, Sendable, CustomStringConvertible {
    package let model: HandoffModel.WebpageURL

    /// Parses an absolute http or https URL of at most 2048 bytes.
    ///
    /// - Throws: `CocoaError` with ``HandoffReason/invalidWebpageURL`` for any other text.
    public init(_ text: String) throws {
        do {
            model = try HandoffModel.WebpageURL(text)
        } catch {
            throw CocoaError(error)
        }
    }

    package init(model: HandoffModel.WebpageURL) {
        self.model = model
    }

    /// The URL as it was given.
    public var description: String { model.rawValue }
}
