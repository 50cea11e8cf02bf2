# aissh's marks for mksh and ksh93: OSC 133 A, B and D and the directory as OSC 633;P;Cwd, all of it in PS1.
__aissh_s=$? __aissh_u=$_; #typed
typeset +x __aissh=@NONCE@;
__aissh_p=$'\033]633;P;Cwd=${PWD##*[[:cntrl:];\\\\]*}${__aissh-}\007\033]133;D;$?${__aissh-}\007\033]133;A${__aissh-}\007';
case ${PS1-} in
*'133;B'*) ;;
*) case ${KSH_VERSION-} in
  *MIRBSD*|*LEGACY*) case $PS1 in
    ?$'\r'*) __aissh_d=${PS1%"${PS1#?}"}; PS1=${PS1#??};;
    *) __aissh_d=$'\001';;
    esac;
    PS1=$__aissh_d$'\r'$__aissh_d$__aissh_p$__aissh_d$PS1$__aissh_d$'\033]133;B\007'$__aissh_d;;
  *) PS1=$__aissh_p${PS1-}$'\033]133;B\007';;
  esac;;
esac;
: "$__aissh_u"; #typed
(exit "$__aissh_s") && : "$__aissh_u" #typed
