import ArgumentParser
import HandoffCLI

/// The executable `handoffctl`: its code is in HandoffCLI, where tests can import it.
@main
enum Program {
    @MainActor
    static func main() async {
        await HandoffControl.run()
    }
}
