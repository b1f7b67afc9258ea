#error "<cuda_pipeline.h>: asynchronous copies (__pipeline_*) cannot be emulated; this kernel file runs on a GPU alone"
