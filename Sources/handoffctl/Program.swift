import ArgumentParser
import HandoffCLI

/// The executable `handoffctl`: all of it is HandoffCLI, where tests reach it.
@main
enum Program {
    static func main() async {
        await HandoffControl.main()
    }
}
