extension Result {
    /// Holds what `body` returns or throws, for code that has to go on in either case.
    package init(catching body: () async throws(Failure) -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
