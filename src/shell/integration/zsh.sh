# aissh's marks for zsh: OSC 133 A, B, C and D around each prompt and command, and the directory as OSC 633;P;Cwd.
__aissh_s=$? __aissh_u=$_; #typed
typeset -g +x __aissh=@NONCE@;
typeset -ga precmd_functions preexec_functions;
__aissh_precmd() {
  local s=$? d=${PWD//\\/\\\\};
  [[ $d == *[[:cntrl:]]* ]] && d=;
  printf '\033]633;P;Cwd=%s%s\007' "${d//;/\\x3b}" "$__aissh";
  printf '\033]133;D;%s%s\007\033]133;A%s\007' "$s" "$__aissh" "$__aissh";
} 2> /dev/null;
# PS1 may be new at each prompt.
__aissh_prompt() {
  if [[ -o prompt_percent ]]; then
    [[ $PS1 == *'133;B'?'%}' ]] || PS1=$PS1$'%{\033]133;B\007%}';
  fi;
} 2> /dev/null;
__aissh_preexec() { printf '\033]133;C%s\007' "$__aissh"; } 2> /dev/null;
if [[ " ${precmd_functions[*]} " == *' __aissh_precmd '* ]]; then
  :;
else
  precmd_functions=(__aissh_precmd "${precmd_functions[@]}" __aissh_prompt);
  preexec_functions+=(__aissh_preexec);
fi;
: "$__aissh_u"; #typed
(exit "$__aissh_s") && : "$__aissh_u" #typed
