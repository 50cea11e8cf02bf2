use super::*;

#[test]
fn everything_has_a_default() {
    let config = Config::parse("").expect("empty is fine");
    assert_eq!(config.keys.prefix.len(), 2);
    assert_eq!(config.panel.mode, PanelMode::Auto);
    assert_eq!(config.linus.url, None);
    assert!(config.integration.offer);
    assert_eq!((config.linus.tail_lines.0, config.linus.tail_sgr), (100, true));
    for lines in ["0", "1001", "-1", "\"many\""] {
        assert!(Config::parse(&format!("[linus]\ntail_lines = {lines}\n")).is_err(), "{lines}");
    }
}

#[test]
fn for_each_key_the_first_section_that_fits_the_host_wins() {
    let text = "[linus]\nupdates = \"ask\"\n[[host]]\nmatch = \"* !lab\"\n\
                [[host]]\nmatch = \"prod-* *.example.com\"\nlinus.updates = \"off\"\n\
                [[host]]\nmatch = \"prod-web1\"\n[host.linus]\nupdates = \"on\"\n";
    let config = Config::parse(text).expect("sections");
    assert_eq!(config.updates(&["prod-web1", "10.0.0.1"]), Updates::Off);
    assert_eq!(config.updates(&["web2", "web2.example.com"]), Updates::Off);
    assert_eq!(config.updates(&["lab"]), Updates::Ask);
    for wrong in
        ["linus.updates = \"off\"", "match = \"!a\"", "match = \"a\"\nlinus.tail_lines = 3", "match = 3"]
    {
        assert!(Config::parse(&format!("[[host]]\n{wrong}\n")).is_err(), "{wrong}");
    }
}

#[test]
fn a_mode_is_set_for_all_hosts_and_for_some_and_auto_for_none() {
    let config =
        Config::parse("[policy]\nchain_limit = 3\n[[host]]\nmatch = \"*.prod\"\npolicy.mode = \"suggest\"\n")
            .expect("a config");
    assert_eq!(config.policy, PolicyConfig { mode: StartMode::Confirm, chain_limit: ChainLimit(3) });
    assert_eq!(config.start_mode(&["db.prod"]), StartMode::Suggest);
    assert_eq!(config.start_mode(&["db.test"]), StartMode::Confirm);
    let auto = Config::parse("[policy]\nmode = \"auto\"\n").expect_err("auto");
    assert!(auto.line == 2 && auto.message.contains("inside a session"), "{auto}");
    let host = "[[host]]\nmatch = \"x\"\npolicy.mode = \"auto\"\n";
    assert!(Config::parse(host).is_err());
    for limit in ["0", "21", "-1"] {
        assert!(Config::parse(&format!("[policy]\nchain_limit = {limit}\n")).is_err(), "{limit}");
    }
}

#[test]
fn a_mistake_is_named_with_line_and_key() {
    let unknown = Config::parse("[linus]\nurl = \"http://x\"\nulr = \"y\"\n").expect_err("unknown key");
    assert_eq!((unknown.line, unknown.key.as_deref()), (3, Some("ulr")));
    let wrong = Config::parse("[panel]\nwidth = \"wide\"\n").expect_err("wrong type");
    assert_eq!((wrong.line, wrong.key.as_deref()), (2, Some("width")));
    assert!(Config::parse("[panel\n").is_err());
    let none = Config::parse("[keys]\nprefix = []\n").expect_err("no key");
    assert!(
        none.to_string().starts_with("line 2: prefix: ") && none.message.contains("at least one"),
        "{none}"
    );
}

#[test]
fn prefix_keys_are_read_as_the_bytes_that_terminals_send() {
    let key = |name: &str| PrefixKey::try_from(name.to_owned()).map(|k| k.bytes);
    assert_eq!(key("C-\\"), Ok(vec![0x1c]));
    assert_eq!(key("C-b"), Ok(vec![2]));
    assert_eq!(key("F12"), Ok(b"\x1b[24~".to_vec()));
    for wrong in ["C-[", "C-m", "F13", "F0", "x", "C-", ""] {
        assert!(key(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_file_named_on_purpose_must_exist() {
    let error = Config::load(Some(Path::new("/nonexistent/aissh.toml"))).expect_err("missing");
    assert_eq!(error.status, 78);
    assert!(error.message.contains("/nonexistent/aissh.toml"), "{error}");
    assert!(Config::load(Some(Path::new("/dev/null"))).is_err(), "not a regular file");
}
