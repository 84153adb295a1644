// The version of the library and all programs: printed by --version, read by the Makefile for pkg-config.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define MANYHEADS_VERSION "0.9.0"

#endif
