//! A disk with limited speed: a file mounted as a loop device with its own read-ahead, and a control group whose reads
//! from it are limited. Other processes and disks are not affected. It needs root; errors say what is missing.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Bytes that the file system needs in addition to the files.
const FILE_SYSTEM_BYTES: u64 = 64 << 20;

/// Mount points of control groups, version 1 and version 2.
const CGROUPS_V1: &str = "/sys/fs/cgroup/blkio";
const CGROUPS_V2: &str = "/sys/fs/cgroup";

/// The limits of a disk, per second.
#[derive(Debug, Clone, Copy)]
pub struct Speed {
    pub bytes: u64,
    pub reads: u64,
}

/// A mounted disk; it is unmounted and removed on drop.
pub struct Disk {
    pub folder: PathBuf,
    image: PathBuf,
    device: String,
    is_mounted: bool,
    group: Option<ControlGroup>,
}

impl Disk {
    /// Creates a disk in the folder `parent` for so many bytes of files; the error says why that is impossible.
    pub fn create(parent: &Path, bytes: u64) -> Result<Disk, String> {
        let (folder, image) = (parent.join("disk"), parent.join("disk.image"));
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let file = File::create(&image).and_then(|file| file.set_len(bytes + FILE_SYSTEM_BYTES));
        file.map_err(|error| error.to_string())?;
        let path = image.to_str().ok_or("the target folder is not UTF-8")?;
        run("mkfs.ext4", &["-q", "-m", "0", "-N", "64", "-F", path])?;
        // Direct I/O: pages dropped for the files must not come from cached pages of the image.
        let device = run("losetup", &["--direct-io=on", "-f", "--show", path])?;
        let mut disk = Disk { folder, image, device, is_mounted: false, group: None };
        let mount_point = disk.folder.to_str().ok_or("the target folder is not UTF-8")?;
        run("mount", &["-o", "noatime", &disk.device, mount_point])?;
        disk.is_mounted = true;
        disk.group = Some(ControlGroup::create()?);
        Ok(disk)
    }

    /// Sets the read-ahead and the speed of the disk; `None`: without limits.
    pub fn set(&self, read_ahead_kb: u64, speed: Option<Speed>) -> Result<(), String> {
        let name = self.device.trim_start_matches("/dev/");
        let setting = PathBuf::from(format!("/sys/block/{name}/queue/read_ahead_kb"));
        write(&setting, &read_ahead_kb.to_string())?;
        let device = fs::metadata(&self.device).map_err(|error| error.to_string())?.rdev();
        let device = format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device));
        self.group.as_ref().map_or(Ok(()), |group| group.limit(&device, speed))
    }

    /// A command that runs a program in the limited control group.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new("sh");
        let group = self.group.as_ref().map_or(Path::new("/dev/null"), |group| &group.0);
        let processes = group.join("cgroup.procs");
        command.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(processes).arg(program);
        command
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            let _ = run("umount", &[&self.folder.to_string_lossy()]);
        }
        let _ = run("losetup", &["-d", &self.device]);
        let _ = fs::remove_file(&self.image);
    }
}

/// A control group named by this process's id; removed on drop.
struct ControlGroup(PathBuf);

impl ControlGroup {
    fn create() -> Result<ControlGroup, String> {
        let first = Path::new(CGROUPS_V1);
        let name = format!("daicho-bench-{}", std::process::id());
        let group = match first.join("blkio.throttle.read_iops_device").exists() {
            true => ControlGroup(first.join(name)),
            false => {
                write(&Path::new(CGROUPS_V2).join("cgroup.subtree_control"), "+io")?;
                ControlGroup(Path::new(CGROUPS_V2).join(name))
            }
        };
        fs::create_dir_all(&group.0).map_err(|error| format!("control groups: {error}"))?;
        Ok(group)
    }

    fn limit(&self, device: &str, speed: Option<Speed>) -> Result<(), String> {
        if self.0.starts_with(CGROUPS_V1) {
            let Speed { bytes, reads } = speed.unwrap_or(Speed { bytes: 0, reads: 0 });
            let bytes = format!("{device} {bytes}");
            write(&self.0.join("blkio.throttle.read_bps_device"), &bytes)?;
            let reads = format!("{device} {reads}");
            return write(&self.0.join("blkio.throttle.read_iops_device"), &reads);
        }
        let limits = match speed {
            Some(Speed { bytes, reads }) => format!("rbps={bytes} riops={reads}"),
            None => "rbps=max riops=max".to_owned(),
        };
        write(&self.0.join("io.max"), &format!("{device} {limits}"))
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs a command; returns its standard output, or an error.
fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
