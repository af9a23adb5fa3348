# Runs one command of a shell session: bash session.bash STATE NEW_STATE COMMAND_FILE
#
# STATE is what the command before left behind (absent for the first one); NEW_STATE is written when
# the command ends, also by `exit`, by a failure under `set -e` or by a syntax error. The last line of
# a whole state is `# flowc:end`. Environment: FLOWC_SECRETS lists names that are never saved,
# FLOWC_SECRET_NAMES is an extended expression for others; FLOWC_COMMAND marks the processes, FLOWC_OWN
# is the run's own folder in a sandbox. Where the run's folders have moved since STATE was written,
# FLOWC_FROM_0 and FLOWC_TO_0 say from where to where, and perhaps FLOWC_FROM_1 and FLOWC_TO_1.
__fc_state=$1 __fc_new=$2 __fc_cmd=$3 __fc_secret=${FLOWC_SECRET_NAMES-}
__fc_skip=" ${FLOWC_SECRETS-} FLOWC_COMMAND FLOWC_IDEMPOTENCY_KEY IFS PWD SHLVL _ PIPESTATUS"
__fc_skip+=" FUNCNAME GROUPS DIRSTACK LINENO RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME HISTCMD OPTIND OPTERR COMP_WORDBREAKS"
__fc_skip+=" SHELLOPTS UID EUID PPID "
set --
# The sandbox has a home for each command; a session keeps the run's own folder as its home.
if [[ -n ${FLOWC_OWN-} ]]; then
  if [[ -e $__fc_state ]]; then unset HOME TMPDIR; else export HOME=$FLOWC_OWN TMPDIR=$FLOWC_OWN/tmp; fi
fi
__fc_from=("${FLOWC_FROM_0-}" "${FLOWC_FROM_1-}") __fc_to=("${FLOWC_TO_0-}" "${FLOWC_TO_1-}")
unset FLOWC_SECRETS FLOWC_SECRET_NAMES FLOWC_OWN FLOWC_FROM_0 FLOWC_FROM_1 FLOWC_TO_0 FLOWC_TO_1

# Sets __fc_path to a path, or paths between colons, with each where it is now.
__fc_move() {
  local __fc_rest=$1: __fc_one __fc_n
  __fc_path=$1
  [[ $1 == *"${__fc_from[0]}"* || $1 == *"${__fc_from[1]:-${__fc_from[0]}}"* ]] || return 0
  __fc_path=
  while [[ -n $__fc_rest ]]; do
    __fc_one=${__fc_rest%%:*} __fc_rest=${__fc_rest#*:}
    for __fc_n in 0 1; do
      [[ -n ${__fc_from[__fc_n]} && $__fc_one/ == "${__fc_from[__fc_n]}"/* ]] || continue
      __fc_one=${__fc_to[__fc_n]}${__fc_one:${#__fc_from[__fc_n]}}
      break
    done
    __fc_path+=$__fc_one:
  done
  __fc_path=${__fc_path%:}
}

__fc_cd() {
  local __fc_path=$1
  [[ -z ${__fc_from[0]} ]] || __fc_move "$1"
  builtin cd -- "$__fc_path" || __fc_gone "$__fc_path"
}

# Lets the values of variables that are paths go with the run's folders.
__fc_variables() {
  [[ -n ${__fc_from[0]} ]] || return 0
  local __fc_name __fc_k __fc_path __fc_flags
  for __fc_name; do
    __fc_flags=$(builtin declare -p "$__fc_name" 2>/dev/null) || continue
    __fc_flags=${__fc_flags#* -} __fc_flags=${__fc_flags%% *}
    [[ $__fc_flags != *[rni]* ]] || continue
    local -n __fc_value=$__fc_name
    for __fc_k in "${!__fc_value[@]}"; do
      __fc_move "${__fc_value[$__fc_k]}"
      [[ $__fc_path == "${__fc_value[$__fc_k]}" ]] || __fc_value[$__fc_k]=$__fc_path
    done
    unset -n __fc_value
  done
}

__fc_gone() {
  trap - EXIT
  builtin printf '%s' "$1" >"$__fc_new.gone"
  exit 127
}

__fc_save() {
  local __fc_rc=$1 __fc_flags=$- __fc_ifs=$IFS __fc_n __fc_mask=$(umask) __fc_names=()
  shift
  local __fc_opts
  __fc_opts=$(set +o)
  set +euxC
  trap - EXIT ERR DEBUG RETURN
  umask 077
  local IFS=$'\n'
  for __fc_n in $(builtin compgen -v); do
    [[ $__fc_n == @(__fc_*|BASH*) || $__fc_skip == *" $__fc_n "* ]] && continue
    [[ -n $__fc_secret && ${__fc_n^^} =~ $__fc_secret ]] && continue
    __fc_names+=("$__fc_n")
  done
  unset -f __fc_save __fc_gone __fc_move __fc_cd __fc_variables
  {
    builtin printf '__fc_cd %q\numask %s\n' "$PWD" "$__fc_mask"
    builtin declare -p "${__fc_names[@]}"
    builtin printf 'IFS=%q\nset --' "$__fc_ifs"
    (($# == 0)) || builtin printf ' %q' "$@"
    builtin printf '\n__fc_variables'
    builtin printf ' %s' "${__fc_names[@]}"
    builtin echo
    # Before the functions, whose text may need it.
    builtin shopt -p extglob
    builtin declare -f
    builtin declare -Fx
    builtin alias -p
    builtin shopt -p
    builtin printf '%s\n' "$__fc_opts"
    # $(set +o) always says that errexit is off.
    [[ $__fc_flags != *e* ]] || builtin echo 'set -e'
    builtin echo '# flowc:end'
  } >"$__fc_new"
  exit "$__fc_rc"
}

# A forked child that dies must not write the state: only the shell itself does.
trap '{ __fc_rc=$?; [[ $BASHPID != "$$" ]] || __fc_save "$__fc_rc" "$@"; } 2>/dev/null' EXIT
[[ ! -e $__fc_state ]] || source "$__fc_state"
source "$__fc_cmd"
{
  __fc_rc=$?
  # In a fork, so that an EXIT trap of the command still runs afterwards.
  (__fc_save 0 "$@") || :
  [[ $(trap -p EXIT) != *__fc_save* ]] || trap - EXIT
} 2>/dev/null
exit "$__fc_rc"
