/* System calls of one handoffd that fail, or in which it is killed, as another process orders it.
 *
 * `run` builds this as a shared library and preloads it into handoffd. HANDOFF_FAULTS names a file with one `struct
 * orders`, which both processes map: the tool writes the orders, and this library counts what it has done. Calls are
 * selected by their kind; those on files only if the file is in the directory HANDOFF_FAULTS_DIRECTORY. What the tool
 * waits for is said on standard error, among the lines of the daemon's log. The tool sets the wall clock, too.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* The modes; orders.py has the same, as it has the kinds. In PAUSE the process stops and waits for SIGCONT; in
 * TELL_CLOSED it says when it has closed a descriptor. */
enum mode { OFF, FAIL_ONCE, FAIL_FROM, KILL_BEFORE, KILL_AFTER, PAUSE, TELL_CLOSED };

/* The kinds of calls, as bits. */
enum kind {
    OPEN_TO_READ = 1,
    OPEN_TO_WRITE = 2,
    WRITE = 4,
    MODE = 8,
    SYNC = 16,
    RENAME = 32,
    DESCRIPTOR = 64, /* any call that makes a descriptor, of a file or not */
    TRAFFIC = 128,   /* to send and to receive on a socket, whatever comes */
};

struct orders {
    _Atomic int mode;
    _Atomic int kinds;
    _Atomic int countdown; /* the selected call that is affected: 1 for the next one */
    _Atomic int error;
    _Atomic int selected; /* how many calls were selected */
    _Atomic int hits;     /* how many calls were affected */
    _Atomic long ahead;   /* by how many seconds the wall clock is ahead */
};

static struct orders *orders;
static char directory[PATH_MAX];

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("HANDOFF_FAULTS"), *files = getenv("HANDOFF_FAULTS_DIRECTORY");
    /* Programs that handoffd starts inherit the environment. */
    if (!path || !files || strcmp(program_invocation_short_name, "handoffd") != 0)
        return;
    if (!realpath(files, directory))
        return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *mapped = mmap(NULL, sizeof(struct orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped != MAP_FAILED)
        orders = mapped;
}

/* A line in the log, in one piece. The system is asked directly, since this library has a write of its own. */
#define SAY(words) ((void)!syscall(SYS_write, STDERR_FILENO, words "\n", sizeof words))

static int is_inside(const char *path)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/* Whether a descriptor belongs to a file or directory in the directory. */
static int has_file(int file)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return 0;
    path[length] = 0;
    return is_inside(path);
}

/* Whether the orders affect this call of that kind; kills the process if it is to die before the call. */
static int is_affected(enum kind kind)
{
    if (!orders || orders->mode == OFF || !(orders->kinds & kind))
        return 0;
    orders->selected++;
    int left = --orders->countdown;
    if (left > 0 || (left < 0 && orders->mode != FAIL_FROM))
        return 0;
    orders->hits++;
    if (orders->mode == KILL_BEFORE)
        kill(getpid(), SIGKILL);
    if (orders->mode == PAUSE) {
        SAY("faults: stopped");
        kill(getpid(), SIGSTOP);
        return 0;
    }
    return 1;
}

/* Ends a call: fails it, or kills the process after it. */
#define END(affected, call)                                                                                            \
    do {                                                                                                               \
        if (!(affected))                                                                                               \
            return call;                                                                                               \
        if (orders->mode == KILL_AFTER) {                                                                              \
            (void)!(call);                                                                                             \
            kill(getpid(), SIGKILL);                                                                                   \
        }                                                                                                              \
        errno = orders->error;                                                                                         \
        return -1;                                                                                                     \
    } while (0)

#define REAL(name) ((typeof(&name))dlsym(RTLD_NEXT, #name))

static int opening(const char *path, int flags)
{
    if (is_affected(DESCRIPTOR))
        return 1;
    if (!orders || orders->mode == OFF || !is_inside(path))
        return 0;
    return is_affected((flags & O_ACCMODE) == O_RDONLY ? OPEN_TO_READ : OPEN_TO_WRITE);
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list arguments;                                                                                         \
            va_start(arguments, flags);                                                                                \
            mode = va_arg(arguments, mode_t);                                                                          \
            va_end(arguments);                                                                                         \
        }                                                                                                              \
        int affected = opening(path, flags);                                                                           \
        END(affected, REAL(name)(path, flags, mode));                                                                  \
    }

OPEN(open)
OPEN(open64)

ssize_t write(int file, const void *bytes, size_t count)
{
    int affected = orders && orders->mode != OFF && orders->kinds & WRITE && has_file(file) && is_affected(WRITE);
    /* A disk that is getting full takes a part. */
    if (affected && orders->error == ENOSPC && orders->mode == FAIL_FROM && orders->hits == 1 && count > 1)
        return REAL(write)(file, bytes, count / 2);
    END(affected, REAL(write)(file, bytes, count));
}

int fsync(int file)
{
    int affected = orders && orders->mode != OFF && orders->kinds & SYNC && has_file(file) && is_affected(SYNC);
    END(affected, REAL(fsync)(file));
}

int fchmod(int file, mode_t mode)
{
    int affected = orders && orders->mode != OFF && orders->kinds & MODE && has_file(file) && is_affected(MODE);
    END(affected, REAL(fchmod)(file, mode));
}

int rename(const char *from, const char *to)
{
    int affected = orders && orders->mode != OFF && is_inside(to) && is_affected(RENAME);
    END(affected, REAL(rename)(from, to));
}

int socket(int domain, int type, int protocol)
{
    int affected = is_affected(DESCRIPTOR);
    END(affected, REAL(socket)(domain, type, protocol));
}

int accept4(int file, struct sockaddr *address, socklen_t *length, int flags)
{
    int affected = is_affected(DESCRIPTOR);
    END(affected, REAL(accept4)(file, address, length, flags));
}

int eventfd(unsigned int value, int flags)
{
    int affected = is_affected(DESCRIPTOR);
    END(affected, REAL(eventfd)(value, flags));
}

int timerfd_create(int clock, int flags)
{
    int affected = is_affected(DESCRIPTOR);
    END(affected, REAL(timerfd_create)(clock, flags));
}

int epoll_create1(int flags)
{
    int affected = is_affected(DESCRIPTOR);
    END(affected, REAL(epoll_create1)(flags));
}

int inotify_init1(int flags)
{
    int affected = is_affected(DESCRIPTOR);
    END(affected, REAL(inotify_init1)(flags));
}

/* The wall clock. The kernel does not tell the daemon that this one is set: it finds that out when it looks next. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && clock == CLOCK_REALTIME && orders)
        now->tv_sec += orders->ahead;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    (void)zone;
    struct timespec time;
    int result = clock_gettime(CLOCK_REALTIME, &time);
    if (result == 0)
        *now = (struct timeval){.tv_sec = time.tv_sec, .tv_usec = time.tv_nsec / 1000};
    return result;
}

time_t time(time_t *result)
{
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return (time_t)-1;
    if (result)
        *result = now.tv_sec;
    return now.tv_sec;
}

int close(int file)
{
    int result = REAL(close)(file), error = errno;
    if (orders && orders->mode == TELL_CLOSED)
        SAY("faults: closed");
    errno = error;
    return result;
}

/* A process that other programs of its user cannot look into keeps them from counting its descriptors. */
int prctl(int option, ...)
{
    unsigned long values[4];
    va_list arguments;
    va_start(arguments, option);
    for (int index = 0; index < 4; index++)
        values[index] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (orders && option == PR_SET_DUMPABLE)
        return 0;
    return REAL(prctl)(option, values[0], values[1], values[2], values[3]);
}

ssize_t send(int file, const void *bytes, size_t count, int flags)
{
    int affected = is_affected(TRAFFIC);
    END(affected, REAL(send)(file, bytes, count, flags));
}

ssize_t recv(int file, void *bytes, size_t count, int flags)
{
    int affected = is_affected(TRAFFIC);
    END(affected, REAL(recv)(file, bytes, count, flags));
}

ssize_t sendto(int file, const void *bytes, size_t count, int flags, const struct sockaddr *address, socklen_t length)
{
    int affected = is_affected(TRAFFIC);
    END(affected, REAL(sendto)(file, bytes, count, flags, address, length));
}

ssize_t recvfrom(int file, void *bytes, size_t count, int flags, struct sockaddr *address, socklen_t *length)
{
    int affected = is_affected(TRAFFIC);
    END(affected, REAL(recvfrom)(file, bytes, count, flags, address, length));
}

ssize_t sendmsg(int file, const struct msghdr *message, int flags)
{
    int affected = is_affected(TRAFFIC);
    END(affected, REAL(sendmsg)(file, message, flags));
}

ssize_t recvmsg(int file, struct msghdr *message, int flags)
{
    int affected = is_affected(TRAFFIC);
    END(affected, REAL(recvmsg)(file, message, flags));
}
