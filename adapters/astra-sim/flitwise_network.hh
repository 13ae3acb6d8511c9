// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Network backend of ASTRA-sim that sends its messages over a flitwise network. `Network` holds the simulation, and
// `Api` is the interface of one rank to it. README.md describes how to build ASTRA-sim with it.
#pragma once

#include "astra-sim/common/AstraNetworkAPI.hh"
#include "flitwise.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace flitwise::astra {

/// A function of ASTRA-sim and its argument.
struct Handler {
    void (*function)(void*) = nullptr;
    void* argument = nullptr;

    void call() const {
        if (function != nullptr) {
            function(argument);
        }
    }
};

/// A message in flight, or one that has arrived before its receive.
struct Message {
    Handler send;
    std::optional<Handler> receive;
    bool has_arrived = false;
};

/// Values by number. The number of a removed value is used again.
template <typename Value> class Slots {
  public:
    uint64_t insert(Value value) {
        if (free_.empty()) {
            values_.push_back(value);
            return values_.size() - 1;
        }
        const uint64_t slot = free_.back();
        free_.pop_back();
        values_[slot] = value;
        return slot;
    }

    Value& operator[](uint64_t slot) { return values_[slot]; }

    Value remove(uint64_t slot) {
        free_.push_back(slot);
        return values_[slot];
    }

  private:
    std::vector<Value> values_;
    std::vector<uint64_t> free_;
};

/// The simulation: a flitwise network, the messages in it, and the functions that ASTRA-sim has scheduled.
class Network {
  public:
    /// Opens a scenario of flitwise. Its `tick` must divide 1 ns. Returns null and sets `error` if it cannot be used.
    static std::unique_ptr<Network> open(const std::string& scenario_path, std::string& error) {
        if (fw_abi_version() != FW_ABI_VERSION) {
            error = "libflitwise has ABI version " + std::to_string(fw_abi_version()) + ", but this program requires " +
                    std::to_string(FW_ABI_VERSION);
            return nullptr;
        }
        std::vector<char> text(1 << 16);
        Net net(fw_open_file(scenario_path.c_str(), text.data(), text.size()));
        if (net == nullptr) {
            error = text.data();
            return nullptr;
        }
        const std::string problem = find_problem(net.get());
        if (!problem.empty()) {
            error = scenario_path + ": " + problem;
            return nullptr;
        }
        return std::unique_ptr<Network>(new Network(std::move(net)));
    }

    int nodes() const { return static_cast<int>(fw_nodes(net_.get())); }

    /// Returns the simulated time in whole ns, rounded down.
    uint64_t now_ns() const { return fw_now(net_.get()) / ticks_per_ns_; }

    /// Runs until no message is in flight and nothing is scheduled. Returns false and sets `error` at the first
    /// failure: a deadlock, or a message or a time that the network rejects. The simulation cannot continue after it.
    bool run(std::string& error) {
        while (failure_.empty()) {
            const int64_t events = fw_advance(net_.get(), FW_NEVER);
            if (events == 0) {
                return true;
            }
            if (events < 0) {
                failure_ = last_error();
            }
            handle_events();
        }
        error = failure_;
        return false;
    }

  private:
    friend class Api;

    struct Close {
        void operator()(fw_net* net) const { fw_close(net); }
    };
    using Net = std::unique_ptr<fw_net, Close>;

    /// Tag, source, destination and number of bytes: a message matches a receive if all of them are equal.
    using Key = std::tuple<int, int, int, uint64_t>;

    static constexpr uint64_t FS_PER_NS = 1000000;
    static constexpr uint64_t TICK_LIMIT = uint64_t{1} << 60;

    explicit Network(Net net) : net_(std::move(net)), ticks_per_ns_(FS_PER_NS / fw_tick_fs(net_.get())) {}

    /// Returns the reason for which ASTRA-sim cannot use a network, or an empty text.
    static std::string find_problem(fw_net* net) {
        const uint64_t tick_fs = fw_tick_fs(net);
        if (tick_fs == 0) {
            return "the scenario has no `tick` of a whole number of fs, so its times are not ns; set `tick = \"1ps\"`";
        }
        if (FS_PER_NS % tick_fs != 0) {
            return "a `tick` of " + std::to_string(tick_fs) + " fs does not divide 1 ns; set `tick = \"1ps\"`";
        }
        fw_event held;
        if (fw_peek(net, 0, 0, &held) != FW_EMODE) {
            return "messages would be held at their nodes; ASTRA-sim requires `ejection = \"sink\"`";
        }
        return "";
    }

    std::string last_error() const {
        std::vector<char> text(1024);
        const size_t length = fw_error(net_.get(), text.data(), text.size());
        if (length >= text.size()) {
            text.resize(length + 1);
            fw_error(net_.get(), text.data(), text.size());
        }
        return text.data();
    }

    /// Records the first failure. ASTRA-sim ignores what sim_send returns, therefore `run` reports it.
    void fail(const std::string& problem) {
        if (failure_.empty()) {
            failure_ = problem;
        }
    }

    int send(const Key& key, Handler handler) {
        const auto [tag, src, dst, count] = key;
        const uint64_t slot = messages_.insert({handler, std::nullopt, false});
        const int64_t id = fw_send(net_.get(), static_cast<uint32_t>(src), static_cast<uint32_t>(dst), 0, count,
                                   fw_now(net_.get()), slot);
        if (id < 0) {
            messages_.remove(slot);
            const std::string hint = id == FW_FULL ? "; ASTRA-sim cannot wait, so remove `queue` from the scenario" : "";
            fail("the message from rank " + std::to_string(src) + " to rank " + std::to_string(dst) + " with tag " +
                 std::to_string(tag) + " cannot be sent: " + last_error() + hint);
            return -1;
        }
        messages_[slot].receive = take_first(unmatched_receives_, key);
        if (!messages_[slot].receive) {
            unmatched_messages_.emplace(key, slot);
        }
        return 0;
    }

    int receive(const Key& key, Handler handler) {
        const std::optional<uint64_t> slot = take_first(unmatched_messages_, key);
        if (!slot) {
            unmatched_receives_.emplace(key, handler);
        } else if (messages_[*slot].has_arrived) {
            messages_.remove(*slot);
            schedule(0, handler);
        } else {
            messages_[*slot].receive = handler;
        }
        return 0;
    }

    /// Removes and returns the value that was added first for a key.
    template <typename Value>
    static std::optional<Value> take_first(std::multimap<Key, Value>& unmatched, const Key& key) {
        const auto first = unmatched.lower_bound(key);
        if (first == unmatched.end() || first->first != key) {
            return std::nullopt;
        }
        const Value value = first->second;
        unmatched.erase(first);
        return value;
    }

    /// Calls a handler after `ns`, rounded down to whole ns. The part of the present time below 1 ns is retained: rounding
    /// it down would schedule a delay of 0 before the present time.
    void schedule(long double ns, Handler handler) {
        const uint64_t now = fw_now(net_.get());
        if (!(ns >= 0) || ns > static_cast<long double>((TICK_LIMIT - now) / ticks_per_ns_)) {
            fail("sim_schedule with a delay of " + std::to_string(ns) + " ns at " + std::to_string(now_ns()) + " ns");
            return;
        }
        const uint64_t slot = timers_.insert(handler);
        if (fw_timer(net_.get(), now + static_cast<uint64_t>(ns) * ticks_per_ns_, slot) < 0) {
            timers_.remove(slot);
            fail("sim_schedule with a delay of " + std::to_string(ns) + " ns: " + last_error());
        }
    }

    void handle_events() {
        fw_event event;
        while (failure_.empty() && fw_poll(net_.get(), &event, 1) == 1) {
            if (event.kind == FW_TIMER) {
                timers_.remove(event.user).call();
            } else {
                deliver(event.user);
            }
        }
    }

    /// Calls the handlers of a message that has arrived. Handlers send messages, which can move the slots, so nothing
    /// refers to a slot while a handler runs.
    void deliver(uint64_t slot) {
        if (messages_[slot].receive) {
            const Message message = messages_.remove(slot);
            message.send.call();
            message.receive->call();
        } else {
            messages_[slot].has_arrived = true;
            const Handler send = messages_[slot].send;
            send.call();
        }
    }

    Net net_;
    uint64_t ticks_per_ns_;
    Slots<Message> messages_;
    Slots<Handler> timers_;
    // Equal keys stay in the order of the calls: the first message matches the first receive.
    std::multimap<Key, uint64_t> unmatched_messages_;
    std::multimap<Key, Handler> unmatched_receives_;
    std::string failure_;
};

/// The network as one rank of ASTRA-sim accesses it. Rank i is node i, and all messages use class 0.
class Api : public AstraSim::AstraNetworkAPI {
  public:
    /// `bandwidths` are those of the logical dimensions in GB/s. Scheduling policies read them, the network does not.
    Api(int rank_id, Network& network, std::vector<double> bandwidths)
        : AstraSim::AstraNetworkAPI(rank_id), network_(network), bandwidths_(std::move(bandwidths)) {}

    /// Sends a message now. Calls the handler at its arrival. Returns 0, or -1 if `Network::run` will report a failure.
    int sim_send(void*, uint64_t count, int, int dst, int tag, AstraSim::sim_request*, void (*msg_handler)(void*),
                 void* fun_arg) override {
        return network_.send({tag, sim_comm_get_rank(), dst, count}, {msg_handler, fun_arg});
    }

    /// Receives a message. Calls the handler at its arrival, after that of the send. If the message has arrived
    /// already, the handler is scheduled for the present time.
    int sim_recv(void*, uint64_t count, int, int src, int tag, AstraSim::sim_request*, void (*msg_handler)(void*),
                 void* fun_arg) override {
        return network_.receive({tag, src, sim_comm_get_rank(), count}, {msg_handler, fun_arg});
    }

    /// Calls a function after `delta`, rounded down to whole ns.
    void sim_schedule(AstraSim::timespec_t delta, void (*fun_ptr)(void*), void* fun_arg) override {
        network_.schedule(nanoseconds(delta), {fun_ptr, fun_arg});
    }

    AstraSim::timespec_t sim_get_time() override {
        return {AstraSim::NS, static_cast<long double>(network_.now_ns())};
    }

    /// Returns the bandwidth of a logical dimension in GB/s, or -1 if it has none.
    double get_BW_at_dimension(int dim) override {
        const bool is_known = dim >= 0 && static_cast<size_t>(dim) < bandwidths_.size();
        return is_known ? bandwidths_[static_cast<size_t>(dim)] : -1;
    }

  private:
    static long double nanoseconds(AstraSim::timespec_t time) {
        switch (time.time_res) {
        case AstraSim::SE: return time.time_val * 1e9L;
        case AstraSim::MS: return time.time_val * 1e6L;
        case AstraSim::US: return time.time_val * 1e3L;
        case AstraSim::FS: return time.time_val / 1e6L;
        default: return time.time_val;
        }
    }

    Network& network_;
    std::vector<double> bandwidths_;
};

} // namespace flitwise::astra
