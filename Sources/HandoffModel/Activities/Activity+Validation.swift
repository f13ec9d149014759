extension Activity.Properties {
    /// Checks every bound of ``ActivityLimits`` except the encoded sizes.
    func validate() throws(ModelError) {
        try validateTitle()
        try validateTeamID()
        try validateIdentifier(targetContentIdentifier, named: "targetContentIdentifier")
        try validateIdentifier(persistentIdentifier, named: "persistentIdentifier")
        guard requiredUserInfoKeys.count <= ActivityLimits.requiredKeys else {
            throw ModelError(
                .invalidValue,
                "requiredUserInfoKeys has at most \(ActivityLimits.requiredKeys) keys, got \(requiredUserInfoKeys.count)."
            )
        }
        guard !requiredUserInfoKeys.contains(where: \.holdsNUL) else {
            throw ModelError(.invalidValue, "A key in requiredUserInfoKeys contains U+0000: remove it.")
        }
        for key in requiredUserInfoKeys { try UserInfoValue.validateLength(ofKey: key) }
        try UserInfoValue.validate(userInfo, depth: ActivityLimits.nestingDepth, path: "")
    }

    private func validateTitle() throws(ModelError) {
        guard let title else { return }
        guard title.utf8.count <= ActivityLimits.titleBytes else {
            throw ModelError(
                .titleTooLong,
                "A title has at most \(ActivityLimits.titleBytes) bytes; this one has \(title.utf8.count)."
            )
        }
        guard !title.holdsNUL else {
            throw ModelError(.invalidValue, "The title contains U+0000: remove it.")
        }
    }

    private func validateTeamID() throws(ModelError) {
        guard let teamID else { return }
        let isName = teamID.utf8.allSatisfy { $0.isASCIIWordByte || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard (1...ActivityLimits.teamIDBytes).contains(teamID.utf8.count), isName else {
            throw ModelError(
                .invalidIdentifier,
                "A team identifier has 1 to \(ActivityLimits.teamIDBytes) letters, digits, dots, dashes or underscores."
            )
        }
    }

    private func validateIdentifier(_ identifier: String?, named name: String) throws(ModelError) {
        guard let identifier else { return }
        guard (1...ActivityLimits.identifierBytes).contains(identifier.utf8.count), !identifier.holdsNUL else {
            throw ModelError(
                .invalidIdentifier,
                "\(name) has 1 to \(ActivityLimits.identifierBytes) bytes without U+0000; this one has \(identifier.utf8.count)."
            )
        }
    }
}
