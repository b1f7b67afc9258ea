// The operator's own kernels, for the emulator. Of those for long rows it runs what a GPU without clusters would.

#include "../operator/kernels.cuh"
