#error "<cuda_fp4.h>: 4-bit floats are not emulated; this kernel file runs on a GPU alone"
