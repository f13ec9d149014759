/// A library to be preloaded into a program under test (ld.so(8), LD_PRELOAD): the program's wall clock is ahead of the
/// system's by as many seconds as the environment variable SHIFTED_CLOCK_SECONDS says, which may be negative. Its other
/// clocks are the system's.
///
/// It has no functions to call.
