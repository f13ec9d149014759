#pragma once

// Declarations of Linux that the Glibc module of the Swift toolchain does not import. What is in both modules, such as
// timespec, must belong to that one: otherwise the order in which files are compiled decides which of the two a file
// imports.
#pragma clang module import SwiftGlibc

#include <fcntl.h>
#include <libintl.h>
#include <malloc.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/xattr.h>
#include <unistd.h>

// accept4(2): sys/socket.h declares it only with _GNU_SOURCE, which a module cannot define.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// pipe2(2): unistd.h declares it only with _GNU_SOURCE.
extern int pipe2(int descriptors[2], int flags);

// splice(2): fcntl.h declares it only with _GNU_SOURCE.
extern ssize_t splice(int input, loff_t *input_offset, int output, loff_t *output_offset, size_t length, unsigned int flags);

// F_GETPIPE_SZ and F_SETPIPE_SZ of fcntl(2), 1032 and 1031: fcntl.h declares them only with _GNU_SOURCE.
static inline int handoff_get_pipe_size(int pipe) { return fcntl(pipe, 1032); }
static inline int handoff_set_pipe_size(int pipe, int bytes) { return fcntl(pipe, 1031, bytes); }

// timerfd_settime(2): a macro that expands to an enumerator, which is not imported.
static const int handoff_timer_cancel_on_set = TFD_TIMER_CANCEL_ON_SET;

// memfd_create(2): sys/mman.h declares it only with _GNU_SOURCE. The flag 1 is MFD_CLOEXEC.
extern int memfd_create(const char *name, unsigned int flags);

// pidfd_open(2): glibc has a function for it only from 2.36 on. The descriptor is close-on-exec.
static inline int handoff_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

// fsetxattr(2): sys/xattr.h is in no module of the toolchain.
static inline int handoff_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0);
}

// prctl(2): takes a variable number of arguments, which is not imported.
static inline int handoff_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
static inline int handoff_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
// Of the calling thread, for tools such as top(1); 15 bytes are kept.
static inline int handoff_name_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

// ioctl_tty(2): winsize is in two modules of the toolchain, and the compiler takes it from either. 0 when `descriptor` is no
// terminal, or its width is unknown.
static inline int handoff_terminal_columns(int descriptor) {
    struct winsize size;
    return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// getrlimit(2), setrlimit(2): the resource is an enumerator in glibc.
static inline int handoff_disable_core_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) != 0) { return -1; }
    limit.rlim_cur = 0;
    return setrlimit(RLIMIT_CORE, &limit);
}

// posix_spawn_file_actions_addclosefrom_np(3), and what changes the directory: spawn.h declares them only with _GNU_SOURCE.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// Whether the processor has the instructions with which BoringSSL computes AES in Galois/Counter Mode. On x86 the compiler's
// runtime asks the processor; elsewhere getauxval(3) tells the bits 3, AES, and 4, PMULL (arch/arm64 of the kernel,
// uapi/asm/hwcap.h).
static inline bool handoff_has_aes_instructions(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#elif defined(__aarch64__)
    const unsigned long wanted = 1UL << 3 | 1UL << 4;
    return (getauxval(AT_HWCAP) & wanted) == wanted;
#else
    return false;
#endif
}

