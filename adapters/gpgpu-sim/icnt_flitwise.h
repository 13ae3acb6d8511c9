// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Interconnect of GPGPU-Sim that simulates its network with flitwise. The functions have the types of the pointers in
// icnt_wrapper.h. README.md lists the lines that assign them. C++11 is enough, as for the rest of GPGPU-Sim.
#ifndef ICNT_FLITWISE_H
#define ICNT_FLITWISE_H

#include <cstdio>

/// Opens a configuration file of intersim2. Must be called before the other functions. Prints an error and aborts if
/// the file cannot be used.
void flitwise_icnt_config(const char* path);

/// Assigns the shaders to nodes 0 to n_shader - 1, and the memories to the nodes that follow. Aborts if the network
/// has fewer nodes.
void flitwise_icnt_create(unsigned n_shader, unsigned n_mem);

/// Begins a kernel: flitwise_icnt_display_stats counts from here.
void flitwise_icnt_init();

/// Returns true if a packet of `size` bytes can be pushed at an input now.
bool flitwise_icnt_has_buffer(unsigned input, unsigned size);

/// Sends a packet in the next cycle. Shaders send requests (class 0), memories send replies (class 1 if there is one).
void flitwise_icnt_push(unsigned input, unsigned output, void* data, unsigned size);

/// Removes and returns the next packet for an output, or a null pointer. Shaders receive replies, memories requests.
void* flitwise_icnt_pop(unsigned output);

/// Simulates one cycle.
void flitwise_icnt_transfer();

/// Returns true if a packet has been pushed and not popped.
bool flitwise_icnt_busy();

/// Simulates cycles until every packet has arrived or cannot move before another is popped.
void flitwise_icnt_drain();

/// Prints the packets that have been popped in this kernel, and their latency in cycles.
void flitwise_icnt_display_stats();

/// Prints the statistics of the network since its creation.
void flitwise_icnt_display_overall_stats();

/// Prints the packets in the network, for a report of a deadlock.
void flitwise_icnt_display_state(FILE* fp);

/// Returns the size of a flit in bytes.
unsigned flitwise_icnt_get_flit_size();

#endif
