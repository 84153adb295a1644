// MULTIVERSION before a function compiles it once for each vector width.
#ifndef BASE_MULTIVERSION_H
#define BASE_MULTIVERSION_H

#include <limits.h> // defines __GLIBC__

// The loader selects the version for the processor (ifunc). Sanitizers are not initialised that early, so they use the
// plain version.
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    #define MULTIVERSION
#elif defined __has_feature
    #if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
        #define MULTIVERSION
    #endif
#endif
#if !defined MULTIVERSION && defined __x86_64__ && defined __gnu_linux__ && defined __GLIBC__ && defined __has_attribute
    #if __has_attribute(target_clones)
        #define MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
    #endif
#endif
#ifndef MULTIVERSION
    #define MULTIVERSION
#endif

#endif
