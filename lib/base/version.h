// The version of the library and of every program: --version prints it, the Makefile reads it for pkg-config.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define MANYHEADS_VERSION "0.9.0"

#endif
