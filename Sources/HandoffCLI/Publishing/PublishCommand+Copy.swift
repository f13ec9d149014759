import DBus
import HandoffBus
import HandoffModel
import SystemPackage

extension PublishCommand {
    /// Offers a file, of which each device that takes it gets a copy, until interrupted.
    ///
    /// - Throws: ``CommandFailure`` if there is no such file, or it cannot be read.
    func offerCopy(of path: String) async throws {
        let source: CopySource
        do throws(Errno) {
            source = try CopySource(path)
        } catch {
            let reason = error == .isDirectory ? "is not a file" : "cannot be read: \(error)"
            throw options.output.failure(CommandFailure(status: .notFound, message: "\(printable(path)) \(reason)."))
        }
        var draft = try content.draft()
        draft.properties.title = draft.properties.title ?? printable(source.name)
        if draft.properties.userInfo.isEmpty { draft.properties.userInfo = ["version": .integer(1)] }
        draft.properties.supportsContinuationStreams = true
        draft.delegate = CopyDelegate.path
        let offered = PublishedActivity.Content(type: CopiedFile.activityType, draft: draft)
        try await options.withClient { client, output in
            let delegate = CopyDelegate(source, output)
            client.connection.objects.insert([.activityDelegate(delegate)], at: CopyDelegate.path)
            try await PublishedActivity(offered, over: client, output).run()
        }
    }
}
