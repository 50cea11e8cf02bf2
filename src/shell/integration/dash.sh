# aissh's marks for dash: OSC 133 A, B and D and the directory as OSC 633;P;Cwd, all of it in PS1.
__aissh_s=$?; #typed
__aissh=@NONCE@;
case ${PS1-} in
*'133;B'*) ;;
*) PS1="$(printf '\033]633;P;Cwd=${PWD##*[[:cntrl:];\\\\]*}${__aissh-}\007\033]133;D;$?${__aissh-}\007\033]133;A${__aissh-}\007')${PS1-}$(printf '\033]133;B\007')";;
esac;
(exit "$__aissh_s") && : #typed
