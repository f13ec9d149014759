package import DBus

/// The members of `org.handoffd.Manager1`.
package enum ManagerInterface {
    private static let name = HandoffName.managerInterface

    package static let createActivity = MethodDeclaration(
        name,
        "CreateActivity",
        "Creates an activity that is not current yet. It belongs to the calling connection and ends with it.",
        [
            Argument("type", .string, "the activity type, a reverse-DNS name such as org.example.editor.editing"),
            Argument("properties", .properties, "any of the properties of org.handoffd.Activity1 that can be set"),
            .options,
        ],
        returns: [Argument("activity", .objectPath, "the object of the new activity, with org.handoffd.Activity1")]
    )
    package static let card = MethodDeclaration(
        name,
        "Card",
        "Returns the text that another device needs to trust this one. Nothing in it is secret.",
        [.options],
        returns: [Argument("card", .string, "one line of text")]
    )
    package static let trustCard = MethodDeclaration(
        name,
        "TrustCard",
        "Trusts the device of a card from now on. A device that is trusted already gets the name of the card.",
        [Argument("card", .string, "the result of Card on the other device"), .options],
        returns: [Argument("device", .objectPath, "the object of the device, with org.handoffd.Device1")]
    )
    package static let rename = MethodDeclaration(
        name,
        "Rename",
        "Gives this device another name on all devices of the circle.",
        [Argument("name", .string, "1 to 64 bytes of printable text"), .options]
    )
    package static let leave = MethodDeclaration(
        name,
        "Leave",
        """
        Ends the trust in all devices, without notifying them, and makes new keys, so that this device has a new id.
        """,
        [.options]
    )
    package static let keepDevice = MethodDeclaration(
        name,
        "KeepDevice",
        "Trusts a device about which there is a question, or that was removed by mistake.",
        [deviceID, .options]
    )
    package static let removeDevice = MethodDeclaration(
        name,
        "RemoveDevice",
        "Removes a known device, which need not be trusted and so has no object.",
        [deviceID, .options]
    )
    package static let startLooking = MethodDeclaration(
        name,
        "StartLooking",
        """
        Scans with full effort until StopLooking or until the calling connection ends. It costs power: use it while the
        user looks at a list of nearby activities.
        """,
        [.options]
    )
    package static let stopLooking = MethodDeclaration(
        name,
        "StopLooking",
        "Reverts StartLooking. Without a preceding StartLooking it does nothing.",
        [.options]
    )
    package static let setFocus = MethodDeclaration(
        name,
        "SetFocus",
        """
        Tells which app the person uses, until the calling connection ends. The activities of its processes come first.
        """,
        [
            Argument(
                "process",
                .uint32,
                "the id of the process whose window has the focus; 0 while it is unknown"
            ), .options,
        ]
    )
    package static let openStream = MethodDeclaration(
        name,
        "OpenStream",
        "Opens a stream to the app that created an activity.",
        [
            Argument(
                "continuation",
                .string,
                "the value of Continuation in an activity that was fetched or continued"
            ), .options,
        ],
        returns: [
            Argument(
                "stream",
                .unixFD,
                "a connected socket in blocking mode; its other end belongs to the app that created the activity"
            )
        ]
    )
    package static let confirmStream = MethodDeclaration(
        name,
        "ConfirmStream",
        "Begins the use of receipts for a stream.",
        [Argument("stream", .unixFD, "the app's end of a stream, which it has not finished"), .options],
        returns: [
            Argument(
                "receipts",
                .unixFD,
                """
                a connected socket in blocking mode, over which the app writes a byte when it has everything, and reads
                one when the other app has everything
                """
            )
        ]
    )
    package static let cancelStream = MethodDeclaration(
        name,
        "CancelStream",
        """
        Cancels the calls of OpenStream by the same connection which are in progress: they fail with UserCancelled.
        """,
        [Argument("continuation", .string, "the argument of the calls of OpenStream"), .options]
    )

    private static let deviceID = Argument("id", .string, "16 hexadecimal digits")

    package static let declaration = InterfaceDeclaration(
        name,
        "the daemon: its state, and the methods that create activities and trust devices",
        """
        At /org/handoffd/Handoff1 of the name org.handoffd.Handoff1, beside the org.freedesktop.DBus.ObjectManager for
        all other objects.
        """,
        methods: [
            createActivity, card, trustCard, rename, leave, keepDevice, removeDevice, startLooking, stopLooking,
            setFocus, openStream, confirmStream, cancelStream,
        ],
        properties: DaemonStatus.properties.map(\.declaration)
    )
}
