// The members of what travels between a program and its workers.
#pragma once

#include "common/emu/execute.hpp"
#include "common/launch/backend.hpp"
#include "common/worker/pack.hpp"

namespace lanewise::worker {

// What is asked for, without the contents of buffers, which lie in the run's memory, and without what watches the run.
template <class A>
void fields(A& a, launch::BufferSpec& b) {
    a(b.name, b.role, b.element, b.count);
}
template <class A>
void fields(A& a, launch::Argument& v) {
    a(v.is_buffer, v.buffer, v.offset_bytes, v.size, v.value, v.pointers);
}
template <class A>
void fields(A& a, launch::LaunchSpec& l) {
    a(l.kernel, l.arguments, l.grid, l.block, l.values, l.cooperative, l.cluster_in_turns);
}
template <class A>
void fields(A& a, launch::Plan::Variable& v) {
    a(v.name, v.place, v.contents);
}
template <class A>
void fields(A& a, launch::Plan& p) {
    a(p.buffers, p.snapshots, p.launches, p.variables);
}
template <class A>
void fields(A& a, launch::Order& o) {
    a(o.kind, o.seed, o.blocks);
}
template <class A>
void fields(A& a, launch::Request& r) {
    a(r.record, r.blocks, r.order, r.block_order, r.checks, r.threads);
}
template <class A>
void fields(A& a, emu::Runnable& r) {
    a(r.body, r.name, r.warp_size, r.shared_names, r.constant_names);
}

// What comes back from a GPU.
template <class A>
void fields(A& a, trace::FindingPlace& p) {
    a(p.line, p.block, p.warp, p.lanes, p.record, p.value);
}
template <class A>
void fields(A& a, trace::Finding& f) {
    a(f.kind, f.kernel, f.line, f.block, f.warp, f.lanes, f.count, f.sentence, f.severity, f.advice, f.launch, f.array,
      f.index, f.record, f.value, f.other);
}
template <class A>
void fields(A& a, trace::Source& s) {
    a(s.kind, s.gpu, s.driver, s.compute_capability, s.order);
}
template <class A>
void fields(A& a, trace::Array& x) {
    a(x.name, x.space, x.element, x.count);
}
template <class A>
void fields(A& a, trace::ArrayImage& i) {
    a(i.array, i.first, i.values, i.written);
}
template <class A>
void fields(A& a, trace::Record& r) {
    a(r.launch, r.block, r.warp, r.index, r.op, r.type, r.line, r.active, r.mask, r.width, r.arg, r.source, r.before,
      r.received, r.after, r.has_after, r.after_type, r.undefined, r.effect, r.array, r.elements, r.element_index,
      r.value, r.shared);
}
template <class A>
void fields(A& a, trace::Statement& s) {
    a(s.line, s.last_line, s.effect, s.target, s.to_memory, s.conditional, s.copies, s.calls, s.loads, s.uses,
      s.function, s.loop, s.branch, s.offers, s.call);
}

// What a library of kernels holds.
template <class A>
void fields(A& a, launch::BuiltEntry& e) {
    a(e.name, e.arguments, e.parameters, e.entry, e.warp_size);
}
template <class A>
void fields(A& a, trace::Launch& l) {
    a(l.kernel, l.grid, l.block, l.dynamic_shared_bytes);
}
// Of a trace what a backend fills in (launch::Outcome).
template <class A>
void fields(A& a, trace::Trace& t) {
    trace::Header& h = t.header;
    a(h.source, h.warp_size, h.launches, h.statements, h.blocks, t.arrays, t.records, t.findings, t.verdict,
      t.undecided, t.partial, t.partial_reason);
}

}  // namespace lanewise::worker
