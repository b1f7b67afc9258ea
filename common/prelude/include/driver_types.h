// Stands in for the toolkit's header in emulated builds, where the prelude defines what a kernel file uses of it.
#pragma once
