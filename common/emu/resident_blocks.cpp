#include "common/emu/resident_blocks.hpp"

#include <algorithm>

namespace lanewise::emu {

namespace {

constexpr int kMostBlocks = 64;
// Turns of lanes that wait while nothing changes, after which nothing ever will. Kernels that give up by themselves do
// so earlier.
constexpr std::uint64_t kQuietTurns = kMaxTurns / 4;
constexpr std::size_t kMostStackBytes = std::size_t{8} << 30;   // address space

}  // namespace

int most_resident_blocks(const launch::Block& block) {
    const std::size_t lanes = (block.count() + kWarpSize - 1) / kWarpSize * kWarpSize;
    const auto fitting = static_cast<int>(kMostStackBytes / (lanes * StackPool::kStride));
    return std::clamp(std::min(fitting, StackPool::most_pools(lanes)), 1, kMostBlocks);
}

ResidentBlocks::Member& ResidentBlocks::add_member() {
    Member& member = members_.emplace_back();
    member.machine = std::make_unique<Machine>();
    return member;
}

void ResidentBlocks::run_block(Member& member, std::uint64_t block) {
    member.block = block;
    Observer* observer = calls_.runs(block, *member.machine, true);
    member.machine->run_block(block, observer);
    member.block.reset();
    waited_ = quiet_ = 0;
    if (ended_) return;   // while it waited
    if (member.machine->stopped()) stopped_ = ended_ = true;
    calls_.done();
}

// Waits until it is the turn of `from` again.
void ResidentBlocks::give_turn(std::unique_lock<std::mutex>& lock, Member& from, Member& to) {
    turn_ = &to;
    to.has_turn.notify_one();
    from.has_turn.wait(lock, [&] { return turn_ == &from; });
}

Machine::Others ResidentBlocks::let_others_run(Member& member, std::uint32_t turns) {
    std::unique_lock lock(mutex_);
    const auto under_way =
        std::count_if(members_.begin(), members_.end(), [](const Member& m) { return m.block.has_value(); });
    const bool room = under_way < calls_.most;
    std::uint64_t changes = 0;
    for (const Member& one : members_) changes += one.machine->changes();
    quiet_ = changes == changes_ && member.machine->is_watched() ? quiet_ + turns : 0;
    changes_ = changes;
    waited_ += turns;
    const bool stuck = quiet_ > kQuietTurns;
    if (waited_ > kMaxTurns || stuck) {
        if (room || !calls_.next()) return stuck ? Machine::Others::stuck : Machine::Others::too_long;
        too_many_ = stopped_ = ended_ = true;
        return Machine::Others::ended;
    }
    Member* to = nullptr;
    // A new block first: what this one waits for may be its work.
    if (room) {
        if (const std::optional<std::uint64_t> block = calls_.next()) {
            const auto idle = std::find_if(members_.begin(), members_.end(), [](const Member& m) { return !m.block; });
            to = idle != members_.end() ? &*idle : &add_member();
            to->block = block;
            waited_ = quiet_ = 0;
            if (!to->thread.joinable()) to->thread = std::thread([this, to] { serve(*to); });
        }
    }
    if (!to) {
        if (waiting_.empty()) return Machine::Others::ran;
        to = waiting_.front();
        waiting_.pop_front();
    }
    waiting_.push_back(&member);
    give_turn(lock, member, *to);
    if (ended_) return Machine::Others::ended;
    calls_.runs(*member.block, *member.machine, false);
    return Machine::Others::ran;
}

// One of the other OS threads.
void ResidentBlocks::serve(Member& member) {
    if (calls_.begins_thread) calls_.begins_thread();
    std::unique_lock lock(mutex_);
    bool loaded = false;
    for (;;) {
        member.has_turn.wait(lock, [&] { return turn_ == &member; });
        if (!member.block) return;   // it is over
        try {
            if (!loaded) {
                member.machine->set_others(
                    [this, &member](std::uint32_t turns) { return let_others_run(member, turns); });
                member.machine->load(program_);
                loaded = true;
            }
            lock.unlock();
            run_block(member, *member.block);
            lock.lock();
        } catch (...) {
            if (!lock.owns_lock()) lock.lock();
            failure_ = std::current_exception();
            member.block.reset();
            ended_ = stopped_ = true;
        }
        // A waiting block continues: there is one, since another block let this one run.
        turn_ = waiting_.front();
        waiting_.pop_front();
        turn_->has_turn.notify_one();
    }
}

bool ResidentBlocks::run() {
    Member& first = add_member();
    first.machine->set_others([this, &first](std::uint32_t turns) { return let_others_run(first, turns); });
    first.machine->load(program_);
    turn_ = &first;
    const auto let_waiting_run = [&] {   // till all of them wait no more
        std::unique_lock lock(mutex_);
        while (!waiting_.empty()) {
            Member& to = *waiting_.front();
            waiting_.pop_front();
            waiting_.push_back(&first);
            give_turn(lock, first, to);
            std::erase(waiting_, &first);
        }
    };
    try {
        while (!ended_) {
            const std::optional<std::uint64_t> block = calls_.next();
            if (!block) break;
            run_block(first, *block);
            let_waiting_run();
        }
    } catch (...) {
        failure_ = std::current_exception();
        first.block.reset();
        ended_ = stopped_ = true;
    }
    let_waiting_run();
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    for (Member& member : members_) {
        if (!member.thread.joinable()) continue;
        {
            const std::lock_guard lock(mutex_);
            turn_ = &member;
            member.has_turn.notify_one();
        }
        member.thread.join();
    }
    if (failure_) std::rethrow_exception(failure_);
    return stopped_;
}

}  // namespace lanewise::emu
