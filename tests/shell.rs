//! What the analyser tells about command lines: a corpus, tables by subject, bombs, and laws for generated text.
#![cfg(not(target_family = "wasm"))]

use ackgate::rules::shell::{Analysis, Command, Limits, Piece, Role, Word, analyse};
use proptest::prelude::*;
use serde_json::Value;

fn read(text: &str) -> Analysis {
    analyse(text, &Limits::default())
}

/// A word as the tables write it: `…` for what is open.
fn word(word: &Word) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) | Piece::Glob(text) => text.clone(),
        Piece::Open(_) => "…".to_owned(),
    };
    word.pieces.iter().map(piece).collect()
}

fn words(command: &Command) -> Vec<String> {
    let assigned = command.assignments.iter();
    let assigned = assigned.map(|assignment| format!("{}={}", assignment.name, word(&assignment.value)));
    assigned.chain(command.words.iter().map(word)).collect()
}

/// A command as the tables write it: `^` runs others, `&` does so beside itself, `?` is unknown, `!` hidden.
fn line(command: &Command) -> String {
    let mut parts = words(command);
    parts.extend(match command.role {
        Role::Plain => None,
        Role::Through => Some("^".to_owned()),
        Role::Both => Some("&".to_owned()),
    });
    let unknown = command.unknown.as_ref();
    parts.extend(unknown.map(|unknown| if unknown.hidden { "!" } else { "?" }.to_owned()));
    parts.join(" ")
}

fn lines(analysis: &Analysis) -> Vec<String> {
    analysis.commands.iter().map(line).collect()
}

fn check(table: &[(&str, &[&str])]) {
    for (text, expected) in table {
        let analysis = read(text);
        assert_eq!(analysis.unread, None, "{text}");
        assert_eq!(lines(&analysis), *expected, "{text}");
    }
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn the_corpus_is_read_as_written() {
    let corpus: Vec<Value> = serde_json::from_str(include_str!("shell/corpus.json")).unwrap();
    assert!(corpus.len() > 100);
    for case in corpus {
        let text = case["text"].as_str().unwrap();
        let analysis = read(text);
        assert_eq!(
            analysis.unread.is_some(),
            case["unread"] == true,
            "{text:?}: {:?}",
            analysis.unread
        );
        if analysis.unread.is_some() {
            continue;
        }
        let expected: Vec<Vec<String>> = case["commands"].as_array().unwrap().iter().map(strings).collect();
        let found: Vec<Vec<String>> = analysis.commands.iter().map(words).collect();
        assert_eq!(found, expected, "{text:?}");
        let writes: Vec<String> = analysis.writes.iter().map(|write| word(&write.target)).collect();
        assert_eq!(writes, strings(&case["writes"]), "{text:?}");
        let unknown: Vec<usize> = (0..found.len())
            .filter(|index| analysis.commands[*index].unknown.is_some())
            .collect();
        let expected: Vec<usize> = serde_json::from_value(case["unknown"].clone()).unwrap_or_default();
        assert_eq!(unknown, expected, "{text:?}");
    }
}

#[test]
fn wrappers_are_looked_through() {
    check(&[
        ("env -i A=1 rm x", &["env -i A=1 rm x ^", "A=1 rm x"]),
        ("env A=$B rm x", &["env A=… rm x !", "rm x", "x"]),
        ("env \"A=$B\" rm x", &["env A=… rm x ^", "A=… rm x"]),
        ("env a-b=1 rm x", &["env a-b=1 rm x ^", "a-b=1 rm x"]),
        ("env -u HOME -C d rm x", &["env -u HOME -C d rm x ^", "rm x"]),
        ("env -S 'A=1 rm -r' x", &["env -S A=1 rm -r x ^", "A=1 rm -r x"]),
        ("env -vS'rm \"a b\"'", &["env -vSrm \"a b\" ^", "rm a b"]),
        (
            "env --split-string='rm ${X}' y",
            &["env --split-string=rm ${X} y !", "rm … y"],
        ),
        ("env", &["env"]),
        (
            "FOO=1 timeout -k 3 5 rm x",
            &["FOO=1 timeout -k 3 5 rm x ^", "FOO=1 rm x"],
        ),
        (
            "A=1 sh -c 'rm x; B=2 ls'",
            &["A=1 sh -c rm x; B=2 ls ^", "A=1 rm x", "A=1 B=2 ls"],
        ),
        ("timeout \"$T\" rm x", &["timeout … rm x !", "rm x", "x"]),
        ("timeout 5s \"$X\"", &["timeout 5s … ^", "… !"]),
        ("command -v rm", &["command -v rm"]),
        ("command -p rm x", &["command -p rm x ^", "rm x"]),
        (
            "builtin command rm x",
            &["builtin command rm x ^", "command rm x ^", "rm x"],
        ),
        ("exec -a n rm x", &["exec -a n rm x ^", "rm x"]),
        ("exec 3>f", &["exec"]),
        ("nice -n 10 rm x", &["nice -n 10 rm x ^", "rm x"]),
        ("nice -10 rm x", &["nice -10 rm x ^", "rm x"]),
        ("nice", &["nice"]),
        ("ionice -c2 -n7 rm x", &["ionice -c2 -n7 rm x ^", "rm x"]),
        ("ionice -p 5", &["ionice -p 5"]),
        (
            "nohup setsid -w rm x",
            &["nohup setsid -w rm x ^", "setsid -w rm x ^", "rm x"],
        ),
        ("stdbuf -oL --error=0 rm x", &["stdbuf -oL --error=0 rm x ^", "rm x"]),
        ("time -p rm x", &["rm x"]),
        ("\\time -o f rm x", &["time -o f rm x &", "rm x"]),
        ("flock -n f rm x", &["flock -n f rm x ^", "rm x"]),
        ("flock f -c 'rm x'", &["flock f -c rm x ^", "rm x"]),
        ("strace -f -o o rm x", &["strace -f -o o rm x &", "rm x"]),
        ("busybox rm x", &["busybox rm x ^", "rm x"]),
        ("watch -n1 'rm x | ls'", &["watch -n1 rm x | ls ^", "rm x", "ls"]),
        ("watch -x rm 'a b'", &["watch -x rm a b ^", "rm a b"]),
        ("xargs -0 -n1 rm -r", &["xargs -0 -n1 rm -r ^", "rm -r ?"]),
        ("xargs", &["xargs"]),
        (
            "xargs -I% sh -c 'rm %'",
            &["xargs -I% sh -c rm % ^", "sh -c rm % ?", "rm %"],
        ),
        (
            "parallel 'rm {}; ls' ::: a",
            &["parallel rm {}; ls ::: a & ?", "rm {}", "ls"],
        ),
        ("script -qc 'rm x' o", &["script -qc rm x o &", "rm x"]),
        ("script o", &["script o ?"]),
        ("/usr/bin/env rm x", &["/usr/bin/env rm x ^", "rm x"]),
    ]);
}

#[test]
fn raised_privileges_and_other_machines_count_themselves() {
    check(&[
        ("sudo -u bob rm x", &["sudo -u bob rm x &", "rm x"]),
        ("sudo A=1 -n rm x", &["sudo A=1 -n rm x &", "A=1 rm x"]),
        ("sudo --user=bob -- rm x", &["sudo --user=bob -- rm x &", "rm x"]),
        ("sudo -i", &["sudo -i ?"]),
        ("sudo -e f", &["sudo -e f"]),
        ("sudo -l", &["sudo -l"]),
        ("doas -u b rm x", &["doas -u b rm x &", "rm x"]),
        ("su - bob -c 'rm x'", &["su - bob -c rm x &", "rm x"]),
        ("su bob", &["su bob ?"]),
        ("chroot /r rm x", &["chroot /r rm x &", "rm x"]),
        ("chroot /r", &["chroot /r ?"]),
        ("ssh -p 2 h rm -r x", &["ssh -p 2 h rm -r x &", "rm -r x"]),
        ("ssh h 'cd /; rm x'", &["ssh h cd /; rm x &", "cd /", "rm x"]),
        ("ssh h", &["ssh h ?"]),
        ("ssh -oProxyCommand=x h ls", &["ssh -oProxyCommand=x h ls & !", "ls"]),
        ("find . -exec rm {} \\;", &["find . -exec rm {} ; &", "rm …"]),
        (
            "find . -ok rm {} + -execdir mv {} y ';'",
            &["find . -ok rm {} + -execdir mv {} y ; &", "rm …", "mv … y"],
        ),
        ("find . -exec rm {}", &["find . -exec rm {} & ?", "rm …"]),
        ("find . -delete", &["find . -delete"]),
        ("find $D -name x", &["find … -name x !"]),
        ("find \"$D\" -name x", &["find … -name x"]),
        ("fd x -x rm {/}", &["fd x -x rm {/} &", "rm …"]),
        ("fd -tfx rm", &["fd -tfx rm ?", "rm"]),
    ]);
}

#[test]
fn text_for_a_shell_is_read() {
    check(&[
        ("sh -c 'rm x; ls'", &["sh -c rm x; ls ^", "rm x", "ls"]),
        (
            "bash -euo pipefail -c 'rm x'",
            &["bash -euo pipefail -c rm x ^", "rm x"],
        ),
        ("bash -c -x 'rm x'", &["bash -c -x rm x ^", "rm x"]),
        (
            "bash --norc +x -lc 'rm x' a b",
            &["bash --norc +x -lc rm x a b ^", "rm x"],
        ),
        ("bash -c \"$P\"", &["bash -c … !"]),
        ("bash -c \"rm $x\"", &["bash -c rm … !", "rm …"]),
        ("sh -c '\"$@\"' _ rm x", &["sh -c \"$@\" _ rm x ^", "… !"]),
        ("sh -c 'rm \"x'", &["sh -c rm \"x !", "rm x"]),
        ("sh -c ''", &["sh -c "]),
        ("sh -c '>f'", &["sh -c >f"]),
        ("sh s.sh", &["sh s.sh ?"]),
        ("sh < s.sh", &["sh ?"]),
        ("echo x | sh", &["echo x", "sh ?"]),
        ("busybox sh", &["busybox sh ^", "sh ?"]),
        ("bash --version", &["bash --version"]),
        ("bash --weird -c 'rm x'", &["bash --weird -c rm x ?", "rm x"]),
        (
            "sh -c 'sh -c \"rm x\"'",
            &["sh -c sh -c \"rm x\" ^", "sh -c rm x ^", "rm x"],
        ),
        ("eval rm x", &["eval rm x ^", "rm x"]),
        ("eval \"r\"\"m -r x\"", &["eval rm -r x ^", "rm -r x"]),
        ("eval \"$x\"", &["eval … !"]),
        ("eval rm $x", &["eval rm … !", "rm …"]),
        ("trap 'rm x' EXIT", &["trap rm x EXIT ^", "rm x"]),
        ("trap - EXIT", &["trap - EXIT"]),
        ("trap \"$x\" EXIT", &["trap … EXIT !"]),
        ("alias q='rm x'", &["alias q=rm x ?", "rm x"]),
        ("mapfile -C 'rm x' a", &["mapfile -C rm x a ?", "rm x"]),
        ("compgen -C 'rm x'", &["compgen -C rm x ?", "rm x"]),
        ("jobs -x rm %1", &["jobs -x rm %1 !", "rm %1"]),
    ]);
}

#[test]
fn what_cannot_be_told_is_unknown() {
    check(&[
        ("$X rm y", &["… rm y !", "rm y"]),
        ("r?m x", &["r?m x !"]),
        ("{rm,x}", &["… !"]),
        ("~u/x", &["…/x !"]),
        ("env --weird x rm y", &["env --weird x rm y ?", "x rm y", "rm y", "y"]),
        ("env $X rm y", &["env … rm y !", "rm y", "y"]),
        ("source f", &["source f ?"]),
        (". ./f", &[". ./f ?"]),
        ("enable -n test", &["enable -n test ?"]),
        ("shopt -s extglob", &["shopt -s extglob ?"]),
        ("set -k", &["set -k ?"]),
        ("set -euo pipefail", &["set -euo pipefail"]),
        ("set -- $x", &["set -- …"]),
        ("hash -p /x/rm ls", &["hash -p /x/rm ls !"]),
        ("hash -r", &["hash -r"]),
        ("complete -C x y", &["complete -C x y ?"]),
        ("bind -x '\"a\": rm'", &["bind -x \"a\": rm ?"]),
    ]);
}

#[test]
fn what_evaluates_variables_is_unknown_and_hidden_when_code_stands_in_the_text() {
    check(&[
        ("echo $((1+0x1F*(2#101)))", &["echo …"]),
        ("((1+2))", &[]),
        ("echo $((a))", &["echo … ?"]),
        ("a='b[$(rm x)]'; echo $((a))", &["a=b[$(rm x)]", "echo … !"]),
        ("((a))", &["?"]),
        ("for ((i=0;i<3;i++)); do ls; done", &["?", "ls"]),
        ("[[ a -eq 1 ]]", &["?"]),
        ("[[ 1 -lt -2 ]]", &[]),
        ("[[ -v x ]]", &[]),
        ("[[ -v 'a[$(x)]' ]]", &["!"]),
        ("test -v 'a[$(x)]'", &["test -v a[$(x)] !"]),
        ("test -v a", &["test -v a"]),
        ("[ $x = 1 ]", &["[ … = 1 ] ?"]),
        ("[ \"$x\" = 1 ]", &["[ … = 1 ]"]),
        ("echo ${x@P}", &["echo … ?"]),
        ("echo ${!x}", &["echo … ?"]),
        (
            "echo ${!x@} ${!x[@]} ${#x} ${x:1:2} ${x[0]} ${x[*]}",
            &["echo … … … … … …"],
        ),
        ("echo ${x:n}", &["echo … ?"]),
        ("echo ${x[n]}", &["echo … ?"]),
        ("a[1]=x", &["a=…"]),
        ("a[i]=x", &["a=… ?"]),
        ("let 'a[$(rm x)]=1'", &["let a[$(rm x)]=1 !"]),
        ("declare -i x=1", &["declare -i x=1 ?"]),
        ("declare \"$x\"", &["declare … ?"]),
        ("export X=$y", &["export X=…"]),
        ("printf -v 'a[$(x)]' y", &["printf -v a[$(x)] y !"]),
        ("printf '%s' \"$x\"", &["printf %s …"]),
        ("read -p '[y/n]' a", &["read -p [y/n] a"]),
        ("read 'a[$(x)]'", &["read a[$(x)] !"]),
        ("unset 'a[$(x)]'", &["unset a[$(x)] !"]),
        ("wait -p 'a[$(x)]'", &["wait -p a[$(x)] !"]),
        ("PS4='$(rm x)' ls", &["PS4=$(rm x) ls !"]),
        ("declare -a 'x=($(rm y))'", &["declare -a x=($(rm y)) !"]),
        ("declare -a x=(1 2) y=\"$z\"", &["declare -a x=… y=… ?"]),
        ("declare -a x=(1 $(b))", &["declare -a x=…", "b"]),
        ("local x=\"$1\"", &["local x=…"]),
        ("a=(); declare a=\"$1\"", &["a=…", "declare a=… ?"]),
        ("RANDOM='a[$(rm x)]'", &["RANDOM=a[$(rm x)] !"]),
        ("OPTIND=1", &["OPTIND=1"]),
        ("read OPTIND", &["read OPTIND ?"]),
        ("for RANDOM in 1; do a; done", &["RANDOM=… ?", "a"]),
        ("BASH_CMDS[ls]=/bin/rm; ls", &["BASH_CMDS=… !", "ls"]),
        ("compgen -W '$(rm x)'", &["compgen -W $(rm x) !"]),
        ("echo ${x:='b[\\$(rm x)]'}$((x))", &["echo …… !"]),
        ("echo ${x:=b[\\$(rm x)]}$((x))", &["echo …… !"]),
    ]);
}

#[test]
fn writes_are_targets_of_redirects() {
    let cases: &[(&str, &[&str])] = &[
        ("a > f 2>> g >| h", &["f", "g", "h"]),
        ("a &> f; b &>> g", &["f", "g"]),
        ("a <> f", &["f"]),
        ("a >& f; b >&2file", &["f", "2file"]),
        ("a 2>&1 >&- 3>&2- <&4", &[]),
        (">&-f rm x", &[]),
        ("a >&$X", &["…"]),
        ("a {fd}> f", &["f"]),
        ("a > /dev/null 2> /dev/stderr > /dev/stdout", &[]),
        ("a < f <<< x", &[]),
        ("{ a; } > f; (b) > g", &["f", "g"]),
        ("while a; do b; done > f", &["f"]),
        ("> \"$PWD/f\"", &["…/f"]),
        ("sh -c 'a > f'", &["f"]),
        ("a > ./d/../f", &["./d/../f"]),
    ];
    for (text, expected) in cases {
        let analysis = read(text);
        assert_eq!(analysis.unread, None, "{text}");
        let targets: Vec<String> = analysis.writes.iter().map(|write| word(&write.target)).collect();
        assert_eq!(targets, *expected, "{text}");
    }
}

/// Where the last command runs.
fn last_directories(text: &str) -> Option<Vec<String>> {
    let analysis = read(text);
    assert_eq!(analysis.unread, None, "{text}");
    analysis.commands.last()?.directories.clone()
}

#[test]
fn directories_follow_cd() {
    let cases: &[(&str, &[&str])] = &[
        ("x", &["."]),
        ("cd a && x", &["a"]),
        ("cd a; x", &["a", "."]),
        ("cd a\nx", &["a", "."]),
        ("cd a || exit; x", &["a"]),
        ("cd a || { echo no; exit 1; }; x", &["a"]),
        ("cd a || return; x", &["a", "."]),
        ("cd a || exit 1 2; x", &["a", "."]),
        ("exit() { :; }; cd a || exit; x", &["a", "."]),
        ("cd a || x", &["."]),
        ("! cd a && x", &["."]),
        ("cd a && cd ../b && x", &["a/../b"]),
        ("cd /srv && cd b && x", &["/srv/b"]),
        ("cd && x", &["~"]),
        ("cd ~/y && x", &["~/y"]),
        ("cd '~' && x", &["./~"]),
        ("cd -P -- a && x", &["a"]),
        ("pushd a && x", &["a"]),
        ("command cd a && x", &["a"]),
        ("eval 'cd a' && x", &["a"]),
        ("env cd a && x", &["."]),
        ("sh -c 'cd a'; x", &["."]),
        ("(cd a) && x", &["."]),
        ("cd a | y; x", &["."]),
        ("cd a & x", &["."]),
        ("echo $(cd a); x", &["."]),
        ("{ cd a; } && x", &["a"]),
        ("if cd a; then x; fi", &["a"]),
        ("if cd a; then y; else x; fi", &["."]),
        ("env -C a x", &["a"]),
        ("sudo -D /a x", &["/a"]),
        ("for i in 1; do (cd a); done; x", &["."]),
    ];
    for (text, expected) in cases {
        assert_eq!(
            last_directories(text).as_deref().unwrap_or_default(),
            *expected,
            "{text}"
        );
    }
}

#[test]
fn directories_that_cannot_be_told_are_anywhere() {
    let cases = [
        "cd \"$D\" && x",
        "cd - && x",
        "popd && x",
        "pushd; x",
        "cd a b; x",
        "cd 'a\\b'* && x",
        "CDPATH=/y; cd a && x",
        "export CDPATH=/y; cd a && x",
        "HOME=/y; cd ~ && x",
        "while y; do cd ..; done; x",
        "while x; do cd ..; done",
        "if y; then cd a; fi; x",
        "case y in y) cd a;; esac; x",
        "f() { cd a; }; f; x",
        "f() { x; }",
        "trap 'cd a' DEBUG; x",
        "cd() { :; }; cd a && x",
        "cd a; cd b; cd c; x",
        "chroot /r x",
        "ssh h x",
        "sudo -i x",
        "find . -execdir x \\;",
        "exit; x",
        "{ cd a; exit; }; x",
    ];
    for text in cases {
        assert!(
            read(text).commands.iter().any(|command| command.directories.is_none()),
            "{text}"
        );
        if !text.starts_with("while x") {
            assert_eq!(last_directories(text), None, "{text}");
        }
    }
    let writes = read("cd a && { cd b && y; } > f").writes;
    assert_eq!(writes[0].directories.as_deref().unwrap_or_default(), ["a"]);
    let writes = read("while cd ..; do x > f; done").writes;
    assert_eq!(writes[0].directories, None);
}

#[test]
fn pipes_are_listed() {
    let cases: &[(&str, &[&[usize]])] = &[
        ("a | b", &[&[0, 1]]),
        ("a $(c) |& b | d; e", &[&[0, 2, 3]]),
        ("curl x | sudo sh", &[&[0, 1]]),
        ("a | { b; c; } | (d)", &[&[0, 1, 3]]),
        ("(a | b) | c", &[&[0, 1], &[0, 2]]),
        ("a | >f", &[]),
        ("a || b", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).pipelines, *expected, "{text}");
    }
}

#[test]
fn assignments_stand_with_their_command() {
    check(&[
        ("A=1 B='x y' c", &["A=1 B=x y c"]),
        ("A=1", &["A=1"]),
        ("A+=1 c", &["A=… c"]),
        ("A=(1 2)", &["A=…"]),
        ("A=~/x c", &["A=~/x c"]),
        ("for PATH in x; do y; done", &["PATH=…", "y"]),
        ("for i in x; do y; done", &["y"]),
        ("for http_proxy in x; do y; done", &["http_proxy=…", "y"]),
        ("select PATH in x; do y; done", &["PATH=…", "y"]),
        ("=x y", &["=x y"]),
        ("1A=x y", &["1A=x y"]),
    ]);
}

fn first(text: &str) -> Vec<Word> {
    let mut analysis = read(text);
    assert_eq!(analysis.unread.take(), None, "{text}");
    analysis.commands.remove(0).words
}

fn literal(text: &str) -> Piece {
    Piece::Literal(text.to_owned())
}

fn open(text: &str) -> Piece {
    Piece::Open(text.to_owned())
}

fn glob(text: &str) -> Piece {
    Piece::Glob(text.to_owned())
}

#[test]
fn words_keep_what_is_open() {
    let cases: Vec<(&str, Vec<Piece>)> = vec![
        ("a'b'\"c\"\\d", vec![literal("abcd")]),
        ("\"\"", vec![]),
        (
            "a$x\"b$(y)\"c",
            vec![literal("a"), open("$x"), literal("b"), open("$(y)"), literal("c")],
        ),
        (
            "a*.[ch]?",
            vec![
                literal("a"),
                glob("*"),
                literal("."),
                glob("["),
                literal("ch]"),
                glob("?"),
            ],
        ),
        ("'*'\\?", vec![literal("*?")]),
        ("a[b", vec![literal("a[b")]),
        ("[", vec![literal("[")]),
        ("x{a,b}y", vec![literal("x"), open("{a,b}"), literal("y")]),
        ("{1..3}", vec![open("{1..3}")]),
        ("{a}{}", vec![literal("{a}{}")]),
        ("{a,'b c'}", vec![open("{a,'b c'}")]),
        ("{a,b", vec![open("{a,b")]),
        ("~", vec![literal("~")]),
        ("~/x", vec![literal("~/x")]),
        ("~u/x", vec![open("~u"), literal("/x")]),
        ("~+", vec![open("~+")]),
        ("a=~/x", vec![literal("a="), open("~"), literal("/x")]),
        ("HEAD~1", vec![literal("HEAD~1")]),
        ("$'\\x72\\155'", vec![literal("rm")]),
        ("$'\\u00e9\\n'", vec![literal("é\n")]),
        ("$'a\\0b'c", vec![literal("ac")]),
        ("$'\\xff'", vec![open("\u{fffd}")]),
        ("$'\\x{72}'", vec![open("$'\\x{72}'")]),
        ("$'\\c\\'x'", vec![open("$'\\c\\'x'")]),
        ("$\"a\"", vec![literal("a")]),
        ("$", vec![literal("$")]),
        ("docs\r", vec![literal("docs\r")]),
        ("a\u{b}b\u{c}c\u{200b}", vec![literal("a\u{b}b\u{c}c\u{200b}")]),
    ];
    for (text, expected) in cases {
        let words = first(&format!("echo {text}"));
        assert_eq!(words.len(), 2, "{text}");
        assert_eq!(words[1].pieces, expected, "{text}");
    }
    assert!(first("echo \"~/x\"")[1].quoted);
    assert!(!first("echo ~/\"a b\"")[1].quoted);
}

#[test]
fn here_documents_end_where_bash_ends_them() {
    check(&[
        ("cat <<E\nE\\\nF\nE\nrm x", &["cat", "rm x"]),
        ("cat <<EF\nE\\\nF\nrm x", &["cat", "rm x"]),
        ("cat <<'EF'\nE\\\nEF\nrm x", &["cat", "rm x"]),
        ("cat <<E\na\\\nE\nrm x\nE\n", &["cat"]),
        ("cat <<-E\n\t\tE\nrm x", &["cat", "rm x"]),
        ("cat <<E\n$(a\n)\nE\nb", &["cat", "a", "b"]),
        ("a \"$(cat <<'E'\n„x\"\nE\n)\"", &["a …", "cat"]),
        ("cat <<E; cd d\n$(a)\nE", &["cat", "cd d", "a"]),
    ]);
}

#[test]
fn text_that_is_not_understood_is_cut() {
    let cases: &[(&str, &[&str])] = &[
        ("rm -r \"drafts", &["rm -r drafts"]),
        ("ls $(", &["ls"]),
        ("ls *(e:'touch m':)", &["ls *", "e:touch m:"]),
        ("ls =(touch m)", &["ls =", "touch m"]),
        ("A=1 sudo rm 'x", &["A=1 sudo rm x &", "A=1 rm x"]),
        ("if true; then rm x", &["true", "rm x"]),
        ("a > o rm 'x", &["a rm x"]),
        ("> o rm 'x", &["rm x"]),
        ("2> o rm 'x", &["rm x"]),
        ("{a[1]}> o rm x", &["rm x"]),
        ("< i rm 'x", &["rm x"]),
        ("echo a; sh -c 'rm x' ; )", &["echo a", "sh -c rm x ^", "rm x"]),
        ("ls # don't\nrm x )", &["ls # dont", "rm x"]),
        ("echo 'a; rm x", &["echo a; rm x", "echo a", "rm x"]),
        ("echo \"`rm x`\" )", &["echo ", "rm x"]),
        ("a\0rm x", &["a", "rm x"]),
        ("echo a\\", &["echo a"]),
        ("$'rm' x )", &["rm x"]),
        ("rm$IFS-r )", &["rm…-r !"]),
        (
            "echo $(cat <<E\n'\n); rm x '",
            &["echo", "cat", "\n); rm x ", "echo", "cat", "rm x"],
        ),
    ];
    for (text, expected) in cases {
        let analysis = read(text);
        assert!(analysis.unread.is_some(), "{text:?}");
        let found = lines(&analysis);
        for line in *expected {
            assert!(
                found.iter().any(|found| found == line),
                "{text:?}: no {line:?} in {found:?}"
            );
        }
    }
    assert_eq!(lines(&read("rm -r \"drafts")), ["rm -r drafts"]);
    assert_eq!(word(&read("a > o 'b").writes[0].target), "o");
}

#[test]
fn the_place_where_reading_stopped_is_told() {
    let unread = read("ls; echo \"abc").unread.unwrap();
    assert_eq!((unread.why.as_str(), unread.at), ("a double quote is not closed", 13));
    let unread = analyse(
        "ls; rm x",
        &Limits {
            bytes: 4,
            ..Limits::default()
        },
    )
    .unread
    .unwrap();
    assert_eq!((unread.why.as_str(), unread.at), ("it is too long", 4));
    let span = read("ls; rm  x").commands[1].span;
    assert_eq!(&"ls; rm  x"[span.start..span.end], "rm  x");
    let analysis = read("ls; sh -c 'rm x'");
    assert_eq!(analysis.commands[1].span, analysis.commands[2].span);
}

/// Reads a text that is made to take long, and then another one.
fn survive(text: &str) -> Analysis {
    let limits = Limits::default();
    let analysis = analyse(text, &limits);
    assert!(analysis.steps <= limits.most(text.len()), "{} steps", analysis.steps);
    assert_eq!(lines(&read("git status")), ["git status"]);
    analysis
}

#[test]
fn bombs_are_bounded() {
    let deep = |open: &str, middle: &str, close: &str, times: usize| {
        [open.repeat(times).as_str(), middle, close.repeat(times).as_str()].concat()
    };
    assert!(survive(&deep("echo $(", "ls", ")", 200)).unread.is_some());
    assert!(survive(&deep("echo $(", "ls", ")", 15)).unread.is_none());
    assert!(survive(&"${x:-".repeat(16_000)).unread.is_some());
    assert!(survive(&"$(".repeat(20_000)).unread.is_some());
    for times in [24, 40, 200, 20_000] {
        survive(&"(".repeat(times));
        survive(&deep("(", "a", ")", times));
        survive(&deep("((", "a", ") )", times));
        survive(&deep("$((", "a", ") )", times));
        survive(&deep("a[", "1", "]=", times));
        survive(&deep("a[$(", "b", ")]x", times));
        survive(&deep("{ ", "a", "; }", times));
        survive(&deep("case x in x) ", "a", ";; esac", times));
        survive(&deep("if ", "a", "; then b; fi", times));
        survive(&deep("[[ ( ", "a", " ) ]]", times));
        survive(&deep("${x:-", "a", "}", times));
        survive(&deep("\"$(", "a", ")\"", times));
        survive(&deep("`", "a", "`", times));
        survive(&deep("eval ", "a", "", times));
        survive(&deep("env ", "rm x", "", times));
        survive(&deep("sudo -Z ", "rm x", "", times));
        survive(&deep("env -S 'env ", "rm x", "'", times));
        survive(&deep("<<A ", "", "\n", times));
        survive(&deep("{", "a,b", "}", times));
        survive(&deep("[*", "a", "", times));
        survive(&deep("cd a; ", "x", "", times));
        survive(&deep("cd a && ", "x", "", times));
        survive(&deep("find -exec ", "x", " \\;", times));
        survive(&deep("A=1 ", "sh -c 'a;b;c;d;e;f;g'", "", times));
        survive(&deep("a | ", "x", "", times));
    }
    let long = survive(&"ls; ".repeat(16_385));
    assert_eq!((long.unread.unwrap().at, long.commands.len()), (65_536, 16_384));
    assert!(survive(&"ls; ".repeat(16_384)).unread.is_none());
    survive(&"😀".repeat(20_000));
}

const ATOMS: &[&str] = &[
    "a", "rm", " ", " ", "\n", ";", "&", "|", "(", ")", "((", "))", "{", "}", "[", "]", "[[", "]]", "<", ">", "<<",
    "$", "$(", "${", "`", "'", "\"", "\\", "#", "!", "=", "*", "?", "~", ",", "..", "if", "then", "fi", "for", "in",
    "do", "done", "case", "esac", "env", "sudo", "sh -c", "-", "1", "é", "\0", "\r", "x=", "a[", "$'", "<(", "<<E\n",
    "E\n", "cd", "eval", "find", "-exec",
];

/// Text in which the shell's own characters are frequent.
fn shellish() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(ATOMS).prop_map(str::to_owned);
    let atom = prop_oneof![9 => atom, 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(atom, 0..40).prop_map(|parts| parts.concat())
}

fn small(bytes: usize, depth: u32, fuel: u64) -> Limits {
    Limits { bytes, depth, fuel }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics_and_steps_are_bounded(text in shellish(), bytes in 0_usize..80, depth in 0_u32..40, fuel in 0_u64..8) {
        for limits in [Limits::default(), small(bytes, depth, fuel)] {
            let analysis = analyse(&text, &limits);
            prop_assert!(analysis.steps <= limits.most(text.len()));
            let known = analysis.commands.len();
            prop_assert!(analysis.pipelines.iter().flatten().all(|index| *index < known));
            for command in &analysis.commands {
                prop_assert!(text.get(command.span.start..command.span.end).is_some() || analysis.unread.is_some());
            }
        }
    }

    #[test]
    fn quoting_a_program_never_hides_it(name in "[a-z]{2,6}", cut in 1_usize..2, tail in "( [a-z]{1,3}){0,2}") {
        let (first, rest) = name.split_at(cut);
        let forms = [
            format!("{name}{tail}"),
            format!("'{name}'{tail}"),
            format!("\"{name}\"{tail}"),
            format!("{first}\"{rest}\"{tail}"),
            format!("{first}''{rest}{tail}"),
            format!("{first}\\{rest}{tail}"),
            format!("{first}\\\n{rest}{tail}"),
            format!("$'{name}'{tail}"),
            format!("$'\\x{:02x}'{rest}{tail}", first.as_bytes()[0]),
            format!("$\"{name}\"{tail}"),
        ];
        let pieces = |text: &str| -> Vec<Vec<Piece>> {
            let analysis = read(text);
            assert_eq!(analysis.unread, None);
            analysis.commands[0].words.iter().map(|word| word.pieces.clone()).collect()
        };
        let keyword = ["if", "fi", "do", "in", "for", "case", "esac", "then", "else", "elif", "done", "time", "until",
            "while", "select", "coproc"];
        prop_assume!(!keyword.contains(&name.as_str()));
        let expected = pieces(&forms[0]);
        for form in &forms[1..] {
            prop_assert_eq!(pieces(form), expected.clone(), "{}", form);
        }
    }
}
