// SPDX-License-Identifier: MIT OR Apache-2.0

#include "icnt_flitwise.h"

#include "flitwise.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

namespace {

struct Packet {
    void* data;
    unsigned output;
    unsigned size;
};

/// Packets popped since the start of a kernel.
struct KernelStats {
    unsigned long long packets[2]; // requests, replies
    unsigned long long latency_sum[2];
    unsigned long long latency_max[2];
};

/// The one network of the process: the pointers of GPGPU-Sim have no argument for it.
struct Interconnect {
    fw_net* net = nullptr;
    unsigned n_shader = 0;
    unsigned nodes = 0;
    uint32_t reply_class = 0;
    std::vector<std::deque<Packet> > waiting; // packets that were pushed to a full queue, by input
    std::vector<unsigned> backlog;            // inputs with waiting packets, so that a cycle visits no others
    bool has_warned = false;
    KernelStats kernel = KernelStats();

    void close() {
        if (net != nullptr) {
            fw_close(net);
        }
        net = nullptr;
    }

    ~Interconnect() { close(); }
};

Interconnect icnt;

const uint32_t REQUEST_CLASS = 0;

/// Calls a function that writes like snprintf, with a buffer that is long enough.
template <typename Write> std::string read_text(Write write) {
    std::vector<char> text(1024);
    const size_t length = write(text.data(), text.size());
    if (length >= text.size()) {
        text.resize(length + 1);
        write(text.data(), text.size());
    }
    return text.data();
}

std::string last_error() {
    return read_text([](char* text, size_t size) { return fw_error(icnt.net, text, size); });
}

void stop(const std::string& problem) {
    fflush(stdout);
    fprintf(stderr, "icnt_flitwise: %s\n", problem.c_str());
    abort();
}

void require_network() {
    if (icnt.nodes == 0) {
        stop("flitwise_icnt_config and flitwise_icnt_create must be called first");
    }
}

bool is_shader(unsigned device) { return device < icnt.n_shader; }

uint32_t class_of_sender(unsigned input) { return is_shader(input) ? REQUEST_CLASS : icnt.reply_class; }

uint32_t class_of_receiver(unsigned output) { return is_shader(output) ? icnt.reply_class : REQUEST_CLASS; }

bool is_waiting(unsigned input) { return input < icnt.waiting.size() && !icnt.waiting[input].empty(); }

/// Sends a packet in the next cycle. Returns false if the queue of the input has no room.
bool send(unsigned input, const Packet& packet) {
    const uint64_t user = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(packet.data));
    const int64_t id = fw_send(icnt.net, input, packet.output, class_of_sender(input), packet.size,
                               fw_now(icnt.net) + 1, user);
    if (id < 0 && id != FW_FULL) {
        stop("a packet of " + std::to_string(packet.size) + " bytes from " + std::to_string(input) + " to " +
             std::to_string(packet.output) + " cannot be sent: " + last_error());
    }
    return id >= 0;
}

/// Sends waiting packets as far as there is room. Returns true if one has been sent.
bool send_backlog() {
    bool has_sent = false;
    size_t kept = 0;
    for (size_t i = 0; i < icnt.backlog.size(); i++) {
        const unsigned input = icnt.backlog[i];
        std::deque<Packet>& packets = icnt.waiting[input];
        while (!packets.empty() && send(input, packets.front())) {
            packets.pop_front();
            has_sent = true;
        }
        if (!packets.empty()) {
            icnt.backlog[kept++] = input;
        }
    }
    icnt.backlog.resize(kept);
    return has_sent;
}

void advance() {
    if (fw_advance(icnt.net, fw_now(icnt.net) + 1) < 0) {
        stop(last_error());
    }
}

void count(const fw_event& packet, bool is_reply) {
    const unsigned long long latency = packet.delivered - packet.requested;
    icnt.kernel.packets[is_reply]++;
    icnt.kernel.latency_sum[is_reply] += latency;
    if (latency > icnt.kernel.latency_max[is_reply]) {
        icnt.kernel.latency_max[is_reply] = latency;
    }
}

/// Formats a JSON object with a line for each key, and a line for each object in an array.
std::string format_json(const std::string& json) {
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

std::string overall_stats() {
    return format_json(read_text([](char* text, size_t size) { return fw_stats(icnt.net, text, size); }));
}

} // namespace

void flitwise_icnt_config(const char* path) {
    if (fw_abi_version() != FW_ABI_VERSION) {
        stop("libflitwise has ABI version " + std::to_string(fw_abi_version()) + ", but this program requires " +
             std::to_string(FW_ABI_VERSION));
    }
    std::vector<char> error(1 << 16);
    fw_net* net = fw_open_booksim(path, error.data(), error.size());
    if (net == nullptr) {
        stop(error.data());
    }
    icnt.close();
    icnt.net = net;
    icnt.nodes = 0;
    icnt.n_shader = 0;
    icnt.waiting.clear();
    icnt.backlog.clear();
    icnt.kernel = KernelStats();
}

void flitwise_icnt_create(unsigned n_shader, unsigned n_mem) {
    if (icnt.net == nullptr) {
        stop("flitwise_icnt_config must be called before flitwise_icnt_create");
    }
    const unsigned nodes = fw_nodes(icnt.net);
    if (n_shader > nodes || n_mem > nodes - n_shader) {
        stop("the network has " + std::to_string(nodes) + " nodes, but " + std::to_string(n_shader) + " shaders and " +
             std::to_string(n_mem) + " memories require " + std::to_string(1ull * n_shader + n_mem));
    }
    icnt.nodes = nodes;
    icnt.n_shader = n_shader;
    icnt.reply_class = fw_classes(icnt.net) > 1 ? 1 : 0;
    icnt.waiting.resize(nodes);
}

void flitwise_icnt_init() { icnt.kernel = KernelStats(); }

bool flitwise_icnt_has_buffer(unsigned input, unsigned size) {
    if (is_waiting(input)) {
        return false;
    }
    const int room = fw_can_send(icnt.net, input, class_of_sender(input), size);
    if (room < 0 && !icnt.has_warned) {
        // GPGPU-Sim would wait for room, and report a deadlock much later.
        icnt.has_warned = true;
        fprintf(stderr, "icnt_flitwise: a packet of %u bytes at %u can never be sent: %s\n", size, input,
                last_error().c_str());
    }
    return room == 1;
}

void flitwise_icnt_push(unsigned input, unsigned output, void* data, unsigned size) {
    require_network();
    const Packet packet = {data, output, size};
    if (!is_waiting(input)) {
        if (send(input, packet)) {
            return;
        }
        icnt.backlog.push_back(input);
    }
    icnt.waiting[input].push_back(packet);
}

void* flitwise_icnt_pop(unsigned output) {
    // Most outputs are empty in most cycles: fw_held is a load, fw_take searches the buffers of the node.
    if (fw_held(icnt.net) == 0) {
        return nullptr;
    }
    fw_event packet;
    const int taken = fw_take(icnt.net, output, class_of_receiver(output), &packet);
    if (taken < 0) {
        stop(last_error());
    }
    if (taken == 0) {
        return nullptr;
    }
    count(packet, is_shader(output));
    return reinterpret_cast<void*>(static_cast<uintptr_t>(packet.user));
}

void flitwise_icnt_transfer() {
    require_network();
    if (!icnt.backlog.empty()) {
        send_backlog();
    }
    advance();
}

bool flitwise_icnt_busy() { return fw_pending(icnt.net) > 0 || !icnt.backlog.empty(); }

void flitwise_icnt_drain() {
    require_network();
    while (send_backlog() || fw_next(icnt.net) != FW_NEVER) {
        advance();
    }
}

void flitwise_icnt_display_stats() {
    const char* const names[2] = {"requests", "replies"};
    for (int i = 0; i < 2; i++) {
        const unsigned long long packets = icnt.kernel.packets[i];
        const double mean = packets > 0 ? static_cast<double>(icnt.kernel.latency_sum[i]) / static_cast<double>(packets) : 0;
        printf("flitwise %s: packets = %llu, latency mean = %.4f, max = %llu\n", names[i], packets, mean,
               icnt.kernel.latency_max[i]);
    }
}

void flitwise_icnt_display_overall_stats() {
    require_network();
    printf("flitwise network (times in cycles)\n%s", overall_stats().c_str());
}

void flitwise_icnt_display_state(FILE* fp) {
    require_network();
    fprintf(fp, "flitwise network (times in cycles)\n%s", overall_stats().c_str());
    for (size_t i = 0; i < icnt.backlog.size(); i++) {
        const unsigned input = icnt.backlog[i];
        fprintf(fp, "packets that wait for the queue of %u: %zu\n", input, icnt.waiting[input].size());
    }
}

unsigned flitwise_icnt_get_flit_size() { return fw_flit_bytes(icnt.net); }
