// What scenes are made from, for those that hand it on and do not look inside: front ends draw scenes alone.
#pragma once

namespace lanewise::run {
struct Run;
}
namespace lanewise::steps {
struct LaneValues;
struct Steps;
struct WarpStep;
class Provenance;
}  // namespace lanewise::steps
namespace lanewise::trace {
struct Finding;
struct Record;
struct Trace;
}  // namespace lanewise::trace
