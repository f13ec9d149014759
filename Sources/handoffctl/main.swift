import HandoffCLI

await HandoffControl.main()
