"""The shells, prompts and places that scripts/record-shells records.

SETUPS: name -> Setup. What is not installed is skipped. The set-ups marked `theirs` are themes and defaults as their
makers ship them; nothing of them is kept here.
"""

from dataclasses import dataclass, field

HOME = "/tmp/joe"
HOST = "web1"


@dataclass
class Setup:
    argv: list
    files: dict = field(default_factory=dict)  # in HOME
    env: dict = field(default_factory=dict)
    editing: bool = True
    language: str = "sh"
    needs: str = ""  # a path
    script: str = "shell"
    before: str = ""  # run in HOME first, as joe
    patience: float = 0  # seconds until the prompt is there
    theirs: bool = False


BASH = ["bash", "-i"]
ZSH = ["zsh", "-i"]
FISH = ["fish", "-i"]
DEBIAN = r"""PS1='\[\e]0;\u@\h: \w\a\]\u@\h:\w\$ '"""
REPOSITORY = "git init -q -b main . && git -c user.name=joe -c user.email=joe@web1 commit -q --allow-empty -m x"

BASH_MARKS = r"""
__status() { local s=$?; printf '\e]133;D;%s\a\e]133;A\a\e]7;file://web1%s\a' "$s" "$PWD"; return $s; }
PROMPT_COMMAND=__status
PS0='\e]133;C\a'
PS1='\w \$ \[\e]133;B\a\]'
"""
BASH_AID = r"""
__status() { local s=$?; printf '\e]133;D;%s;err=%s;aid=%s\a\e]133;A;cl=m;aid=%s\a' "$s" "$s" $$ $$; return $s; }
PROMPT_COMMAND=__status
PS0='\e]133;C;\a'
PS1='[\u@\h \W]\$ \[\e]133;B\a\]'
"""
BASH_633 = r"""
nonce=5f3e
__escaped() { local s=${1//\\/\\\\}; s=${s//;/\\x3b}; s=${s//$'\n'/\\x0a}; printf %s "$s"; }
__line() { printf '\e]633;E;%s;%s\a\e]633;C\a' "$(__escaped "$(HISTTIMEFORMAT= history 1 | sed 's/^ *[0-9]* *//')")" $nonce; }
__status() { local s=$?; printf '\e]633;D;%s\a\e]633;P;Cwd=%s\a' "$s" "$(__escaped "$PWD")"; return $s; }
PROMPT_COMMAND=__status
PS0='$(__line)'
PS1='\[\e]633;A\a\]\u:\W> \[\e]633;B\a\]'
"""
BASH_1337 = r"""
__status() { local s=$?; printf '\e]133;D;%s\a\e]1337;RemoteHost=%s@%s\a\e]1337;CurrentDir=%s\a\e]133;A\a' "$s" "$USER" web1 "$PWD"; return $s; }
PROMPT_COMMAND=__status
PS0='\e]133;C;\a'
PS1='$ \[\e]133;B\a\]'
"""
# What systemd 260 sends, and what 258 and 259 do: those have a number for the signal, and it is the status less 127.
SYSTEMD = r"""
__context() {
    local s=$? signal
    if [ -n "$id" ]; then
        if %s
        elif [ $s -ne 0 ]; then printf '\e]3008;end=%%s;exit=failure;status=%%d\e\\' "$id" $s
        else printf '\e]3008;end=%%s;exit=success\e\\' "$id"; fi
    fi
    printf '\e]3008;start=%%s;machineid=1;user=%%s;hostname=%%s;bootid=2;pid=%%s;type=shell;cwd=%%s\e\\' s$$ "$USER" "$HOSTNAME" $$ "$PWD"
    n=$((n + 1)); id=c$$.$n
}
PROMPT_COMMAND=__context
PS0='\e]3008;start=$id;machineid=1;user=$USER;hostname=$HOSTNAME;bootid=2;pid=$$;type=command;cwd=$PWD\e\\'
PS1='web1> '
"""
NEW = """[ $s -gt 128 ] && signal=$(kill -l $s 2>&-)
        then printf '\\e]3008;end=%s;exit=failure;status=%d;signal=SIG%s\\e\\\\' "$id" $s $signal"""
OLD = """[ $s -ge 127 ]; then printf '\\e]3008;end=%s;exit=interrupt;signal=%s\\e\\\\' "$id" $((s - 127))"""
BASH_FANCY = r"""
PROMPT_COMMAND='printf "\e[1;34m%s\e[0m at \e[33m%(%H:%M:%S)T\e[0m\n" "$PWD"'
PS1='\[\e[32m\]❯\[\e[0m\] '
"""
BASH_BOXES = r"""PS1='\[\e[31m\]┌─[\u@\h]─[\w]\n└──╼ \[\e[0m\]\$ '"""
BASH_STATUS = r"""PS1='[$?] \w\$ '"""
BASH_GIT = r"""
. /usr/lib/git-core/git-sh-prompt
GIT_PS1_SHOWDIRTYSTATE=1 GIT_PS1_SHOWUNTRACKEDFILES=1
PS1='\u@\h:\w$(__git_ps1 " (%s)")\$ '
"""
ZSH_MARKS = r"""
precmd() { local s=$?; print -nP "\e]133;D;$s\a\e]133;A\a\e]7;file://web1$PWD\a" }
preexec() { print -n "\e]133;C\a" }
PROMPT=$'%m%# %{\e]133;B\a%}'
"""
ZSH_RIGHT = r"""
PROMPT='%n@%m %# '
RPROMPT='%(?..%? )%~ %D{%H:%M:%S}'
"""
ZSH_TRANSIENT = r"""
full=$'%n@%m in %~\n%(?.❯.✗ %?) '
PROMPT=$full
zle-line-finish() { PROMPT='❯ '; RPROMPT=; zle reset-prompt }
zle -N zle-line-finish
precmd() { PROMPT=$full }
"""
# The form that oh-my-zsh's default theme made common.
ZSH_ARROW = r"""
setopt prompt_subst
git_part() { local b; b=$(git symbolic-ref --short HEAD 2>/dev/null) || return; print -n " git:($b)"; [ -z "$(git status --porcelain)" ] || print -n " ✗" }
PROMPT='%(?:%F{green}➜ :%F{red}➜ ) %F{cyan}%c%f$(git_part) '
"""
FISH_PROMPT = "function fish_prompt; echo -n joe@web1 (prompt_pwd)'> '; end\nset -U fish_greeting ''\n"
# What fish 4 sends by itself.
FISH_MARKS = r"""
set -U fish_greeting ''
function fish_prompt; printf '\e]133;A;special_key=1\a%s@%s %s> ' joe web1 (prompt_pwd); end
function __run --on-event fish_preexec; printf '\e]133;C;cmdline_url=%s\a' (string escape --style=url -- $argv[1]); end
function __ran --on-event fish_postexec; printf '\e]133;D;%s\a' $status; end
function __dir --on-event fish_prompt; printf '\e]7;file://web1%s\a' (string escape --style=url -- $PWD); end
"""
SH_MARKS = "$(printf '\\033]133;D;%s\\007\\033]133;A\\007' \"$?\")web1 $ $(printf '\\033]133;B\\007')"
# mksh takes what stands between two of the first character, after a CR, as not printing (mksh(1), PS1).
MKSH_MARKS = "PS1=$'\\001\\r'" + r"""$'\001$(printf "\033]133;D;%s\007\033]133;A\007" "$?")\001web1$ \001$(printf "\033]133;B\007")\001'""" + "\n"
TCSH_MARKS = (
    'alias postcmd \'printf "\\033]133;C\\007"\'\n'
    "set prompt='%{\033]133;D;%?\007\033]133;A\007%}%n@%m:%~%# %{\033]133;B\007%}'\n"
)
STARSHIP = "add_newline = false\n"
STARSHIP_STATUS = "[status]\ndisabled = false\n[username]\nshow_always = true\n[hostname]\nssh_only = false\n"
TMUX = "set -g status on\n"
TMUX_MAIN = 'set -ga terminal-overrides ",*:smcup@:rmcup@"\n'


def bash(rc, **more):
    return Setup(BASH, {".bashrc": rc}, **more)


def zsh(rc, **more):
    return Setup(ZSH, {".zshrc": rc}, **more)


def fish(rc, **more):
    return Setup(FISH, {".config/fish/config.fish": rc}, language="fish", **more)


SETUPS = {
    "bash-title": bash(DEBIAN),
    "bash-plain": bash("PS1='$ '"),
    "bash-marks": bash(BASH_MARKS),
    "bash-aid": bash(BASH_AID),
    "bash-633": bash(BASH_633),
    "bash-1337": bash(BASH_1337),
    "bash-3008": bash(SYSTEMD % NEW),
    "bash-3008-old": bash(SYSTEMD % OLD),
    "bash-fancy": bash(BASH_FANCY),
    "bash-boxes": bash(BASH_BOXES),
    "bash-status": bash(BASH_STATUS),
    "bash-git": bash(BASH_GIT, before=REPOSITORY, needs="/usr/lib/git-core/git-sh-prompt"),
    "bash-vi": bash(DEBIAN + "\nset -o vi\n"),
    # What bash before 5.1 and macOS's 3.2 send: readline without bracketed paste.
    "bash-nopaste": Setup(BASH, {".bashrc": DEBIAN, ".inputrc": "set enable-bracketed-paste off\n"}),
    "bash-skel": Setup(BASH, {".bashrc": open("/etc/skel/.bashrc").read()}, theirs=True),
    "zsh": zsh("PROMPT='web1%# '\n"),
    "zsh-marks": zsh(ZSH_MARKS),
    "zsh-right": zsh(ZSH_RIGHT),
    "zsh-transient": zsh(ZSH_TRANSIENT),
    "zsh-arrow": zsh(ZSH_ARROW, before=REPOSITORY),
    "zsh-macos": zsh("PROMPT='%n@%m %1~ %# '\n"),
    "fish": fish(FISH_PROMPT),
    "fish-default": fish("set -U fish_greeting ''\n", theirs=True),
    "fish-marks": fish(FISH_MARKS),
    "dash": Setup(["dash", "-i"], {}, {"PS1": "$ "}, editing=False),
    "dash-marks": Setup(["dash", "-i"], {}, {"PS1": SH_MARKS}, editing=False),
    "ash": Setup(["busybox", "ash", "-i"], {}, {"PS1": "joe@web1:\\w# "}),
    "ash-marks": Setup(["busybox", "ash", "-i"], {}, {"PS1": "\\[$(printf '\\033]133;D;%s\\007\\033]133;A\\007' \"$?\")\\]\\w # \\[$(printf '\\033]133;B\\007')\\]"}),
    "mksh": Setup(["mksh", "-i"], {".mkshrc": "PS1='web1$ '\n"}, {"ENV": HOME + "/.mkshrc"}),
    "mksh-marks": Setup(["mksh", "-i"], {".mkshrc": MKSH_MARKS}, {"ENV": HOME + "/.mkshrc"}),
    "ksh93": Setup(["ksh93", "-i", "-o", "emacs"], {}, {"PS1": "$USER@web1:$PWD$ "}),
    "tcsh": Setup(["tcsh"], {".tcshrc": "set prompt='%n@%m:%~%# '\n"}, language="csh"),
    "tcsh-marks": Setup(["tcsh"], {".tcshrc": TCSH_MARKS}, language="csh"),
    "bash-starship": bash('eval "$(starship init bash)"', needs="/usr/local/bin/starship", theirs=True, before=REPOSITORY),
    "bash-starship-status": Setup(BASH, {".bashrc": 'eval "$(starship init bash)"', ".config/starship.toml": STARSHIP + STARSHIP_STATUS},
                                  needs="/usr/local/bin/starship", theirs=True),
    "zsh-starship": zsh('eval "$(starship init zsh)"', needs="/usr/local/bin/starship", theirs=True),
    "fish-starship": fish("set -U fish_greeting ''\nstarship init fish | source\n", needs="/usr/local/bin/starship", theirs=True),
    "bash-liquid": bash(". /usr/share/liquidprompt/liquidprompt", needs="/usr/share/liquidprompt/liquidprompt", theirs=True),
    "zsh-liquid": zsh(". /usr/share/liquidprompt/liquidprompt", needs="/usr/share/liquidprompt/liquidprompt", theirs=True),
    "zsh-p9k": zsh(". /usr/share/powerlevel9k/powerlevel9k.zsh-theme", needs="/usr/share/powerlevel9k/powerlevel9k.zsh-theme",
                   theirs=True, before=REPOSITORY, patience=1.0),
    "zsh-pure": zsh("fpath+=(/usr/local/share/pure-prompt)\nautoload -U promptinit; promptinit; prompt pure\n",
                    needs="/usr/local/share/pure-prompt/prompt_pure_setup", theirs=True, before=REPOSITORY),
    "zsh-adam": zsh("autoload -U promptinit; promptinit; prompt adam1\n", theirs=True),
    "fizsh": Setup(["fizsh"], {}, needs="/usr/bin/fizsh", theirs=True),
    "bash-powerline": bash(". /usr/share/powerline/bindings/bash/powerline.sh",
                           needs="/usr/share/powerline/bindings/bash/powerline.sh", theirs=True, patience=1.5),
    "nested-title": bash(DEBIAN, script="nested"),
    "nested-3008": bash(SYSTEMD % NEW, script="nested"),
    "nested-marks": bash(BASH_MARKS, script="nested"),
    "nested-plain": bash("PS1='$ '", script="nested"),
    "nested-dash": Setup(["dash", "-i"], {}, {"PS1": "joe@web1$ "}, editing=False, script="nested"),
    "tmux": Setup(BASH, {".bashrc": DEBIAN, ".tmux.conf": TMUX}, script="tmux"),
    "tmux-main": Setup(BASH, {".bashrc": DEBIAN, ".tmux.conf": TMUX_MAIN}, script="tmux"),
}
