# %% [markdown]
# # A first look at flitwise
#
# This file is a notebook. Jupyter (with jupytext), VS Code and Spyder open it as one, and `python` runs it as a script.
# First run `pip install .` in the checkout of flitwise, and `pip install pandas`.

# %%
import flitwise as fw

# %% [markdown]
# ## Which multicast finishes first?
#
# The network is a 16x16 mesh. A node needs 2000 + 2 m ticks to send m flits, and 3500 + 3 m ticks to receive them. The group
# has 32 random nodes, and there are 16 repetitions. OPT-mesh takes these overheads into account. U-mesh and the binomial tree
# do not.

# %%
machine = {
    "network.mesh": {"shape": [16, 16]},
    "node": {"send_setup": 2000, "send_per_flit": 2, "receive_setup": 3500, "receive_per_flit": 3},
}
multicast = {"algorithms": ["opt-mesh", "u-mesh", "binomial"], "flits": 4096, "group": 32}
run = fw.run({**machine, "workload.multicast": multicast}, repetitions=16)
run

# %%
run.summary[["algorithm", "predicted_mean", "measured_mean", "measured_ci95", "blocked_headers_mean"]]

# %% [markdown]
# ## Does the result depend on the length of the message?

# %%
sweep = fw.sweep(
    {**machine, "workload.multicast": multicast},
    {"workload.multicast.flits": [1, 64, 512, 4096, 32768]},
    repetitions=8,
    progress=True,
)
sweep.plot()

# %% [markdown]
# ## Why is an algorithm slow, and which message blocked which?

# %%
print(run.explain("algorithm=binomial,repetition=0"))

# %% [markdown]
# The table of links shows where: the flits on each link, and the time for which messages waited for it.

# %%
links = run.links
links[links.algorithm == "binomial"].nlargest(5, "waited")[["repetition", "channel", "flits", "utilisation", "waited"]]

# %% [markdown]
# ## A measured machine
#
# `fit` converts the output of `osu_latency` into the costs of nodes. Here, a tick is a nanosecond, and a flit has eight bytes.

# %%
measured = """# OSU MPI Latency Test v7.3
# Size          Latency (us)
8               1.71
64              1.73
512             1.96
4096            3.41
32768           11.20
262144          73.10
"""
fit = fw.fit(measured, tick="1ns", flit_bytes=8, model="parameterised")
fitted = fw.run(
    {
        **fit.keys,
        "network.mesh.shape": [8, 8],
        "workload.multicast": {"algorithms": ["opt-mesh", "u-mesh"], "flits": 512, "group": 24},
    },
    repetitions=8,
)
fitted

# %% [markdown]
# ## Your own messages
#
# `simulate` takes and returns arrays. This cell sends 100,000 messages between random nodes of a 32x32 mesh.

# %%
import numpy as np

random = np.random.default_rng(2)
count = 100_000
messages = {
    "src": random.integers(0, 1024, count),
    "dst": random.integers(0, 1024, count),
    "flits": 8,
    "start": np.sort(random.integers(0, 20_000, count)),
}
done = fw.simulate({"network.mesh": {"shape": [32, 32]}}, messages)
latency = done.delivered - messages["start"]
print(done)
print("median latency:", np.median(latency), "ticks; 99th percentile:", np.percentile(latency, 99), "ticks")

# %% [markdown]
# ## A deadlock
#
# Four messages go round a ring with one virtual channel. Each holds the channel that the message behind it waits for.

# %%
ring = {"network.torus.shape": [4], "channel.virtual_channels": 1}
around = {"src": [0, 1, 2, 3], "dst": [2, 3, 0, 1], "flits": 10}
try:
    fw.simulate(ring, around)
except fw.Deadlock as deadlock:
    print(deadlock)
    print("the cycle:", deadlock.cycle)

# %% [markdown]
# With two virtual channels and a dateline, the deadlock is not possible.

# %%
fw.simulate(ring, around, set={"channel.virtual_channels": 2}).delivered
