#pragma once

// What Linux has and the Glibc module of the Swift toolchain does not import.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/socket.h>

// accept4(2): sys/socket.h declares it only with _GNU_SOURCE, which a module cannot define.
extern int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
