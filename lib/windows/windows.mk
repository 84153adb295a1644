# The Makefile's part about Windows: CC=x86_64-w64-mingw32-gcc BUILD=build/windows SHAPING=no MPI=no
#
# Programs are static, so that they need no DLL but SDL2's, and have the stack of 8 MiB that others have. Chapter 16 is
# left out: its emulator needs POSIX. CPPFLAGS="-isystem DIR" says where stb and SDL2 are.
WINDOWS := $(findstring mingw,$(FAMILY))$(findstring windows,$(FAMILY))
ifneq ($(WINDOWS),)
  CPPFLAGS += -D__USE_MINGW_ANSI_STDIO=1 -DSDL_MAIN_HANDLED
  LDLIBS   += -static -Wl,--stack,8388608
  # They check against msvcrt's printf, though mingw-w64's own is used, and object to isnan of a double.
  WARN     += -Wno-format -Wno-float-conversion
  # The stack is aligned to 16 bytes, and gcc may trust it to be aligned to 32 (gcc bug 54412).
  CFLAGS   += $(if $(findstring clang,$(CC))$(findstring zig,$(CC)),,-Wa,-muse-unaligned-vector-move)
  ifeq ($(origin AR),default)
    AR := $(CC:gcc=ar)
  endif
  WINDRES  ?= $(CC:gcc=windres)
  MANIFEST := $(BUILD)/obj/windows.o
  # gcc adds .exe to the name of a program that has no suffix; the rules know it without.
  WINDOWS_RENAMES = && mv $@.exe $@
endif
