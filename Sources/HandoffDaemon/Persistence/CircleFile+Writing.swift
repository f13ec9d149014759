extension CircleFile.Contents {
    /// Whether something is to be kept that was not known before.
    ///
    /// Which digest another device has told is not, by itself: a device that tells another one each time would have a file
    /// written each time. It is written with the next change; one that is not known after a restart makes one more exchange.
    func isWorthWriting(after before: CircleFile.Contents) -> Bool {
        var same = self
        for (id, peer) in before.peers { same.peers[id]?.digest = peer.digest }
        return same != before
    }
}
