// What Swift cannot express itself: pointers to pointers, macros that are not imported, and eventfd.
#ifndef CDBUS_SHIM_H
#define CDBUS_SHIM_H

// What the Glibc module declares too must belong to it (Sources/CLinux/shim.h).
#pragma clang module import SwiftGlibc

#include <dbus/dbus.h>
#include <sys/eventfd.h>

/// Appends a string-like value: `type` is 's', 'o' or 'g'. Copies `text`.
static inline dbus_bool_t cdbus_append_text(DBusMessageIter *iter, int type, const char *text) {
    return dbus_message_iter_append_basic(iter, type, &text);
}

/// Appends a value of fixed size: `type` selects the member of `value` that is read.
static inline dbus_bool_t cdbus_append_fixed(DBusMessageIter *iter, int type, DBusBasicValue value) {
    return dbus_message_iter_append_basic(iter, type, &value);
}

/// Appends `count` bytes to an iterator inside an open array of bytes. Copies `bytes`.
static inline dbus_bool_t cdbus_append_bytes(DBusMessageIter *iter, const void *bytes, int count) {
    return dbus_message_iter_append_fixed_array(iter, DBUS_TYPE_BYTE, &bytes, count);
}

/// Returns the bytes of the array of bytes that `iter` has recursed into; they are valid as long as the message.
static inline const void *cdbus_bytes(DBusMessageIter *iter, int *count) {
    const void *bytes = NULL;
    dbus_message_iter_get_fixed_array(iter, &bytes, count);
    return bytes;
}

#endif
