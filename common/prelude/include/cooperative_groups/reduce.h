// Stands in for the toolkit's header where there is none: the derived copies of a kernel file include
// common/prelude/cooperative_groups*.cuh in its place, inside the kernel's own namespace.
#pragma once
