/// The reason why a document cannot be shared or opened: a code for programs, a sentence for people.
package struct FolderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of a ``FolderError``.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// A folder or a URL is malformed.
        case invalid
        /// The file is not in a synchronised folder.
        case notShared
        /// The file does not exist.
        case missing
        /// This device has no folder of that id.
        case noSuchFolder
        /// The path leads out of its folder through a symbolic link.
        case outsideFolder = "leadsOut"
        /// The file system does not answer.
        case unresponsive = "silent"
        /// The URL is not one that another device may send.
        case foreign

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
    }

    package let code: Code

    /// What is wrong and what to do.
    package let message: String

    package var description: String { message }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
