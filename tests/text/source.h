// Finding a function or a type in C source that carries no markers but its own names.
#ifndef TEXT_SOURCE_H
#define TEXT_SOURCE_H

#include "text/program.h"

// Lines first … last (from 0) hold the definition of `name` and the comment directly above it. A function or an array
// is found by its name at the top level; a struct or enum by `} Name;` or `struct Name {`; a macro by `#define name(`.
// A name may be made by a macro: `static void NAME(tile)(`, `} NAME(Walk);`. Where a file only declares `name`, as a
// header does, the declaration is given. False when the file has neither.
bool definition_find(Lines source, const char *name, int *first, int *last);

#endif
