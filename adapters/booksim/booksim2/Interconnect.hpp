// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Drop-in replacement for the class of the same name in PSAL-POSTECH/booksim, the interconnect of ONNXim and
// PyTorchSim. It reads the same configuration files and simulates them with flitwise. README.md has the recipe.
#pragma once

#include "flitwise.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace booksim2 {

/// An on-chip network that moves pointers to packets. Errors are thrown as std::runtime_error.
class Interconnect {
  public:
    enum class Type { READ, WRITE, READ_REPLY, WRITE_REPLY, ANY };

    /// Opens a configuration file of BookSim 2, which must have at least `nodes` nodes.
    Interconnect(const std::string config, int nodes) : net_(open(config)) {
        if (nodes < 0 || static_cast<uint32_t>(nodes) > fw_nodes(net_.get())) {
            throw std::runtime_error(config + ": the network has " + std::to_string(fw_nodes(net_.get())) + " nodes, but " +
                                     std::to_string(nodes) + " are required");
        }
        waiting_.resize(static_cast<size_t>(fw_nodes(net_.get())) * fw_classes(net_.get()));
    }

    /// Simulates one cycle. The first call is cycle 1.
    void run() {
        if (!backlog_.empty()) {
            send_backlog();
        }
        check(fw_advance(net_.get(), fw_now(net_.get()) + 1));
    }

    /// Returns the number of calls of `run`.
    uint64_t get_cycle() const { return fw_now(net_.get()); }

    uint32_t get_flit_size() const { return fw_flit_bytes(net_.get()); }

    /// Returns true if the injection queue of a node cannot accept a packet of `size` bytes now. A packet longer than
    /// the whole queue is left to `push`, which throws.
    bool is_full(uint32_t nid, uint32_t subnet, uint32_t size) const {
        return is_waiting(nid, subnet) || fw_can_send(net_.get(), nid, subnet, size) == 0;
    }

    /// Sends a packet in the next cycle, or as soon as the packets pushed before it at the same node and subnet leave
    /// room in the queue. The address and the type have no effect: a subnet has virtual channels of its own.
    void push(void* packet, uint32_t subnet, uint64_t /*addr*/, int bytes, Type /*type*/, int src, int dst) {
        const Packet pushed{packet, static_cast<uint32_t>(src), static_cast<uint32_t>(dst), subnet,
                            static_cast<uint64_t>(static_cast<int64_t>(bytes))};
        if (is_waiting(pushed.src, subnet)) {
            // It is sent later, but an error in it is thrown here.
            check(fw_can_send(net_.get(), pushed.src, subnet, pushed.bytes));
            check_node(pushed.dst);
        } else if (send(pushed)) {
            return;
        } else {
            backlog_.push_back(queue_index(pushed.src, subnet));
        }
        waiting_[queue_index(pushed.src, subnet)].push_back(pushed);
    }

    /// Returns true if no complete packet is at a node.
    bool is_empty(uint32_t nid, uint32_t subnet) const {
        // Most nodes are empty in most cycles: fw_held is a load, fw_peek searches the buffers of the node.
        fw_event arrived;
        return fw_held(net_.get()) == 0 || check(fw_peek(net_.get(), nid, subnet, &arrived)) == 0;
    }

    /// Returns the pointer of the packet that `pop` would remove.
    void* top(uint32_t nid, uint32_t subnet) const {
        fw_event arrived;
        check_packet(fw_peek(net_.get(), nid, subnet, &arrived), nid, subnet);
        return reinterpret_cast<void*>(static_cast<uintptr_t>(arrived.user));
    }

    /// Removes a packet, which frees its buffer slots in this cycle.
    void pop(uint32_t nid, uint32_t subnet) { check_packet(fw_take(net_.get(), nid, subnet, nullptr), nid, subnet); }

    /// Prints the statistics of the network, a line for each number and for each subnet.
    void print_stats() const {
        std::cout << "flitwise interconnect statistics (times in cycles)\n" << format_json(stats()) << std::flush;
    }

  private:
    struct Close {
        void operator()(fw_net* net) const { fw_close(net); }
    };
    using Net = std::unique_ptr<fw_net, Close>;

    struct Packet {
        void* data;
        uint32_t src;
        uint32_t dst;
        uint32_t subnet;
        uint64_t bytes;
    };

    static Net open(const std::string& config) {
        if (fw_abi_version() != FW_ABI_VERSION) {
            throw std::runtime_error("libflitwise has ABI version " + std::to_string(fw_abi_version()) +
                                     ", but this program requires " + std::to_string(FW_ABI_VERSION));
        }
        std::vector<char> error(1 << 16);
        Net net(fw_open_booksim(config.c_str(), error.data(), error.size()));
        if (net == nullptr) {
            throw std::runtime_error(error.data());
        }
        return net;
    }

    /// Calls a function that writes like snprintf, with a buffer that is long enough.
    template <typename Write> static std::string read_text(Write write) {
        std::vector<char> text(1024);
        const size_t length = write(text.data(), text.size());
        if (length >= text.size()) {
            text.resize(length + 1);
            write(text.data(), text.size());
        }
        return text.data();
    }

    std::string stats() const {
        return read_text([this](char* text, size_t size) { return fw_stats(net_.get(), text, size); });
    }

    /// Throws if `status` is an error, else returns it.
    int64_t check(int64_t status) const {
        if (status < 0) {
            throw std::runtime_error(
                read_text([this](char* text, size_t size) { return fw_error(net_.get(), text, size); }));
        }
        return status;
    }

    void check_node(uint32_t node) const {
        if (node >= fw_nodes(net_.get())) {
            throw std::runtime_error("there is no node " + std::to_string(node) + ": the network has " +
                                     std::to_string(fw_nodes(net_.get())) + " nodes");
        }
    }

    void check_packet(int status, uint32_t nid, uint32_t subnet) const {
        if (check(status) == 0) {
            throw std::runtime_error("no packet is at node " + std::to_string(nid) + " of subnet " + std::to_string(subnet));
        }
    }

    size_t queue_index(uint32_t nid, uint32_t subnet) const {
        return static_cast<size_t>(nid) * fw_classes(net_.get()) + subnet;
    }

    bool is_waiting(uint32_t nid, uint32_t subnet) const {
        return !backlog_.empty() && nid < fw_nodes(net_.get()) && subnet < fw_classes(net_.get()) &&
               !waiting_[queue_index(nid, subnet)].empty();
    }

    /// Sends a packet in the next cycle. Returns false if its queue has no room.
    bool send(const Packet& packet) {
        const uint64_t user = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(packet.data));
        const uint64_t next_cycle = fw_now(net_.get()) + 1;
        const int64_t id =
            fw_send(net_.get(), packet.src, packet.dst, packet.subnet, packet.bytes, next_cycle, user);
        return id != FW_FULL && check(id) >= 0;
    }

    void send_backlog() {
        size_t kept = 0;
        for (const size_t index : backlog_) {
            std::deque<Packet>& packets = waiting_[index];
            while (!packets.empty() && send(packets.front())) {
                packets.pop_front();
            }
            if (!packets.empty()) {
                backlog_[kept++] = index;
            }
        }
        backlog_.resize(kept);
    }

    /// Formats a JSON object with a line for each key, and a line for each object in an array.
    static std::string format_json(const std::string& json) {
        std::string lines;
        int depth = 0;
        bool is_quoted = false;
        for (size_t i = 0; i < json.size(); i++) {
            const char c = json[i];
            if (c == '"' && (i == 0 || json[i - 1] != '\\')) {
                is_quoted = !is_quoted;
            } else if (is_quoted) {
                lines += c;
            } else if (c == '{' || c == '[') {
                lines += c == '{' && depth > 0 ? "\n  " : "";
                depth++;
            } else if (c == '}' || c == ']') {
                depth--;
            } else if (c == ',') {
                const bool is_before_object = i + 1 < json.size() && json[i + 1] == '{';
                lines += depth == 1 ? "\n" : is_before_object ? "" : ", ";
            } else if (c == ':') {
                lines += ": ";
            } else if (c != ' ' && c != '\n') {
                lines += c;
            }
        }
        return lines + '\n';
    }

    Net net_;
    std::vector<std::deque<Packet>> waiting_; // packets that were pushed to a full queue, by node and subnet
    std::vector<size_t> backlog_;             // queues with waiting packets, so that `run` visits no others
};

} // namespace booksim2
