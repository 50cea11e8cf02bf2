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
    assert_eq!((unknown.line, unknown.key.as_deref()), (3, Some("linus.ulr")));
    let wrong = Config::parse("[panel]\nwidth = \"wide\"\n").expect_err("wrong type");
    assert_eq!((wrong.line, wrong.key.as_deref()), (2, Some("panel.width")));
    assert!(Config::parse("[panel\n").is_err());
    let none = Config::parse("[keys]\nprefix = []\n").expect_err("no key");
    assert!(
        none.to_string().starts_with("line 2: keys.prefix: ") && none.message.contains("at least one"),
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

#[test]
fn the_table_of_keys_names_what_the_structs_have_and_no_more() {
    fn leaves(value: &serde_json::Value, path: &str, out: &mut Vec<String>) {
        let Some(table) = value.as_object() else { return out.push(path.to_owned()) };
        for (name, value) in table {
            leaves(value, &if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, out);
        }
    }
    let (mut have, mut named) =
        (Vec::new(), keys::KEYS.iter().map(|key| key.path.to_owned()).collect::<Vec<_>>());
    leaves(&defaults(), "", &mut have);
    have.sort();
    named.sort();
    assert_eq!(have, named);
    // And those of sections: one more is refused by serde, one less would be refused here.
    let value = |key: &keys::Key| match key.kind {
        keys::Kind::Text => "\"x\"".to_owned(),
        keys::Kind::List | keys::Kind::PrefixKeys => "[\"F1\"]".to_owned(),
        keys::Kind::Flag => "true".to_owned(),
        keys::Kind::Number(_, most) => most.to_string(),
        keys::Kind::Choice(words) => format!("\"{}\"", words[0]),
    };
    for key in keys::KEYS {
        let general = format!("{} = {}\n", key.path, value(key));
        Config::parse(&general).unwrap_or_else(|e| panic!("{general}: {e}"));
        let section = format!("[[host]]\nmatch = \"a\"\nlinus.url = \"http://h/\"\n{general}");
        let section = if key.path == "linus.url" {
            section.replacen("linus.url = \"http://h/\"\n", "", 1)
        } else {
            section
        };
        assert_eq!(Config::parse(&section).is_ok(), key.by_host, "{section}");
    }
}

#[test]
fn what_is_misspelt_is_told_with_what_was_perhaps_meant() {
    for (text, wanted) in [
        ("[linus]\nulr = 1\n", "line 2: linus.ulr: there is no such key; did you mean url in [linus]?"),
        ("[linus]\n[linis]\nurl = 1\n", "line 2: linis: there is no such table; did you mean [linus]?"),
        (
            "[panel]\ntail_line = 3\n",
            "line 2: panel.tail_line: there is no such key; did you mean tail_lines in [linus]?",
        ),
        ("url = \"x\"\n", "line 1: url: there is no such key; did you mean url in [linus]?"),
        ("linus = 1\n", "line 1: linus: this is a table: [linus]"),
        (
            "[keys]\nzzzz = 1\n",
            "line 2: keys.zzzz: there is no such key; aissh(1) lists all under CONFIGURATION",
        ),
        (
            "[[host]]\nmatch = \"a\"\nlinus.updtes = \"off\"\n",
            "line 3: linus.updtes: there is no such key; did you mean updates in [linus]?",
        ),
        (
            "[[host]]\nmatch = \"a\"\nrecord.audit = false\n",
            "line 3: record.audit: this key is for all hosts, not for some",
        ),
        (
            "[[host]]\nmatch = \"a\"\nlinus.token_env = \"T\"\n",
            "line 3: linus.token_env: a section's credentials are for its own linus.url, and it has none",
        ),
        ("[panel]\nx = 1\n[linus]\ny = 1\n", "line 2: panel.x: "),
        ("match = 1\n", "line 1: match: "),
        ("host = 1\n", "line 1: host: invalid type"),
    ] {
        let complaint = Config::parse(text).expect_err(text).to_string();
        assert!(complaint.starts_with(wanted), "{text:?}\n{complaint}\n{wanted}");
    }
}

#[test]
fn a_linus_of_the_command_line_is_shown_no_token_of_another() {
    let text = "[linus]\nurl = \"https://a/mcp\"\ntoken_env = \"A\"\nclient_cert = \"c\"\n";
    let config = Config::from_text(text).expect("a configuration");
    assert_eq!(config.with_linus_of(Some("https://A:443/other"), Some("lab")), config);
    for another in ["https://a.example/mcp", "http://a/mcp", "https://a:8443/mcp"] {
        let linus = config.with_linus_of(Some(another), None).linus;
        assert_eq!((linus.token_env, linus.client_cert), (None, None), "{another}");
    }
    // Without an address of its own, a token in the file is for whichever is named.
    let config = Config::from_text("[linus]\ntoken_env = \"A\"\n").expect("a configuration");
    assert_eq!(config.with_linus_of(Some("https://b/"), None), config);
}

#[test]
fn a_hosts_own_linus_is_chosen_by_the_given_name_and_shown_no_token_of_another() {
    let text = "[linus]\nurl = \"https://a/\"\ntoken_env = \"A\"\nclient_cert = \"c\"\nca_file = \"ca\"\n\
                [[host]]\nmatch = \"prod-*\"\nlinus.url = \"https://b/\"\nlinus.token_keyring = \"k\"\n\
                [[host]]\nmatch = \"*\"\nintegration.offer = false\n";
    let config = Config::from_text(text).expect("sections");
    let own = config.with_linus_of(None, Some("prod-db")).linus;
    let text_of = |value: &Option<Spanned<String>>| value.as_ref().map(|v| v.get_ref().clone());
    assert_eq!(text_of(&own.url).as_deref(), Some("https://b/"));
    assert_eq!((text_of(&own.token_env), text_of(&own.client_cert)), (None, None));
    assert_eq!(
        (text_of(&own.token_keyring).as_deref(), text_of(&own.ca_file).as_deref()),
        (Some("k"), Some("ca"))
    );
    assert_eq!(config.with_linus_of(None, Some("lab")), config);
    assert!(!config.offers_integration(&["lab"]));
    let setting = |path: &str, given: &str| {
        let all = config.settings(
            Some(given),
            &[given],
            &[("policy.mode", "--policy", Some("suggest".to_owned()))],
        );
        let setting = all.into_iter().find(|setting| setting.key.path == path).expect(path);
        (setting.value, setting.origin)
    };
    assert_eq!(setting("linus.url", "prod-db"), ("https://b/".into(), Origin::Line(8)));
    assert_eq!(setting("linus.token_env", "prod-db"), (serde_json::Value::Null, Origin::Default));
    assert_eq!(setting("linus.token_env", "lab"), ("A".into(), Origin::Line(3)));
    assert_eq!(setting("integration.offer", "lab"), (false.into(), Origin::Line(12)));
    assert_eq!(setting("policy.mode", "lab"), ("suggest".into(), Origin::Flag("--policy")));
    assert_eq!(setting("linus.tail_lines", "lab"), (100.into(), Origin::Default));
}

#[test]
fn what_is_shown_has_no_secret_and_can_be_read_again() {
    let text = "[linus]\nurl = \"https://h/mcp?key=s3cretive\"\ntoken_command = [\"echo\", \"s3cretive\"]\n\
                command_env = [\"A\"]\n[redact]\npatterns = [\"s3cret.*\"]\n[keys]\nprefix = ['C-]']\n";
    let config = Config::from_text(text).expect("a config");
    let shown = super::text(&config, &config.settings(None, &[], &[]), false);
    assert!(!shown.contains("s3cretive") && shown.contains("[\"echo\",\"…\"]"), "{shown}");
    let again = Config::from_text(&shown).unwrap_or_else(|e| panic!("{e}\n{shown}"));
    assert_eq!((again.keys, again.linus.tail_lines), (config.keys, config.linus.tail_lines));
}

#[test]
fn the_schema_says_of_a_file_what_the_program_says() {
    let validator = jsonschema::draft7::new(&schema()).expect("a schema");
    for text in [
        "",
        "[linus]\nurl = \"http://h/\"\ntail_lines = 5\n[linus.oauth]\nredirect_port = 1\n",
        "[linus]\ntail_lines = 0\n",
        "[linus]\nulr = 1\n",
        "[linus]\ncommand = \"x\"\n",
        "[keys]\nprefix = ['C-m']\n",
        "[keys]\nprefix = []\n",
        "[keys]\nprefix = ['C-\\', 'F12', 'C-a', 'C-_']\n",
        "[keys]\nprefix = ['F13']\n",
        "[panel]\nmode = \"sideways\"\n",
        "[policy]\nmode = \"auto\"\n",
        "[policy]\nchain_limit = 20\n",
        "[policy]\nchain_limit = 21\n",
        "[[host]]\nlinus.updates = \"off\"\n",
        "[[host]]\nmatch = \"a\"\nlinus.updates = \"off\"\n",
        "[[host]]\nmatch = \"a\"\nrecord.audit = false\n",
        "[record]\naudit = 1\n",
    ] {
        let file: serde_json::Value = toml::from_str(text).expect("TOML");
        assert_eq!(validator.is_valid(&file), Config::parse(text).is_ok(), "{text}");
    }
}
