# aissh's marks for bash: OSC 133 A, B, C and D around each prompt and command, and the directory as OSC 633;P;Cwd.
# From bash 5.1 on every element of PROMPT_COMMAND sees the status of the user's command.
__aissh_s=$? __aissh_u=$_; #typed
__aissh=@NONCE@;
export -n __aissh;
# First: what may fail below (something made readonly) must not leave the line in the history.
__aissh_h=$(HISTTIMEFORMAT= history 1); #typed
if [[ $__aissh_h == *"$__aissh"* ]]; then #typed
  __aissh_h=${__aissh_h#"${__aissh_h%%[0-9]*}"}; #typed
  history -d "${__aissh_h%%[^0-9]*}"; #typed
fi; #typed
__aissh_h=; #typed
__aissh_pre() {
  local s=$?;
  [[ ${PROMPT_COMMAND-} == __aissh_pre || ${precmd_functions-} == __aissh_pre ]] || return 0;
  printf '\033]633;P;Cwd=%s%s\007' "${PWD##*[[:cntrl:];\\]*}" "$__aissh";
  printf '\033]133;D;%s%s\007\033]133;A;redraw=0%s\007' "$s" "$__aissh" "$__aissh";
  __aissh_a=1;
} 2> /dev/null;
# PS1 may be new at each prompt. What was not told before it is told in it.
__aissh_post() {
  shopt -q promptvars || return 0;
  [[ ${PS1-} == *'133;B\a\]' ]] || PS1=${PS1-}'\[\e]133;B\a\]';
  [[ ${__aissh_a-} || $PS1 == '\[\e]633'* ]] ||
  PS1='\[\e]633;P;Cwd=${PWD##*[[:cntrl:];\\\\]*}${__aissh-}\a\e]133;D;$?${__aissh-}\a\e]133;A;redraw=0${__aissh-}\a\]'$PS1;
  __aissh_a=;
} 2> /dev/null;
[[ ${PS0-} == *'133;C'* ]] || { (unset PS0) 2> /dev/null && PS0=${PS0-}'\e]133;C${__aissh-}\a'; };
# A DEBUG trap would see what is added to PROMPT_COMMAND: then PS1 is changed once, and bash-preexec has a list of its own.
if [[ ${bash_preexec_imported-}${__bp_imported-} ]]; then
  [[ " ${precmd_functions[*]-} " == *' __aissh_post '* ]] ||
  precmd_functions=(__aissh_pre ${precmd_functions[@]+"${precmd_functions[@]}"} __aissh_post);
elif [[ $(trap -p DEBUG; (unset PROMPT_COMMAND) 2> /dev/null || echo readonly) ]]; then
  __aissh_post;
elif [[ ${PROMPT_COMMAND[*]-} == *__aissh_post* ]]; then
  :;
elif (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500 )); then
  PROMPT_COMMAND=(__aissh_pre ${PROMPT_COMMAND[@]+"${PROMPT_COMMAND[@]}"} __aissh_post);
else
  PROMPT_COMMAND=${PROMPT_COMMAND-}${PROMPT_COMMAND:+$'\n'}'${__aissh+__aissh_post}';
fi;
: "$__aissh_u"; #typed
(exit "$__aissh_s") && : "$__aissh_u" #typed
