//! The forms that prompts of network devices have, taken apart: whose it is, and in which mode.
//!
//! A form alone names no dialect: `web1#` is root's on many hosts, `[joe@web1] >` anybody's. What changes between
//! two prompts of one device does; see [`super::clues`].

/// Longer texts are no prompts.
const MAX_PROMPT: usize = 160;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `Router>` `Router#` `Router(config-if)#`: IOS, NX-OS, EOS, FRR's vtysh.
    Cisco,
    /// `joe@host>` `joe@host#`: Junos, PAN-OS.
    UserHost,
    /// `<HUAWEI>` `[HUAWEI]` `[~HUAWEI-bgp]`: VRP, Comware.
    Angle,
    /// `[admin@MikroTik] >` `[admin@MikroTik] /ip/address>`
    Menu,
    /// `FortiGate-VM64 #` `FortiGate-VM64 (global) #`
    Spaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prompt<'t> {
    pub(super) form: Form,
    /// The device's name, with the user where the prompt shows one. In `[HUAWEI-bgp]` the view is a part of it.
    pub(super) name: &'t str,
    pub(super) mode: &'t str,
    /// The last sign, or `[` for VRP's system views.
    pub(super) sign: char,
}

impl<'t> Prompt<'t> {
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let prompt = text.trim_end();
        if text.len() > MAX_PROMPT || text.len() - prompt.len() > 1 {
            return None;
        }
        let rest = prompt.trim_start();
        menu(rest).or_else(|| angle(rest)).or_else(|| spaced(rest)).or_else(|| plain(rest))
    }

    /// Whether the two are prompts of one device, whatever their modes.
    pub(super) fn is_sibling(&self, other: &Self) -> bool {
        let view_of = |a: &Self, b: &Self| {
            a.sign == '<' && b.sign == '[' && b.name.strip_prefix(a.name).is_some_and(|v| v.starts_with('-'))
        };
        self.form == other.form
            && (self.name == other.name
                || view_of(self, other)
                || view_of(other, self)
                || (self.sign, other.sign) == ('[', '[') && same_device(self.name, other.name))
    }
}

/// `HUAWEI-bgp` and `HUAWEI-GigabitEthernet0/0/1`, or one of them and `HUAWEI`.
fn same_device(a: &str, b: &str) -> bool {
    let within = |a: &str, b: &str| b.strip_prefix(a).is_some_and(|view| view.starts_with('-'));
    within(a, b) || within(b, a)
}

fn is_name(text: &str) -> bool {
    let ok = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':');
    text.starts_with(char::is_alphanumeric) && text.chars().all(ok)
}

fn is_user_host(text: &str) -> bool {
    let word = |t: &str| !t.is_empty() && t.chars().all(|c| c.is_alphanumeric() || "._-+".contains(c));
    text.split_once('@').is_some_and(|(user, host)| word(user) && word(host))
}

/// `name` and what stands in brackets at its end.
fn bracketed(text: &str) -> (&str, &str) {
    match text.split_once('(') {
        Some((name, mode)) if mode.ends_with(')') => (name, mode.strip_suffix(')').unwrap_or(mode)),
        _ => (text, ""),
    }
}

fn plain(text: &str) -> Option<Prompt<'_>> {
    let sign = text.chars().next_back().filter(|c| matches!(c, '>' | '#'))?;
    let (name, mode) = bracketed(text.strip_suffix(sign)?);
    let form = if is_user_host(name) {
        Form::UserHost
    } else if is_name(name) {
        Form::Cisco
    } else {
        return None;
    };
    Some(Prompt { form, name, mode, sign })
}

fn spaced(text: &str) -> Option<Prompt<'_>> {
    let sign = text.chars().next_back().filter(|c| matches!(c, '$' | '#'))?;
    let (name, mode) = bracketed(text.strip_suffix(sign)?.strip_suffix(' ')?);
    let name = if mode.is_empty() { name } else { name.strip_suffix(' ')? };
    is_name(name).then_some(Prompt { form: Form::Spaced, name, mode, sign })
}

fn angle(text: &str) -> Option<Prompt<'_>> {
    let between = |open, close| text.strip_prefix(open)?.strip_suffix(close);
    let (name, sign) = between('<', '>').map(|n| (n, '<')).or(between('[', ']').map(|n| (n, '[')))?;
    // VRP 8 shows by these that the candidate configuration differs.
    let mode = if sign == '[' { name.get(..1).filter(|m| matches!(*m, "~" | "*")).unwrap_or("") } else { "" };
    let name = name.strip_prefix(mode)?;
    is_name(name).then_some(Prompt { form: Form::Angle, name, mode, sign })
}

fn menu(text: &str) -> Option<Prompt<'_>> {
    let (name, rest) = text.strip_prefix('[')?.split_once(']')?;
    let mode = rest.strip_suffix('>').or_else(|| rest.strip_suffix("> <SAFE>"))?;
    is_user_host(name).then_some(Prompt { form: Form::Menu, name, mode: mode.trim(), sign: '>' })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(Form, &str, &str, char)> {
        Prompt::read(text).map(|p| (p.form, p.name, p.mode, p.sign))
    }

    #[test]
    fn forms_are_taken_apart() {
        assert_eq!(read("Router>"), Some((Form::Cisco, "Router", "", '>')));
        assert_eq!(read("sw-1.lab(config-if)# "), Some((Form::Cisco, "sw-1.lab", "config-if", '#')));
        assert_eq!(read("lab@vSRX-1> "), Some((Form::UserHost, "lab@vSRX-1", "", '>')));
        assert_eq!(read("admin@PA-460(active)> "), Some((Form::UserHost, "admin@PA-460", "active", '>')));
        assert_eq!(read("<HUAWEI>"), Some((Form::Angle, "HUAWEI", "", '<')));
        assert_eq!(read("[~HUAWEI-bgp]"), Some((Form::Angle, "HUAWEI-bgp", "~", '[')));
        assert_eq!(read("[admin@MikroTik] > "), Some((Form::Menu, "admin@MikroTik", "", '>')));
        assert_eq!(read("[a@b] /ip/address> "), Some((Form::Menu, "a@b", "/ip/address", '>')));
        assert_eq!(read("FGT-01 (global) # "), Some((Form::Spaced, "FGT-01", "global", '#')));
        for none in ["joe@web1:~$ ", "[joe@web1 ~]$ ", "[joe@web1 ~]# ", "$ ", "# ", "> ", ">>> ", "shop=# "]
        {
            assert_eq!(read(none), None, "{none}");
        }
    }

    #[test]
    fn siblings_are_prompts_of_one_device() {
        let siblings = |a, b| Prompt::read(a).unwrap().is_sibling(&Prompt::read(b).unwrap());
        assert!(siblings("R1>", "R1#") && siblings("R1#", "R1(config-if)#"));
        assert!(siblings("<HUAWEI>", "[HUAWEI]") && siblings("[HUAWEI]", "[~HUAWEI-bgp]"));
        assert!(siblings("[a@b] > ", "[a@b] /ip> ") && siblings("FGT # ", "FGT (global) # "));
        assert!(!siblings("R1#", "R2#") && !siblings("R1#", "FGT # ") && !siblings("<A>", "[B]"));
        assert!(!siblings("[A-x]", "[B-x]"));
    }
}
