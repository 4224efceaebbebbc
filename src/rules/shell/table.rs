//! The wrappers and their options, as data.

use super::model::Role;

/// Shells that take `-c`.
pub(super) const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash"];

/// What follows the options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// A command's words.
    Words,
    /// A command's words, run in the same shell.
    Here,
    /// A command's words, which get more words at run time.
    Fed,
    /// Words that are joined to text for a shell.
    Joined,
}

/// How a wrapper reads its words.
#[derive(Debug)]
pub(super) struct Wrapper {
    names: &'static [&'static str],
    /// As for getopt: `a` is a flag, `b:` takes a value, `c::` takes one that is attached.
    pub short: &'static str,
    /// `name` is a flag, `name=` takes a value, `name?` takes one that is attached.
    pub long: &'static str,
    /// Words between the options and the command.
    pub operands: usize,
    /// `NAME=value` before the command.
    pub assigns: bool,
    /// Options may stand after the operands.
    pub late: bool,
    /// Options may stand anywhere: all other words are operands.
    pub permutes: bool,
    pub then: Then,
    pub role: Role,
    /// Options whose value is text for a shell.
    pub code: &'static [&'static str],
    /// Options with which it runs nothing.
    pub idle: &'static [&'static str],
    /// Options whose value is the directory to run in.
    pub directory: &'static [&'static str],
    /// It runs in another root or on another machine.
    pub elsewhere: bool,
    /// Without a command it starts a shell.
    pub shell_alone: bool,
    /// With these options and without a command it starts a shell.
    pub shell_option: &'static [&'static str],
}

const PLAIN: Wrapper = Wrapper {
    names: &[],
    short: "",
    long: "",
    operands: 0,
    assigns: false,
    late: false,
    permutes: false,
    then: Then::Words,
    role: Role::Through,
    code: &[],
    idle: &[],
    directory: &[],
    elsewhere: false,
    shell_alone: false,
    shell_option: &[],
};

static WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["env"],
        short: "0a:iu:C:S:v",
        long: "argv0= ignore-environment null unset= chdir= split-string= block-signal? default-signal? \
               ignore-signal? list-signal-handling debug",
        assigns: true,
        directory: &["C", "chdir"],
        ..PLAIN
    },
    Wrapper {
        names: &["command"],
        short: "pvV",
        idle: &["v", "V"],
        then: Then::Here,
        ..PLAIN
    },
    Wrapper {
        names: &["builtin"],
        then: Then::Here,
        ..PLAIN
    },
    Wrapper {
        names: &["exec"],
        short: "a:cl",
        ..PLAIN
    },
    Wrapper {
        names: &["nice"],
        short: "n:0123456789",
        long: "adjustment=",
        ..PLAIN
    },
    Wrapper {
        names: &["ionice"],
        short: "c:n:p:P:u:t",
        long: "class= classdata= pid= pgid= uid= ignore",
        idle: &["p", "P", "u", "pid", "pgid", "uid"],
        ..PLAIN
    },
    Wrapper {
        names: &["nohup"],
        ..PLAIN
    },
    Wrapper {
        names: &["setsid"],
        short: "cfw",
        long: "ctty fork wait",
        ..PLAIN
    },
    Wrapper {
        names: &["time"],
        short: "f:o:apqvV",
        long: "format= output= append portability quiet verbose",
        role: Role::Both,
        ..PLAIN
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        short: "k:s:fpv",
        long: "kill-after= signal= foreground preserve-status verbose",
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["stdbuf"],
        short: "i:o:e:",
        long: "input= output= error=",
        ..PLAIN
    },
    Wrapper {
        names: &["unbuffer"],
        short: "p",
        ..PLAIN
    },
    Wrapper {
        names: &["caffeinate"],
        short: "disumt:w:",
        ..PLAIN
    },
    Wrapper {
        names: &["taskset"],
        short: "acp",
        long: "all-tasks cpu-list pid",
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["busybox", "toybox"],
        ..PLAIN
    },
    Wrapper {
        names: &["flock"],
        short: "c:E:eFnosuw:x",
        long: "command= timeout= wait= conflict-exit-code= exclusive shared unlock nonblock nb close no-fork verbose",
        operands: 1,
        late: true,
        code: &["c", "command"],
        ..PLAIN
    },
    Wrapper {
        names: &["watch"],
        short: "bCced::ghn:pq:rtvwx",
        long: "beep color no-color differences? errexit chgexit equexit= interval= precise no-rerun no-title no-wrap \
               exec",
        then: Then::Joined,
        ..PLAIN
    },
    Wrapper {
        names: &["xargs", "gxargs"],
        short: "0a:d:E:e::I:i::J:L:l::n:oP:pR:rs:S:tx",
        long: "null arg-file= delimiter= eof? replace? max-lines? max-args= max-procs= interactive no-run-if-empty \
               max-chars= verbose exit open-tty process-slot-var= show-limits",
        then: Then::Fed,
        ..PLAIN
    },
    Wrapper {
        names: &["strace"],
        short: "a:b:cCdDe:E:fFhiI:kno:O:p:P:qrs:S:tTu:U:vVwX:xyYzZ",
        role: Role::Both,
        ..PLAIN
    },
    Wrapper {
        names: &["sudo"],
        short: "ABbC:D:Eeg:Hh:iKklNnPp:R:r:SsT:t:U:u:Vv",
        long: "askpass background bell close-from= chdir= preserve-env? edit group= set-home host= login \
               remove-timestamp reset-timestamp list non-interactive preserve-groups prompt= chroot= role= stdin shell \
               type= command-timeout= other-user= user= version validate no-update",
        assigns: true,
        role: Role::Both,
        idle: &["e", "edit"],
        directory: &["D", "chdir"],
        shell_option: &["i", "s", "login", "shell"],
        ..PLAIN
    },
    Wrapper {
        names: &["doas"],
        short: "C:Lnsu:",
        role: Role::Both,
        shell_option: &["s"],
        ..PLAIN
    },
    Wrapper {
        names: &["pkexec"],
        long: "user= disable-internal-agent keep-cwd",
        role: Role::Both,
        elsewhere: true,
        shell_alone: true,
        ..PLAIN
    },
    Wrapper {
        names: &["su"],
        short: "c:fg:G:lmpPs:T:w:",
        long: "command= session-command= fast group= supp-group= login preserve-environment pty shell= \
               whitelist-environment=",
        permutes: true,
        role: Role::Both,
        code: &["c", "command", "session-command"],
        elsewhere: true,
        shell_alone: true,
        ..PLAIN
    },
    Wrapper {
        names: &["runuser"],
        short: "c:fg:G:lmpPs:T:u:w:",
        long: "command= session-command= fast group= supp-group= login preserve-environment pty shell= user= \
               whitelist-environment=",
        role: Role::Both,
        code: &["c", "command", "session-command"],
        elsewhere: true,
        shell_alone: true,
        ..PLAIN
    },
    Wrapper {
        names: &["chroot"],
        long: "userspec= groups= skip-chdir",
        operands: 1,
        role: Role::Both,
        elsewhere: true,
        shell_alone: true,
        ..PLAIN
    },
    Wrapper {
        names: &["script"],
        short: "aB:c:E:efI:O:m:o:qT:t::",
        long: "append command= echo= return flush force log-in= log-out= log-io= logging-format= output-limit= quiet \
               log-timing= timing?",
        permutes: true,
        role: Role::Both,
        code: &["c", "command"],
        shell_alone: true,
        ..PLAIN
    },
    Wrapper {
        names: &["ssh"],
        short: "46AaB:b:Cc:D:E:e:F:fGgI:i:J:KkL:l:Mm:NnO:o:P:p:Q:qR:S:sTtVvW:w:XxYy",
        operands: 1,
        late: true,
        then: Then::Joined,
        role: Role::Both,
        elsewhere: true,
        shell_alone: true,
        ..PLAIN
    },
    Wrapper {
        names: &["parallel"],
        short: "0a:d:I:j:kL:l::mN:n:P:qrS:s:tuvX",
        long: "null arg-file= delimiter= jobs= keep-order max-args= halt= eta bar progress dry-run quote tag verbose \
               no-run-if-empty colsep= joblog= results= timeout= retries= will-cite",
        then: Then::Fed,
        role: Role::Both,
        shell_alone: true,
        ..PLAIN
    },
];

/// How `name` reads its words, if it is a wrapper.
pub(super) fn find(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))
}
