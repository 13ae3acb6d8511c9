//! How much memory may be taken on this machine: the one place of the library that asks the system.

use super::Limit;

impl Limit {
    /// What is `asked` for, if anything is and there is as much; else what is there.
    pub fn within_available(asked: Option<Self>) -> Self {
        let there = Self::available(available());
        asked.filter(|asked| asked.bytes <= there.bytes).unwrap_or(there)
    }
}

/// What the machine has left, but no more than a container is allowed, or the process itself has left of its own limits; a
/// container's own count of what is free takes the page cache for used, so its limit is what counts.
fn available() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    // memory is given out in large pieces, and an estimate may be a little short: some of it stays
    let own = left_of_limits().map_or(u64::MAX, |left| left - left / 8);
    system.available_memory().min(group).min(own)
}

/// What the process may still take of its address space and its data, where they are limited (`ulimit -v`, `ulimit -d`).
fn left_of_limits() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let space = left(&limits, "Max address space", &status, "VmSize:");
    let data = left(&limits, "Max data size", &status, "VmData:");
    space.into_iter().chain(data).min()
}

/// What is left of the soft limit called `limit`, if there is one, where `status` says how much is `used`, in kB.
fn left(limits: &str, limit: &str, status: &str, used: &str) -> Option<u64> {
    let soft = limits.lines().find_map(|line| line.strip_prefix(limit))?.split_whitespace().next()?;
    let most: u64 = soft.parse().ok()?; // or `unlimited`
    let line = status.lines().find_map(|line| line.strip_prefix(used))?;
    let used: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(most.saturating_sub(used * 1024))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_the_process_count_as_far_as_they_are_not_used_up() {
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max data size             unlimited            unlimited            bytes\n\
                      Max address space         6000000000           unlimited            bytes\n";
        let status = "VmPeak:\t 2000 kB\nVmSize:\t  1000 kB\nVmData:\t  500 kB\n";
        assert_eq!(left(limits, "Max address space", status, "VmSize:"), Some(6_000_000_000 - 1_024_000));
        assert_eq!(left(limits, "Max data size", status, "VmData:"), None);
    }
}
