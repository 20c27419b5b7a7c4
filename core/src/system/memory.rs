//! The memory of the machine, as far as this process may use it.

/// Bytes of memory of the machine, or of the control group of this process if it has a lower limit. `None` where the
/// system does not say: on others than Linux.
pub fn available_to_process() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        use std::fs::read_to_string;
        let machine = read_to_string("/proc/meminfo").ok().and_then(|text| total_of(&text));
        let own_group = read_to_string("/proc/self/cgroup").ok();
        let own_group = own_group.as_deref().and_then(group_of).unwrap_or_default();
        // In a container, the group of the process is mounted as the first one.
        let groups = ["", own_group];
        let limits = groups.into_iter().filter_map(|group| {
            let group = group.trim_matches('/');
            read_to_string(format!("/sys/fs/cgroup/{group}/memory.max")).ok()?.trim().parse().ok()
        });
        machine.into_iter().chain(limits).min()
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The total memory in the text of `/proc/meminfo`, in bytes.
#[cfg(target_os = "linux")]
fn total_of(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The control group (version 2) in the text of `/proc/self/cgroup`.
#[cfg(target_os = "linux")]
fn group_of(cgroup: &str) -> Option<&str> {
    cgroup.lines().find_map(|line| line.strip_prefix("0::"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_that_of_the_machine_or_of_a_group_with_less() {
        let machine = std::fs::read_to_string("/proc/meminfo").expect("Linux has it");
        let found = available_to_process().expect("Linux says it");
        assert!(found > 0 && found <= total_of(&machine).expect("a total"));
        for (text, expected) in [
            ("MemTotal:       24605236 kB\nMemFree: 1 kB\n", Some(24_605_236 * 1024)),
            ("MemFree: 1 kB\n", None),
            ("MemTotal: many kB\n", None),
            ("MemTotal: 5 MB\n", None),
            ("", None),
        ] {
            assert_eq!(total_of(text), expected, "{text:?}");
        }
        let group = "1:name=systemd:/other\n0::/system.slice/daicho.service\n";
        assert_eq!(group_of(group), Some("/system.slice/daicho.service"));
        assert_eq!(group_of("12:memory:/version/1\n"), None);
    }
}
