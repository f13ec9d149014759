/// Runs the life of a service, for which being cancelled is a way to end and not an error.
func ignoringCancellation(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch is CancellationError {
        return
    }
}
