// Chapter 16, step 4: tiles.cu with rows of 16 in its tiles, not of 17. For the emulator.
#define MORE 0
#define gpu_tiles gpu_tiles_narrow
#include "tiles.cu"
