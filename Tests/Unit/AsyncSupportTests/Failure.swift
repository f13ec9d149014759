/// An error that says which operation has failed.
struct Failure: Error, Equatable {
    var name = ""
}
