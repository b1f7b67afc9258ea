#error "<cuda_fp6.h>: 6-bit floats are not emulated; this kernel file runs on a GPU alone"
