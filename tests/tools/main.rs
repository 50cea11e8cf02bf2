//! Everything that calls ssh works the same with aissh in its place.
//!
//! A case is a shell function in `cases/*.sh`; `run` runs one, and `scripts/tool-matrix` shows them all. Here each is
//! run with plain ssh, where it has to succeed, and with aissh, where standard output, standard error and the exit
//! status have to be the same bytes.

#![allow(clippy::unwrap_used, reason = "a failed one is the failure")]

#[path = "../support/mod.rs"]
mod support;

mod cases;
mod guard;
mod terminal;

use cases::{same, same_by_option, same_in_path, same_in_shell, same_with_account};

#[test]
fn git_clones_with_each_of_its_options() {
    same("git_clone");
}

#[test]
fn git_pushes_with_each_of_its_options() {
    same("git_push");
}

#[test]
fn git_lists_and_reports_what_is_not_there() {
    same("git_ls_remote");
}

#[test]
fn git_goes_over_a_jump_host() {
    same("git_jump");
}

#[test]
fn rsync_brings_3_mb_there_and_back() {
    same("rsync");
}

#[test]
fn scp_brings_3_mb_there_and_back_in_both_protocols() {
    same("scp");
    same("scp_old_protocol");
}

#[test]
fn scp_goes_between_hosts_and_over_a_jump_host() {
    same("scp_between_hosts");
    same("scp_jump");
}

#[test]
fn sftp_brings_3_mb_there_and_back() {
    same("sftp");
}

#[test]
fn tools_with_a_terminal_around_them_show_the_same_on_it() {
    same("tools_in_a_terminal");
}

#[test]
fn binary_data_goes_through_pipes_unchanged() {
    same_in_shell("pipes");
}

#[test]
fn proxy_jump_goes_through_one_and_two_hosts() {
    same("proxy_jump");
}

#[test]
fn proxy_command_is_ssh_itself() {
    same("proxy_command");
}

#[test]
fn match_exec_is_run_as_often_as_by_ssh() {
    same_in_shell("match_exec");
}

#[test]
fn a_forward_goes_to_the_background() {
    same_in_shell("background_forward");
}

#[test]
fn a_forward_outlives_its_terminal() {
    same_in_shell("background_forward_in_a_terminal");
}

#[test]
fn a_remote_forward_goes_to_the_background() {
    same_in_shell("remote_forward");
}

#[test]
fn standard_streams_are_a_connection() {
    same_in_shell("stdio_forward");
}

#[test]
fn a_socks_client_connects_through_ssh() {
    same_in_shell("dynamic_forward");
}

#[test]
fn the_first_session_does_not_wait_for_the_master_it_leaves_behind() {
    same_in_shell("control_persist");
    same_in_shell("control_persist_verbose");
}

#[test]
fn nor_does_it_in_a_terminal() {
    same_in_shell("control_persist_in_a_terminal");
}

#[test]
fn mosh_starts_its_server() {
    same_in_shell("mosh_like");
}

#[test]
fn here_documents_are_input() {
    same_in_shell("here_document");
}

#[test]
fn process_substitution_is_a_pipe() {
    same_in_shell("process_substitution");
}

#[test]
fn command_substitution_gets_the_output_and_the_status() {
    same_in_shell("command_substitution");
}

#[test]
fn a_fifo_is_input_until_its_last_writer_closes_it() {
    same_in_shell("fifo");
}

#[test]
fn closed_streams_stay_closed() {
    same_in_shell("closed_streams");
}

#[test]
fn a_reader_that_leaves_ends_ssh() {
    same_in_shell("reader_that_leaves");
}

#[test]
fn redirected_errors_stay_out_of_the_terminal() {
    same_in_shell("redirected_stderr_in_a_terminal");
}

#[test]
fn a_script_is_piped_into_a_shell_without_terminal() {
    same_in_shell("piped_script");
}

#[test]
fn exit_statuses_and_messages_are_those_of_ssh() {
    same_in_shell("statuses");
}

#[test]
fn cron_runs_it_without_terminal_or_environment() {
    same_in_shell("cron");
}

#[test]
fn nohup_keeps_its_meaning() {
    same_in_shell("nohup");
}

#[test]
fn ignored_and_blocked_signals_are_handed_on() {
    same_in_shell("signals");
}

#[test]
fn the_environment_is_handed_on_to_the_byte() {
    same_in_shell("environment");
}

#[test]
fn scripts_run_it_in_the_background() {
    same_in_shell("background");
}

#[test]
fn job_control_stops_what_it_stops_with_ssh_and_nothing_else() {
    same_in_shell("job_control");
}

#[test]
fn ssh_config_decides_about_the_terminal() {
    same_in_shell("config_request_tty");
    same_in_shell("config_stdin_null");
}

#[test]
fn ssh_config_decides_about_the_command() {
    same_in_shell("config_remote_command");
    same_in_shell("config_session_type");
}

#[test]
fn ssh_config_decides_about_the_background() {
    same_in_shell("config_fork");
}

#[test]
fn an_alias_in_an_interactive_shell_is_enough() {
    same_by_option("alias");
}

#[test]
fn ssh_copy_id_installs_a_key() {
    same_in_path("ssh_copy_id");
}

#[test]
fn autossh_starts_it_again() {
    same("autossh");
}

#[test]
fn tools_that_are_installed_seldom_call_it_too() {
    for case in ["mosh", "parallel", "pdsh", "sshfs"] {
        same(case);
    }
}

#[test]
fn sshpass_answers_for_the_user() {
    same_with_account("sshpass");
    same_with_account("sshpass_in_a_terminal");
}

#[test]
fn askpass_answers_for_the_user() {
    same_with_account("askpass");
}
