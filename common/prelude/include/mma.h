#error "<mma.h>: matrix instructions (wmma) cannot be emulated; this kernel file runs on a GPU alone"
