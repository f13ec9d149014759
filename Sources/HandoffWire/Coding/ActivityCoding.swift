package import HandoffModel

extension Activity {
    /// The encoded size of the activity in bytes.
    ///
    /// Above ``ActivityLimits/advisedPayloadBytes`` the origin warns, above ``ActivityLimits/maximumPayloadBytes`` it
    /// refuses.
    package var encodedSize: Int { MessageCoding.encode(Handoff_V1_Activity(self)).count }

    /// Checks that the encoded activity is small enough for a peer to accept.
    ///
    /// - Throws: ``ModelError/Code/payloadTooLarge``, with a message that says what to use instead.
    package func checkEncodedSize() throws(ModelError) {
        let size = encodedSize
        guard size <= ActivityLimits.maximumPayloadBytes else {
            throw ModelError(
                .payloadTooLarge,
                """
                The activity has \(size) bytes and may have \(ActivityLimits.maximumPayloadBytes): \
                keep userInfo small and send the rest through continuation streams.
                """
            )
        }
    }

    /// Validates a decoded activity.
    init(_ message: Handoff_V1_Activity) throws(WireError) {
        var properties = Activity.Properties()
        properties.title = message.hasTitle ? message.title : nil
        properties.userInfo = try UserInfoCoding.dictionary(message.userInfo)
        for key in message.requiredUserInfoKeys { try UserInfoCoding.checkLength(ofKey: key) }
        properties.requiredUserInfoKeys = Set(message.requiredUserInfoKeys)
        properties.teamID = message.hasTeamID ? message.teamID : nil
        properties.expiration = message.hasExpiration ? try UserInfoCoding.timestamp(message.expiration) : nil
        properties.targetContentIdentifier = message.hasTargetContentIdentifier ? message.targetContentIdentifier : nil
        properties.persistentIdentifier = message.hasPersistentIdentifier ? message.persistentIdentifier : nil
        properties.supportsContinuationStreams = message.supportsContinuationStreams
        properties.streamToken = message.streamName == 0 ? nil : message.streamName
        do {
            properties.webpageURL = message.hasWebpageURL ? try WebpageURL(message.webpageURL) : nil
            self = try Activity(type: ActivityType(message.type), properties: properties)
        } catch {
            throw WireError(error)
        }
    }
}

extension Handoff_V1_Activity {
    /// Encodes an activity.
    init(_ activity: Activity) {
        self.init()
        type = activity.type.rawValue
        if let title = activity.title { self.title = title }
        if let webpageURL = activity.webpageURL { self.webpageURL = webpageURL.rawValue }
        userInfo = UserInfoCoding.entries(activity.userInfo)
        if let teamID = activity.teamID { self.teamID = teamID }
        if let expiration = activity.expiration { self.expiration = Handoff_V1_Timestamp(expiration) }
        if let identifier = activity.targetContentIdentifier { targetContentIdentifier = identifier }
        if let identifier = activity.persistentIdentifier { persistentIdentifier = identifier }
        supportsContinuationStreams = activity.supportsContinuationStreams
        streamName = activity.properties.streamToken ?? 0
        requiredUserInfoKeys = activity.requiredUserInfoKeys.sorted(by: UserInfoCoding.precedes)
    }
}
