import FoundationEssentials
import HandoffModel

/// The `file:` URL of a document on this device.
public struct DocumentURL: Hashable, Sendable, CustomStringConvertible {
    let model: FileURL

    /// Parses a `file:` URL with an absolute path, such as `file:///home/ann/My%20report.txt`.
    ///
    /// - Throws: `CocoaError` with ``HandoffReason/invalidDocument`` for any other text.
    public init(_ text: String) throws {
        do {
            guard let url = try FileURL(text) else {
                throw ModelError(.invalidFileURL, "\(text.debugDescription) is not a file: URL.")
            }
            model = url
        } catch {
            throw CocoaError(any: error)
        }
    }

    /// Creates the URL of a file.
    ///
    /// - Parameter path: an absolute path; the file need not exist.
    /// - Throws: `CocoaError` with ``HandoffReason/invalidDocument`` for a path that is not absolute.
    public init(path: String) throws {
        do {
            model = try FileURL(path: Array(path.utf8))
        } catch {
            throw CocoaError(error)
        }
    }

    init(model: FileURL) {
        self.model = model
    }

    /// The path of the file; bytes that are not UTF-8 are replaced.
    public var path: String { String(decoding: model.path, as: UTF8.self) }

    /// The last component of the path.
    var fileName: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// The URL as text.
    public var description: String { model.description }
}
