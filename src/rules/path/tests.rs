use proptest::prelude::*;

use super::super::model::Platform;
use super::*;

fn posix() -> Environment {
    Environment {
        cwd: Some("/w/d".into()),
        home: Some("/home/u".into()),
        platform: Platform::Posix,
    }
}

fn windows() -> Environment {
    Environment {
        cwd: Some("D:\\w\\d".into()),
        home: Some("C:\\Users\\u".into()),
        platform: Platform::Windows,
    }
}

fn bare(platform: Platform) -> Environment {
    Environment {
        cwd: None,
        home: None,
        platform,
    }
}

fn text(path: &str, environment: &Environment) -> Result<String, PathError> {
    subject(path, environment, None).map(|clean| clean.text)
}

#[test]
fn posix_paths() {
    let table = [
        ("/repo/../etc/passwd", Ok("/etc/passwd")),
        ("/repo/data/../../etc", Ok("/etc")),
        ("a/./b//c/", Ok("/w/d/a/b/c")),
        ("../../x", Ok("/x")),
        ("../../../../x", Ok("/x")),
        ("/../..", Ok("/")),
        ("/", Ok("/")),
        (".", Ok("/w/d")),
        ("a/..", Ok("/w/d")),
        ("~", Ok("/home/u")),
        ("~/x/", Ok("/home/u/x")),
        ("~/../v", Ok("/home/v")),
        ("~root/x", Err(PathError::UserHome)),
        ("./~root/x", Ok("/w/d/~root/x")),
        ("//a/b", Ok("/a/b")),
        ("C:\\a", Ok("/w/d/C:\\a")),
        ("/a\\..\\b", Ok("/a\\..\\b")),
        ("/a%2e%2e/b", Ok("/a%2e%2e/b")),
        ("/a/…/b", Ok("/a/…/b")),
        ("/A/b ", Ok("/A/b ")),
        ("/a\0b", Err(PathError::Nul)),
    ];
    for (path, expected) in table {
        assert_eq!(text(path, &posix()), expected.map(str::to_owned), "{path:?}");
    }
}

#[test]
fn windows_paths() {
    let table = [
        ("C:\\a\\..\\b", Ok("c:/b")),
        ("c:/A/./b/", Ok("c:/A/b")),
        ("C:\\", Ok("c:/")),
        ("C:\\..\\..", Ok("c:/")),
        ("/C:/x", Ok("c:/x")),
        ("\\\\?\\C:\\a\\b", Ok("c:/a/b")),
        ("\\\\.\\C:\\a", Ok("c:/a")),
        ("\\\\?\\UNC\\Srv\\Share\\X", Ok("//srv/share/X")),
        ("\\\\Srv\\share\\..\\x", Ok("//srv/share/x")),
        ("//srv/share/", Ok("//srv/share")),
        ("\\a\\b", Ok("d:/a/b")),
        ("a\\..\\b/c", Ok("d:/w/d/b/c")),
        ("~\\x", Ok("c:/Users/u/x")),
        ("a. ./b..", Ok("d:/w/d/a/b")),
        ("~$a.docx", Err(PathError::UserHome)),
        ("C:x", Err(PathError::DriveRelative)),
        ("C:", Err(PathError::DriveRelative)),
        ("/C:", Err(PathError::DriveRelative)),
        ("\\\\.\\PhysicalDrive0", Err(PathError::DeviceNamespace)),
        ("\\\\.\\pipe\\x", Err(PathError::DeviceNamespace)),
        ("\\\\?\\GLOBALROOT\\x", Err(PathError::DeviceNamespace)),
        ("\\??\\C:\\x", Err(PathError::DeviceNamespace)),
        ("\\\\?\\C:\\a.\\b", Err(PathError::DeviceNamespace)),
        ("\\\\?", Err(PathError::DeviceNamespace)),
        ("\\\\srv", Err(PathError::NetworkName)),
        ("\\\\srv\\..\\x", Err(PathError::NetworkName)),
        ("\\\\localhost\\C$\\x", Err(PathError::NetworkName)),
        ("///x/y", Err(PathError::NetworkName)),
        ("nul.txt", Err(PathError::ReservedName)),
        ("a/CON", Err(PathError::ReservedName)),
        ("a/con .txt", Err(PathError::ReservedName)),
        ("com1", Err(PathError::ReservedName)),
        ("LPT².x", Err(PathError::ReservedName)),
        ("CONOUT$", Err(PathError::ReservedName)),
        ("console", Ok("d:/w/d/console")),
        ("com10", Ok("d:/w/d/com10")),
        ("file.txt:ads", Err(PathError::AlternateStream)),
        ("file.txt::$DATA", Err(PathError::AlternateStream)),
        ("a/.. /b", Err(PathError::DotsAndBlanks)),
        ("a/.../b", Err(PathError::DotsAndBlanks)),
        ("C:\\a\0b", Err(PathError::Nul)),
    ];
    for (path, expected) in table {
        assert_eq!(text(path, &windows()), expected.map(str::to_owned), "{path:?}");
    }
}

#[test]
fn what_the_environment_does_not_know_stays_out() {
    let table = [
        (Platform::Posix, "../a/../x", Ok(("../x", false))),
        (Platform::Posix, "a/../../..", Ok(("../..", false))),
        (Platform::Posix, "./~x", Ok(("./~x", false))),
        (Platform::Posix, "~/a/../x", Ok(("~/x", false))),
        (Platform::Posix, "~", Ok(("~", false))),
        (Platform::Posix, "~/../x", Err(PathError::UnknownHome)),
        (Platform::Posix, "", Ok((".", false))),
        (Platform::Posix, "/x", Ok(("/x", true))),
        (Platform::Windows, "\\x", Ok(("/x", false))),
        (Platform::Windows, "\\..\\x", Ok(("/x", false))),
        (Platform::Windows, "C:\\x", Ok(("c:/x", true))),
    ];
    for (platform, path, expected) in table {
        let expected = expected.map(|(text, absolute)| Clean {
            text: text.to_owned(),
            absolute,
        });
        assert_eq!(subject(path, &bare(platform), None), expected, "{path:?}");
    }
    let odd = Environment {
        cwd: Some("w".into()),
        home: Some("".into()),
        platform: Platform::Posix,
    };
    assert_eq!(
        subject("x", &odd, None),
        Ok(Clean {
            text: "x".into(),
            absolute: false
        })
    );
    assert_eq!(text("~/x", &odd), Ok("~/x".into()));
}

#[test]
fn directories_come_before_relative_paths() {
    let table = [
        ("x", "sub", Ok("/w/d/sub/x")),
        ("../x", "sub/y", Ok("/w/d/sub/x")),
        ("../../../x", "..", Ok("/x")),
        ("x", "/tmp", Ok("/tmp/x")),
        ("x", "~/v", Ok("/home/u/v/x")),
        ("/x", "~other", Ok("/x")),
        ("~/x", "/tmp", Ok("/home/u/x")),
        ("x", "~other", Err(PathError::UserHome)),
    ];
    for (path, directory, expected) in table {
        let found = subject(path, &posix(), Some(directory)).map(|clean| clean.text);
        assert_eq!(found, expected.map(str::to_owned), "{path:?} in {directory:?}");
    }
    let drive = |path, directory| subject(path, &windows(), Some(directory)).map(|clean| clean.text);
    assert_eq!(drive("\\x", "E:\\y"), Ok("e:/x".into()));
    assert_eq!(drive("x", "\\y"), Ok("d:/y/x".into()));
    assert_eq!(drive("\\x", "\\\\s\\h\\y"), Ok("//s/h/x".into()));
    let unknown = subject("x", &bare(Platform::Posix), Some("../y"));
    assert_eq!(
        unknown,
        Ok(Clean {
            text: "../y/x".into(),
            absolute: false
        })
    );
}

#[test]
fn a_resolver_is_asked_with_every_step_up() {
    let table = [
        ("/w/s/../../x", None, Ok("/w/s/../../x")),
        ("s/../x", None, Ok("/w/d/s/../x")),
        ("~/../x", None, Ok("/home/u/../x")),
        ("../x", Some("link"), Ok("/w/d/link/../x")),
        ("~v", None, Err(PathError::UserHome)),
    ];
    for (path, directory, expected) in table {
        assert_eq!(
            written(path, &posix(), directory),
            expected.map(str::to_owned),
            "{path:?}"
        );
    }
    assert_eq!(written("C:\\a\\..\\b", &windows(), None), Ok("c:/a/../b".into()));
    assert_eq!(written("x", &bare(Platform::Posix), None), Err(PathError::NotAbsolute));
    assert_eq!(
        written("\\x", &bare(Platform::Windows), None),
        Err(PathError::NotAbsolute)
    );
    assert_eq!(
        written("~/x", &bare(Platform::Posix), None),
        Err(PathError::UnknownHome)
    );
}

#[test]
fn a_resolver_answers_with_an_absolute_path() {
    let clean = |text: &str| {
        Ok(Clean {
            text: text.into(),
            absolute: true,
        })
    };
    assert_eq!(real("/home/u/.ssh/", &posix()), clean("/home/u/.ssh"));
    assert_eq!(real("\\\\?\\C:\\X", &windows()), clean("c:/X"));
    for (result, environment) in [("x", posix()), ("~/x", posix()), ("", posix()), ("\\x", windows())] {
        assert_eq!(real(result, &environment), Err(PathError::NotAbsolute), "{result:?}");
    }
    assert_eq!(real("/a\0", &posix()), Err(PathError::Nul));
}

#[test]
fn rule_contents_on_posix() {
    let table = [
        ("~/.ssh/**", "/home/u/.ssh/**"),
        ("~", "/home/u"),
        ("~/", "/home/u"),
        ("~root/x", "~root/x"),
        ("./src/*", "/w/d/src/*"),
        ("../src/*", "/w/src/*"),
        ("./../.././x/../*", "/x/../*"),
        ("../../../*", "/*"),
        (".", "/w/d"),
        ("..", "/w"),
        ("src/*", "/w/d/src/*"),
        ("src/../x", "/w/d/src/../x"),
        ("...", "/w/d/..."),
        (".env", "/w/d/.env"),
        ("*.env", "*.env"),
        ("**", "**"),
        ("\\*x", "/w/d/\\*x"),
        ("/etc//x/../y/", "/etc//x/../y/"),
        ("", ""),
    ];
    for (content, expected) in table {
        assert_eq!(pattern(content, &posix()), expected, "{content:?}");
    }
    let stars = Environment {
        cwd: Some("/a*b\\*c/".into()),
        ..posix()
    };
    assert_eq!(pattern("x*", &stars), "/a\\*b\\\\\\*c/x*");
    let root = Environment {
        cwd: Some("/".into()),
        ..posix()
    };
    assert_eq!(pattern("x*", &root), "/x*");
    for content in ["~/x", "./x", "../x", "x*"] {
        assert_eq!(pattern(content, &bare(Platform::Posix)), content);
    }
}

#[test]
fn rule_contents_on_windows() {
    let table = [
        ("C:\\\\Users\\\\u\\\\.agent\\\\*.json", "c:/Users/u/.agent/*.json"),
        ("C:\\Users\\u\\.agent\\\\*.json", "c:/Users/u/.agent/*.json"),
        ("C:/Users/*", "c:/Users/*"),
        ("C:\\a\\*", "c:/a\\*"),
        ("C:\\a\\\\\\*", "c:/a/\\*"),
        ("/C:/Users/*", "c:/Users/*"),
        ("\\\\?\\C:\\x\\y", "c:/x/y"),
        ("\\\\\\\\?\\\\C:\\\\x\\\\*", "c:/x/*"),
        ("\\\\?\\UNC\\Srv\\Share\\X", "//srv/share/X"),
        ("\\\\Srv\\Share\\X*", "//srv/share/X*"),
        ("//Srv/Share", "//srv/share"),
        ("\\x\\y", "d:/x/y"),
        ("~\\x\\y", "c:/Users/u/x/y"),
        (".\\src\\\\*", "d:/w/d/src/*"),
        ("..\\x", "d:/w/x"),
        ("src/*", "d:/w/d/src/*"),
        ("*.env", "*.env"),
    ];
    for (content, expected) in table {
        assert_eq!(pattern(content, &windows()), expected, "{content:?}");
    }
    assert_eq!(pattern("\\x", &bare(Platform::Windows)), "/x");
}

#[test]
fn letters_fold() {
    assert_eq!(fold("C:/ÄÖÜ/Ÿ/ŽŁŃ/Ως/ΆΈΌΏ/ЖЁ/Ａ×ßİı"), "c:/äöü/ÿ/žłń/ωσ/άέόώ/жё/ａ×ßİı");
    for code in 0..0x450_u32 {
        let Some(letter) = char::from_u32(code) else { continue };
        let once = fold(&letter.to_string());
        assert_eq!(fold(&once), once);
        if !matches!(letter, 'ς' | 'İ' | '\u{370}'..='\u{37f}' | '\u{3cf}'..='\u{3ff}' | '\u{180}'..='\u{36f}') {
            assert_eq!(once, letter.to_lowercase().to_string(), "{code:x}");
        }
    }
}

#[test]
fn forms_of_paths() {
    for text in [
        "/x",
        "~",
        "~/x",
        "./x",
        "../x",
        ".",
        "..",
        "C:\\x",
        "c:/x",
        "\\\\srv\\x",
    ] {
        assert!(is_path_form(text), "{text}");
    }
    for text in [
        "",
        "x",
        "x/y",
        ".x",
        "...",
        "C:x",
        "ab:/x",
        "\\x",
        "https://docs.test",
        "git *",
    ] {
        assert!(!is_path_form(text), "{text}");
    }
}

fn environments() -> [Environment; 4] {
    [posix(), windows(), bare(Platform::Posix), bare(Platform::Windows)]
}

proptest! {
    #[test]
    fn cleaning_what_is_clean_changes_nothing(
        wild in any::<String>(),
        path in "[/\\\\.~:a-cC?* $]{0,16}",
        words in proptest::collection::vec(
            prop::sample::select(vec!["/", "\\", "..", ".", "~", "C:", "//?/", "UNC", "a", "nul", " ", "??", "*"]), 0..10),
        directory in proptest::option::of("[/\\\\.~:a-c]{0,8}"),
    ) {
        for environment in environments() {
            for path in [&wild, &path, &words.concat()] {
                drop(written(path, &environment, directory.as_deref()));
                drop(real(path, &environment));
                drop(pattern(path, &environment));
                let Ok(clean) = subject(path, &environment, directory.as_deref()) else { continue };
                prop_assert_eq!(Ok(clean.clone()), subject(&clean.text, &environment, None));
                let below = clean.text.trim_start_matches("../");
                prop_assert!(!below.contains("/../") && !clean.text.contains("/./"), "{:?}", clean);
                prop_assert!(below == clean.text || !clean.absolute, "{:?}", clean);
                prop_assert!(!clean.text.chars().skip(1).collect::<String>().contains("//"), "{:?}", clean);
                prop_assert!(environment.platform == Platform::Windows || !clean.text.starts_with("//"));
                if environment.cwd.is_some() {
                    prop_assert!(clean.absolute, "{:?}", clean);
                }
            }
        }
    }

    #[test]
    fn a_clean_path_as_a_rule_stays_itself(path in "[/\\\\.~:a-cC ]{0,16}") {
        for environment in [posix(), windows()] {
            let Ok(clean) = subject(&path, &environment, None) else { continue };
            if environment.platform == Platform::Posix || !clean.text.contains('\\') {
                prop_assert_eq!(pattern(&clean.text, &environment), clean.text);
            }
        }
    }
}
