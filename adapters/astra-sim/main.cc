// SPDX-License-Identifier: MIT OR Apache-2.0
//
// ASTRA-sim over a flitwise network. The options are those of the analytical front ends of ASTRA-sim, except that
// --network-configuration is a scenario of flitwise.

#include "flitwise_network.hh"

#include "astra-sim/common/Logging.hh"
#include "astra-sim/system/Sys.hh"
#include <cxxopts/cxxopts.hpp>
#include <remote_memory_backend/analytical/AnalyticalRemoteMemory.hh>

#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using flitwise::astra::Api;
using flitwise::astra::Network;

namespace {

constexpr int EXIT_RUN_FAILED = 1;
constexpr int EXIT_USAGE = 2;

struct Options {
    std::string workload;
    std::string comm_groups;
    std::string system;
    std::string remote_memory;
    std::string network;
    std::string logging;
    std::string logging_directory;
    std::vector<int> npus_count;
    std::vector<double> bandwidth;
    int queues_per_dim;
    double comm_scale;
    double injection_scale;
    bool rendezvous;
};

/// Options of the command line. Unknown ones are ignored, as in the other front ends, because scripts share them.
Options read_options(int argc, char* argv[]) {
    cxxopts::Options parser(argv[0], "ASTRA-sim with a network of flitwise");
    const auto text = [](const char* initial) { return cxxopts::value<std::string>()->default_value(initial); };
    const auto number = [](const char* initial) { return cxxopts::value<double>()->default_value(initial); };
    parser.allow_unrecognised_options().add_options()
        ("workload-configuration", "Prefix of the execution traces PREFIX.RANK.et", cxxopts::value<std::string>())
        ("comm-group-configuration", "Communicator groups", text("empty"))
        ("system-configuration", "System layer", cxxopts::value<std::string>())
        ("remote-memory-configuration", "Remote memory", cxxopts::value<std::string>())
        ("network-configuration", "Scenario of flitwise", cxxopts::value<std::string>())
        ("npus-count", "NPUs per logical dimension, such as 4,2 (default: one dimension of all nodes)",
         cxxopts::value<std::vector<int>>())
        ("bandwidth", "Bandwidth per logical dimension in GB/s, for scheduling policies that read it",
         cxxopts::value<std::vector<double>>())
        ("logging-configuration", "Configuration of the loggers", text("empty"))
        ("logging-folder", "Directory of the log files", text("log"))
        ("num-queues-per-dim", "Queues per logical dimension", cxxopts::value<int>()->default_value("1"))
        ("comm-scale", "Communication scale", number("1"))
        ("injection-scale", "Injection scale", number("1"))
        ("rendezvous-protocol", "Use the rendezvous protocol", cxxopts::value<bool>()->default_value("false"))
        ("help", "Print this help");
    const auto parsed = parser.parse(argc, argv);
    if (parsed.count("help") > 0) {
        std::cout << parser.help();
        std::exit(0);
    }
    for (const char* required : {"workload-configuration", "system-configuration", "remote-memory-configuration",
                                 "network-configuration"}) {
        if (parsed.count(required) == 0) {
            throw std::invalid_argument(std::string("the option --") + required + " is required; --help lists all options");
        }
    }
    Options options;
    options.workload = parsed["workload-configuration"].as<std::string>();
    options.comm_groups = parsed["comm-group-configuration"].as<std::string>();
    options.system = parsed["system-configuration"].as<std::string>();
    options.remote_memory = parsed["remote-memory-configuration"].as<std::string>();
    options.network = parsed["network-configuration"].as<std::string>();
    options.logging = parsed["logging-configuration"].as<std::string>();
    options.logging_directory = parsed["logging-folder"].as<std::string>();
    if (parsed.count("npus-count") > 0) {
        options.npus_count = parsed["npus-count"].as<std::vector<int>>();
    }
    if (parsed.count("bandwidth") > 0) {
        options.bandwidth = parsed["bandwidth"].as<std::vector<double>>();
    }
    options.queues_per_dim = parsed["num-queues-per-dim"].as<int>();
    options.comm_scale = parsed["comm-scale"].as<double>();
    options.injection_scale = parsed["injection-scale"].as<double>();
    options.rendezvous = parsed["rendezvous-protocol"].as<bool>();
    return options;
}

/// Returns the product of the logical dimensions.
int count_ranks(const std::vector<int>& dimensions, int nodes) {
    long long ranks = 1;
    for (const int size : dimensions) {
        ranks *= size;
        if (size < 1 || ranks > nodes) {
            throw std::invalid_argument("--npus-count must be numbers from 1 whose product is at most " +
                                        std::to_string(nodes) + ", the number of nodes of the network");
        }
    }
    return static_cast<int>(ranks);
}

class Simulation {
  public:
    Simulation(const Options& options, Network& network)
        : network_(network), memory_(options.remote_memory),
          dimensions_(options.npus_count.empty() ? std::vector<int>{network.nodes()} : options.npus_count) {
        const int ranks = count_ranks(dimensions_, network.nodes());
        const std::vector<int> queues(dimensions_.size(), options.queues_per_dim);
        for (int rank = 0; rank < ranks; rank++) {
            apis_.push_back(std::make_unique<Api>(rank, network, options.bandwidth));
            systems_.push_back(std::make_unique<AstraSim::Sys>(
                rank, options.workload, options.comm_groups, options.system, &memory_, apis_.back().get(), dimensions_,
                queues, options.injection_scale, options.comm_scale, options.rendezvous));
        }
    }

    /// Runs all ranks to their end. Returns false and sets `error` if one of them cannot finish.
    bool run(std::string& error) {
        for (const auto& system : systems_) {
            system->workload->fire();
        }
        if (!network_.run(error)) {
            return false;
        }
        size_t unfinished = 0;
        for (const auto& system : systems_) {
            unfinished += system->workload->is_finished ? 0 : 1;
        }
        if (unfinished > 0) {
            error = std::to_string(unfinished) + " of " + std::to_string(systems_.size()) +
                    " ranks did not finish: they wait for messages that no rank sends";
        }
        return unfinished == 0;
    }

  private:
    Network& network_;
    Analytical::AnalyticalRemoteMemory memory_;
    std::vector<int> dimensions_;
    std::vector<std::unique_ptr<Api>> apis_;
    std::vector<std::unique_ptr<AstraSim::Sys>> systems_;
};

int simulate(const Options& options) {
    std::string error;
    const std::unique_ptr<Network> network = Network::open(options.network, error);
    if (network == nullptr) {
        std::cerr << "error: " << error << '\n';
        return EXIT_USAGE;
    }
    AstraSim::LoggerFactory::init(options.logging, options.logging_directory);
    bool is_complete = false;
    {
        Simulation simulation(options, *network);
        is_complete = simulation.run(error);
    }
    AstraSim::LoggerFactory::shutdown();
    if (!is_complete) {
        std::cerr << "error: " << error << '\n';
    }
    return is_complete ? 0 : EXIT_RUN_FAILED;
}

} // namespace

int main(int argc, char* argv[]) {
    try {
        return simulate(read_options(argc, argv));
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return EXIT_USAGE;
    }
}
