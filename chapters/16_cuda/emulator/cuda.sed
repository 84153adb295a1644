# A .cu file becomes C++: launches and __shared__ are all that C++ has no words for. Lines stay where they are.
# #include "tiles.cu": of what has become of it
s/^(#include "[a-z_]+)\.cu"/\1.cpp"/
# kernel<<<blocks, threads, bytes>>>(arguments)
s/([A-Za-z_0-9]+(<[A-Za-z_0-9, ]*>)?)<<<(.*)>>>\(/emulator_launch("\1", \1, \3)(/
# extern __shared__ __align__(256) uint16_t shared[];
s/extern __shared__ (__align__\(([0-9]+)\) )?([A-Za-z0-9_]+) ([A-Za-z0-9_]+)\[\];/\3 *const \4 = (\3 *)emulator_dynamic(__func__, \2 + 0);/
# static __device__ int taken, ended;
s/^static __device__ ([A-Za-z0-9_]+) (([A-Za-z0-9_]+)[A-Za-z0-9_, ]*);/static \1 \2; static EmulatorVariables variables_\3(\2);/
# __shared__ float q[16][17], k[16][17]; becomes one struct with both: names, then the line itself, are put together.
/^ *__shared__ .*;/{
h
s/;.*//
s/^ *__shared__ //
s/__align__\([0-9]+\) //
s/\[[^]]*\]//g
s/^[A-Za-z0-9_]+ //
G
s/^([A-Za-z0-9_]+)([^\n]*)\n( *)__shared__ ([^;]*);(.*)/\3struct Shared_\1 { \4; }; auto \&[\1\2] = emulator_static<Shared_\1>(__func__);\5/
}
