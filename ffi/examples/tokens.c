/* Four tokens travel over a 4x4 mesh: a host program that sends messages when others have arrived.
 *
 *   cc tokens.c $(pkg-config --cflags --libs flitwise) -o tokens && ./tokens
 *
 * A node that holds token u waits 5 (u + 1) ticks and then sends it, in a message of 40 + 20 u bytes, to another node. */
#include <flitwise.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define TOKENS 4
#define JOURNEYS 8

static const char scenario[] =
    "[network.mesh]\nshape = [4, 4]\n"
    "[channel]\nflit_time = 2\nbuffer = 2\n"
    "[workload.embed]\nflit_bytes = 16\n";

static int failed(fw_net *net, const char *call, int64_t status) {
    char text[1000];
    fw_error(net, text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", call, fw_strerror(status), text);
    fw_close(net);
    return 1;
}

static int64_t send_token(fw_net *net, uint32_t node, uint64_t token) {
    uint32_t to = (3 * node + 7 + (uint32_t)token) % fw_nodes(net);
    return fw_send(net, node, to, 0, 40 + 20 * token, fw_now(net), token);
}

int main(void) {
    char error[1000];
    fw_net *net = fw_open(scenario, strlen(scenario), error, sizeof error);
    if (!net) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    uint32_t at[TOKENS], journeys[TOKENS] = {0};
    int64_t status;
    for (uint32_t token = 0; token < TOKENS; token++)
        if ((status = send_token(net, 5 * token, token)) < 0)
            return failed(net, "fw_send", status);
    while ((status = fw_advance(net, FW_NEVER)) > 0) { /* up to the next events */
        fw_event event;
        while (fw_poll(net, &event, 1) == 1) {
            uint64_t token = event.user;
            if (event.kind == FW_TIMER) {
                if ((status = send_token(net, at[token], token)) < 0)
                    return failed(net, "fw_send", status);
                continue;
            }
            printf("token %" PRIu64 " %" PRIu32 ">%" PRIu32 " requested %" PRIu64 " injected %" PRIu64
                   " delivered %" PRIu64 " hops %" PRIu32 " blocked %" PRIu64 "\n",
                   token, event.src, event.dst, event.requested, event.injected, event.delivered, event.hops,
                   event.blocked);
            at[token] = event.dst;
            if (++journeys[token] < JOURNEYS)
                if ((status = fw_timer(net, event.delivered + 5 * (token + 1), token)) < 0)
                    return failed(net, "fw_timer", status);
        }
    }
    if (status < 0)
        return failed(net, "fw_advance", status);
    printf("idle at %" PRIu64 "\n", fw_now(net));
    fw_close(net);
    return 0;
}
