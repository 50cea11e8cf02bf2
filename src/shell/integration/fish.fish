# aissh's marks for fish: OSC 133 A, C and D around each prompt and command, and the directory as OSC 633;P;Cwd.
set -g __aissh_s $status; #typed
set -gu __aissh @NONCE@;
function __aissh_prompt --on-event fish_prompt;
  set -l d (string replace -a '\\' '\\\\' -- $PWD | string replace -a ';' '\\x3b');
  string match -qr '[[:cntrl:]]' -- $PWD; or printf '\033]633;P;Cwd=%s%s\007' $d $__aissh;
  printf '\033]133;A%s\007' $__aissh;
end;
function __aissh_preexec --on-event fish_preexec;
  printf '\033]133;C%s\007' $__aissh;
end;
function __aissh_postexec --on-event fish_postexec;
  printf '\033]133;D;%s%s\007' $status $__aissh;
end;
function __aissh_again; #typed
  return $__aissh_s; #typed
end; #typed
__aissh_again #typed
