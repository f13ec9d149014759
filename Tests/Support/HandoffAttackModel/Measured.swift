package import Testing

/// Prints the result of an attack, and checks that the table of attacks has the same result.
package func measured(
    _ attack: Attack,
    onModel: String,
    here: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    print("attack \(attack.number), \(attack.name): on the model \(onModel); here \(here)")
    #expect(onModel == attack.onModel, sourceLocation: sourceLocation)
    #expect(here == attack.here, sourceLocation: sourceLocation)
}
