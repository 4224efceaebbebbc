//! Runs text in a real bash that can start nothing, and tells which programs it wanted to start.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Text with one of these never runs.
const NEVER: &[&str] = &[
    "/bin", "/usr", "/sbin", "/proc", "/sys", "/etc", "/dev/tcp", "/dev/udp", "/tmp", "/root", "/home", "/var", "/opt",
    "/mnt", "/srv", "/run", "../", "exec", "kill", "enable", "hash", "PATH", "ulimit", "set -m", "monitor", "disown",
    "suspend", "LOG_FD",
];

/// Defines the log (one write for each name: those of a pipe must not mix), takes away everything else, runs the text. `$1` is the log, `$2` the text.
const LAUNCHER: &str = "\
ulimit -c 0 -f 1024 -t 2 -u 128 -v 1048576
exec 201>\"$1\"
FUNCNEST=20
command_not_found_handle() { builtin printf '%s\\0' \"${1//$'\\n'/$'\\001\\002'}\" >&201; return 0; }
eval \"$2\"
";

const NOBODY: u32 = 65_534;
const PATIENCE: Duration = Duration::from_secs(3);

/// An empty folder of its own, and whom bash runs as.
pub struct Sandbox {
    folder: PathBuf,
    drop: bool,
}

/// What bash did with a text.
pub struct Ran {
    /// What it wanted to start, in order.
    pub names: Vec<String>,
    pub late: bool,
}

impl Sandbox {
    /// A reason when there is no bash or no way to run it without privileges.
    pub fn new(name: &str) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("ackgate-oracle-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("work")).map_err(|error| error.to_string())?;
        for folder in [&folder, &folder.join("work")] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).map_err(|error| error.to_string())?;
        }
        let own = fs::metadata("/proc/self").map_err(|_| "there is no /proc".to_owned())?;
        let sandbox = Self {
            folder,
            drop: own.uid() == 0,
        };
        match sandbox.run("probe_a; probe_b 2") {
            Ok(ran) if ran.names == ["probe_a", "probe_b"] => Ok(sandbox),
            Ok(_) => Err("bash does not run as it should without privileges".to_owned()),
            Err(why) => Err(why),
        }
    }

    /// Whether it is safe to run at all.
    pub fn is_safe(text: &str) -> bool {
        !text.contains('\0') && !NEVER.iter().any(|never| text.contains(never))
    }

    fn bash(&self) -> Command {
        let mut bash = Command::new("/bin/bash");
        bash.env_clear()
            .env("PATH", "/nonexistent")
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", self.work())
            .current_dir(self.work())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0);
        if self.drop {
            // As root, this also drops the supplementary groups.
            bash.gid(NOBODY).uid(NOBODY);
        }
        bash
    }

    fn work(&self) -> PathBuf {
        self.folder.join("work")
    }

    /// Whether bash finds the text correct. It succeeds after some errors, so its words count; a warning is no error.
    pub fn accepts(&self, text: &str) -> bool {
        let mut bash = self.bash();
        let child = bash.args(["-n", "-c", "--", text]).stderr(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            return false;
        };
        let errors = child.stderr.take();
        let ended = wait(child).is_some_and(|status| status.success());
        let mut words = String::new();
        let read = errors.map(|mut errors| errors.read_to_string(&mut words));
        ended && read.is_some_and(|read| read.is_ok()) && words.lines().all(|line| line.contains("warning:"))
    }

    /// Runs it in the emptied folder.
    pub fn run(&self, text: &str) -> Result<Ran, String> {
        empty(&self.work());
        let log = self.folder.join("log");
        fs::write(&log, "").map_err(|error| error.to_string())?;
        fs::set_permissions(&log, fs::Permissions::from_mode(0o666)).map_err(|error| error.to_string())?;
        let mut bash = self.bash();
        bash.args(["--norc", "-c", LAUNCHER, "bash"]).arg(&log).arg(text);
        let child = bash.spawn().map_err(|error| format!("bash does not start: {error}"))?;
        let late = wait(child).is_none();
        let names = fs::read(&log).map_err(|error| error.to_string())?;
        let names = names
            .split(|byte| *byte == 0)
            .map(|name| String::from_utf8_lossy(name).replace("\u{1}\u{2}", "\n"));
        let mut names: Vec<String> = names.collect();
        names.pop();
        Ok(Ran { names, late })
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Waits, then ends whatever is left of its process group; none when it took too long.
fn wait(mut child: Child) -> Option<ExitStatus> {
    let step = Duration::from_millis(1);
    let mut waited = Duration::ZERO;
    let mut status = None;
    while status.is_none() && waited < PATIENCE {
        status = child.try_wait().ok().flatten();
        if status.is_none() {
            sleep(step);
            waited += step;
        }
    }
    let group = format!("-{}", child.id());
    let _ = Command::new("/bin/kill")
        .args(["-KILL", "--", &group])
        .stderr(Stdio::null())
        .status();
    let _ = child.wait();
    status
}

fn empty(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let _ = match path.is_dir() && !path.is_symlink() {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        };
    }
}
