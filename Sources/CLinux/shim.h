#pragma once

// What Linux has and the Glibc module of the Swift toolchain does not import.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

// accept4(2): sys/socket.h declares it only with _GNU_SOURCE, which a module cannot define.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

// timerfd_settime(2): a macro of an enumerator, which is not imported.
static const int handoff_timer_cancel_on_set = TFD_TIMER_CANCEL_ON_SET;
