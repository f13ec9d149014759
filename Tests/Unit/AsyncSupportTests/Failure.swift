/// An error that names the operation that failed.
struct Failure: Error, Equatable {
    var name = ""
}
