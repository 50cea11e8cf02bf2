# aissh's marks for fish: OSC 133 A, C (with the command line) and D around each prompt and command, and the directory as OSC 633;P;Cwd.
set -g __aissh_s $status; #typed
set -gu __aissh @NONCE@;
function __aissh_cwd;
  set -l d (string replace -a '\\' '\\\\' -- $PWD | string replace -a ';' '\\x3b');
  string match -qr '[[:cntrl:]]' -- $PWD; and set d '';
  printf '\033]633;P;Cwd=%s%s\007' $d $__aissh;
end;
function __aissh_prompt --on-event fish_prompt;
  __aissh_cwd;
  printf '\033]133;A%s\007' $__aissh;
end;
function __aissh_preexec --on-event fish_preexec;
  printf '\033]133;C;cmdline_url=%s%s\007' (string escape --style=url -- $argv[1]) $__aissh;
end;
function __aissh_postexec --on-event fish_postexec;
  set -l s $status;
  __aissh_cwd;
  printf '\033]133;D;%s%s\007' $s $__aissh;
end;
function __aissh_again; #typed
  return $__aissh_s; #typed
end; #typed
__aissh_again #typed
