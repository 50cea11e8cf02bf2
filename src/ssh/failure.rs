//! Why ssh had no session, by what it printed last.

/// ssh's own words come last: what a server's banner says stands before them, and so few lines are looked at. A jump
/// host that refuses is followed by two on the link that it was to be.
const LINES: usize = 3;

/// Whether somebody refused who the user is, the host or one on the way; else the way there failed.
pub fn is_refused(printed: &str) -> bool {
    let lines = printed.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.rev().take(LINES).any(refuses)
}

/// sshconnect2.c: `user@host: Permission denied (methods).`, and what it says between two questions for a password;
/// packet.c: a disconnect with the server's reason, which sshd gives at MaxAuthTries.
fn refuses(line: &str) -> bool {
    let is_last_word = line.contains(": Permission denied (") && line.ends_with(").");
    let is_disconnect = line.starts_with("Received disconnect from ") || line.starts_with("Disconnecting ");
    is_last_word
        || line == "Permission denied, please try again."
        || is_disconnect && line.ends_with("Too many authentication failures")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_from_a_way_that_failed() {
        for refused in [
            "root@h: Permission denied (publickey,password).\r\n",
            "Warning: Permanently added 'h' (ED25519) to the list of known hosts.\r\nroot@h: Permission denied (publickey).\r\n",
            "Received disconnect from 10.0.0.1 port 22:2: Too many authentication failures\r\nDisconnected from 10.0.0.1 port 22\r\n",
            "root@h's password: \r\nPermission denied, please try again.\r\nroot@h's password: ",
            "root@jump: Permission denied (publickey).\r\nkex_exchange_identification: Connection closed by remote host\r\nConnection closed by UNKNOWN port 65535\r\n",
        ] {
            assert!(is_refused(refused), "{refused:?}");
        }
        for failed in [
            "",
            "ssh: connect to host h port 22: Connection refused\r\n",
            "ssh: Could not resolve hostname h: Name or service not known\r\n",
            "@@@@@@@@@@@\r\nHost key verification failed.\r\n",
            "Load key \"/k\": Permission denied\r\nConnection closed by 10.0.0.1 port 22\r\n",
            "Received disconnect from 10.0.0.1 port 22:11: Bye Bye\r\n",
            // A banner of the server's, and then the link fails.
            "x@y: Permission denied (publickey).\r\nof\r\nthe\r\nbanner\r\nConnection reset by 10.0.0.1 port 22\r\n",
        ] {
            assert!(!is_refused(failed), "{failed:?}");
        }
    }
}
