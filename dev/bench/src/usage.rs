//! What a process has used, as Linux tells it in `/proc`.

use std::fs;
use std::time::Duration;

/// The kernel counts processor time for us in hundredths of a second, on every architecture.
const TICK: Duration = Duration::from_millis(10);

/// Processor time of the process with all its threads, its own and the kernel's on its behalf.
pub(crate) fn cpu(pid: u32) -> Result<Duration, String> {
    cpu_of(&read(pid, "stat")?).ok_or_else(|| unreadable(pid, "stat"))
}

/// The most memory the process has held since [`forget_peak`], in kB.
pub(crate) fn peak_kb(pid: u32) -> Result<u64, String> {
    peak_of(&read(pid, "status")?).ok_or_else(|| unreadable(pid, "status"))
}

/// From now on the peak is counted anew.
pub(crate) fn forget_peak(pid: u32) -> Result<(), String> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5").map_err(|error| cannot(pid, &error))
}

/// The command's name may hold spaces and parentheses, so counting begins after its end.
fn cpu_of(stat: &str) -> Option<Duration> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * (user + system))
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

fn read(pid: u32, file: &str) -> Result<String, String> {
    fs::read_to_string(format!("/proc/{pid}/{file}")).map_err(|error| cannot(pid, &error))
}

fn cannot(pid: u32, error: &std::io::Error) -> String {
    format!(
        "What process {pid} uses cannot be read from /proc ({error}): cargo dev bench needs Linux, and Viceroy still running."
    )
}

fn unreadable(pid: u32, file: &str) -> String {
    format!("/proc/{pid}/{file} does not look as Linux writes it.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_found_behind_any_name() {
        let stat = "71 (a) b (c) S 1 71 71 0 -1 4194304 100 0 0 0 120 30 5 5 20 0 4 0 900 1 2";
        assert_eq!(cpu_of(stat), Some(Duration::from_millis(1500)));
        assert_eq!(cpu_of("71 (viceroy) S 1"), None);
        assert_eq!(cpu_of(""), None);
    }

    #[test]
    fn the_peak_is_the_high_water_mark() {
        let status =
            "Name:\tviceroy\nVmPeak:\t  900000 kB\nVmHWM:\t   81234 kB\nVmRSS:\t 70000 kB\n";
        assert_eq!(peak_of(status), Some(81_234));
        assert_eq!(peak_of("Name:\tviceroy\n"), None);
    }
}
