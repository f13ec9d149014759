import Epoll
private import Glibc
import SystemPackage

/// The file into which a program writes what a stream carries, in a directory that is the user's alone.
struct FollowedContent: Sendable {
    /// The most bytes that a stream of `publish --follow` carries.
    static let maximumBytes = 16 * 1024 * 1024

    /// Why a stream does not carry what the program wanted to send.
    enum Failure: Error {
        /// The program has not written in time.
        case late
        /// It has written more than ``FollowedContent/maximumBytes``, or no regular file.
        case unusable
        /// The file cannot be made or read.
        case unreadable(Errno)
        /// The other side has ended early, or the connection was lost.
        case broken

        /// A sentence for people.
        var message: String {
            switch self {
            case .late: "The program did not answer within ten seconds."
            case .unusable:
                "What the program has written is no file, or is larger than \(maximumBytes / 1024 / 1024) MiB."
            case .unreadable(let error): "The file for the stream cannot be used: \(error)."
            case .broken: "The program on the other device ended early, or the connection was lost."
            }
        }
    }

    /// Its absolute path.
    let path: String

    /// Runs `body` with a new, empty file, which is removed afterwards.
    ///
    /// - Throws: ``Failure/unreadable(_:)``; else what `body` throws.
    static func withNew<Success>(_ body: (FollowedContent) async throws -> Success) async throws -> Success {
        let directory = try makeDirectory()
        let content = FollowedContent(path: directory + "/content")
        defer {
            unlink(content.path)
            rmdir(directory)
        }
        do throws(Errno) {
            _ = try Descriptor { Glibc.open(content.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        } catch {
            throw Failure.unreadable(error)
        }
        return try await body(content)
    }

    /// In memory where there is a directory for files of running programs: unsaved text does not get on a disk by this.
    private static func makeDirectory() throws(Failure) -> String {
        let known = ["XDG_RUNTIME_DIR", "TMPDIR"].compactMap { (name: String) -> String? in
            getenv(name).map { String(cString: $0) }
        }
        var template = Array("\(known.first { $0.hasPrefix("/") } ?? "/tmp")/handoffctl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw .unreadable(Errno(rawValue: errno)) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What the program has written.
    ///
    /// - Throws: ``Failure``.
    func bytes() throws(Failure) -> [UInt8] {
        do throws(Errno) {
            let file = try Descriptor { Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
            let number = file.rawValue
            var status = stat()
            _ = try systemCall { fstat(number, &status) }
            guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumBytes else {
                throw .invalidArgument
            }
            var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
            var end = 0
            while end < bytes.count {
                let begin = end
                let count = try systemCall {
                    bytes.withUnsafeMutableBytes { read(number, $0.baseAddress! + begin, $0.count - begin) }
                }
                guard count > 0 else { break }
                end += count
            }
            return Array(bytes.prefix(end))
        } catch .invalidArgument {
            throw .unusable
        } catch {
            throw .unreadable(error)
        }
    }
}
