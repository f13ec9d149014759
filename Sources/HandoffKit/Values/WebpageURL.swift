import FoundationEssentials
import HandoffModel

/// The address of a web page on which an activity goes on where no app continues it: http or https, with a host.
public struct WebpageURL: Hashable, Sendable, CustomStringConvertible {
    let model: HandoffModel.WebpageURL

    /// Takes an absolute http or https address, of at most 2048 bytes.
    ///
    /// - Throws: `CocoaError` with ``HandoffReason/invalidWebpageURL`` for everything else.
    public init(_ text: String) throws {
        do {
            model = try HandoffModel.WebpageURL(text)
        } catch {
            throw CocoaError(error)
        }
    }

    init(model: HandoffModel.WebpageURL) {
        self.model = model
    }

    /// The address as it was given.
    public var description: String { model.rawValue }
}
