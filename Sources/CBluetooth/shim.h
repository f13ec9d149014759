#pragma once

// What the Glibc module declares too must belong to it (Sources/CLinux/shim.h).
#pragma clang module import SwiftGlibc

#include <bluetooth/bluetooth.h>
#include <bluetooth/l2cap.h>
