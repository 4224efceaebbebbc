//! What is known of programs: which run code given to them, and which have subcommands.

/// Programs whose arguments are code, or that run another program or what they fetch: an allow for their name alone
/// lets anything run.
const CODE: [&str; 79] = [
    "ash",
    "at",
    "awk",
    "bash",
    "batch",
    "bun",
    "bunx",
    "busybox",
    "chroot",
    "cmd",
    "command",
    "crontab",
    "csh",
    "curl",
    "dash",
    "deno",
    "doas",
    "docker-compose",
    "ed",
    "emacs",
    "env",
    "eval",
    "ex",
    "exec",
    "expect",
    "fd",
    "fdfind",
    "find",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "ionice",
    "irb",
    "just",
    "ksh",
    "less",
    "lua",
    "make",
    "man",
    "mawk",
    "more",
    "nice",
    "node",
    "nohup",
    "npx",
    "nvim",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pipx",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "R",
    "rsync",
    "ruby",
    "scp",
    "script",
    "sed",
    "setsid",
    "sftp",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "tar",
    "time",
    "timeout",
    "tsx",
    "uvx",
    "vi",
    "vim",
];

/// The same, more.
const CODE_TOO: [&str; 8] = ["watch", "wget", "xargs", "zip", "zsh", "tclsh", "ts-node", "rg"];

/// Subcommands that run code.
const CODE_SUBCOMMANDS: [(&str, &str); 22] = [
    ("bundle", "exec"),
    ("cargo", "run"),
    ("docker", "exec"),
    ("docker", "run"),
    ("dotnet", "run"),
    ("git", "bisect"),
    ("git", "filter-branch"),
    ("git", "rebase"),
    ("git", "submodule"),
    ("go", "generate"),
    ("go", "run"),
    ("kubectl", "exec"),
    ("kubectl", "run"),
    ("npm", "exec"),
    ("npm", "x"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("podman", "exec"),
    ("podman", "run"),
    ("uv", "run"),
    ("yarn", "dlx"),
    ("yarn", "exec"),
];

/// Programs whose second word says what they do.
const WITH_SUBCOMMANDS: [&str; 24] = [
    "apt",
    "aws",
    "az",
    "brew",
    "bundle",
    "cargo",
    "composer",
    "docker",
    "dotnet",
    "gcloud",
    "gh",
    "git",
    "go",
    "helm",
    "kubectl",
    "npm",
    "pip",
    "pnpm",
    "podman",
    "poetry",
    "systemctl",
    "terraform",
    "uv",
    "yarn",
];

/// Programs that only show something, whatever their arguments are.
const SHOWS: [&str; 24] = [
    "basename",
    "cat",
    "cmp",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "file",
    "grep",
    "head",
    "id",
    "ls",
    "md5sum",
    "pwd",
    "realpath",
    "sha256sum",
    "stat",
    "tail",
    "uname",
    "wc",
    "whoami",
];

/// The program's arguments can be code, or what it runs is not in its name.
#[must_use]
pub fn runs_code(program: &str, second: Option<&str>) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let versioned = |known: &&str| {
        let rest = name.strip_prefix(*known);
        rest.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    };
    CODE.iter().chain(&CODE_TOO).any(versioned)
        || second.is_some_and(|second| CODE_SUBCOMMANDS.contains(&(name, second)))
}

/// The words that a remembered prefix may pin: enough to say what is done, `None` where only the whole call says it.
#[must_use]
pub fn telling_prefix(words: &[String]) -> Option<&[String]> {
    let (program, second) = (words.first()?.as_str(), words.get(1).map(String::as_str));
    if runs_code(program, second) {
        return None;
    }
    if SHOWS.contains(&program) {
        return words.get(..1);
    }
    if !WITH_SUBCOMMANDS.contains(&program) {
        return None;
    }
    let plain = |word: &&str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.starts_with('-')
    };
    let second = second.filter(plain)?;
    let script = second == "run" && matches!(program, "npm" | "pnpm" | "yarn");
    let nested = matches!(program, "gh" | "aws" | "az" | "gcloud" | "poetry") || script;
    if !nested {
        return words.get(..2);
    }
    let third = words.get(2)?;
    let named = |word: &str| {
        !word.starts_with('-')
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_:.".contains(&byte))
    };
    if named(third) { words.get(..3) } else { None }
}
