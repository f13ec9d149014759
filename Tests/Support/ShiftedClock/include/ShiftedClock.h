/// A library to be preloaded into a program under test (ld.so(8), LD_PRELOAD): the program's wall clock is ahead of the
/// system's by as many seconds as the environment variable SHIFTED_CLOCK_SECONDS says, which may be negative. Its other
/// clocks are the system's. With SHIFTED_CLOCK_FILE, the seconds are the 8 bytes of that file, in the machine's order, and
/// may change while the program runs; the kernel does not tell it then that the clock was set.
///
/// It has no functions to call.
