/* What the hosts of the check share. */
#ifndef HOST_H
#define HOST_H
#include <flitwise.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int wrong = 0;
#define CHECK(c, ...) do { if (!(c)) { wrong++; printf("bad: "); printf(__VA_ARGS__); printf(" (%s:%d)\n", __FILE__ + (strrchr(__FILE__, '/') ? strrchr(__FILE__, '/') - __FILE__ + 1 : 0), __LINE__); } } while (0)
#define U(x) ((unsigned long long)(x))
static inline uint64_t draw(uint64_t *s) { /* splitmix64 */
    uint64_t z = (*s += 0x9e3779b97f4a7c15u); z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u; z = (z ^ (z >> 27)) * 0x94d049bb133111ebu; return z ^ (z >> 31);
}
static inline uint64_t mix(uint64_t a, uint64_t b) { uint64_t s = a * 0x9e3779b97f4a7c15u + b; return draw(&s); }
static inline fw_net *must_open(const char *path) {
    char error[4000] = ""; fw_net *net = fw_open_file(path, error, sizeof error);
    if (!net) { printf("bad: %s: %s\n", path, error); exit(1); }
    return net;
}
static inline fw_net *must_text(const char *toml) {
    char error[4000] = ""; fw_net *net = fw_open(toml, strlen(toml), error, sizeof error);
    if (!net) { printf("bad: scenario refused: %s\n", error); exit(1); }
    return net;
}
static inline void failed(fw_net *net, const char *what, int64_t status) {
    char text[4000]; fw_error(net, text, sizeof text); printf("bad: %s: %lld %s: %s\n", what, (long long)status, fw_strerror(status), text); exit(1);
}
static inline int finish(const char *name) { if (!wrong) printf("%s ok\n", name); return wrong != 0; }
#endif
