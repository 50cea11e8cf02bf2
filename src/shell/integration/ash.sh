# aissh's marks for busybox ash: OSC 133 A, B and D and the directory as OSC 633;P;Cwd, all of it in PS1.
__aissh_s=$?; #typed
__aissh=@NONCE@;
case ${PS1-} in
*'133;B'*) ;;
*) PS1='\[\e]633;P;Cwd=${PWD##*[[:cntrl:];\\]*}${__aissh-}\a\e]133;D;$?${__aissh-}\a\e]133;A${__aissh-}\a\]'"${PS1-}"'\[\e]133;B\a\]';;
esac;
(exit "$__aissh_s") && : #typed
