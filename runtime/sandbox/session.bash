# Runs one command of a shell session: bash session.bash STATE NEW_STATE COMMAND_FILE
#
# STATE is what the command before left behind (absent for the first one); NEW_STATE is written when
# the command ends, also by `exit`, by a failure under `set -e` or by a syntax error. The last line of
# a whole state is `# flowc:end`. Environment: FLOWC_SECRETS lists names that are never saved,
# FLOWC_SECRET_NAMES is an extended expression for others; FLOWC_COMMAND marks the processes, FLOWC_OWN
# is the run's own folder in a sandbox.
__fc_state=$1 __fc_new=$2 __fc_cmd=$3 __fc_secret=${FLOWC_SECRET_NAMES-}
__fc_skip=" ${FLOWC_SECRETS-} FLOWC_COMMAND FLOWC_IDEMPOTENCY_KEY IFS PWD SHLVL _ PIPESTATUS"
__fc_skip+=" FUNCNAME GROUPS DIRSTACK LINENO RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME HISTCMD OPTIND OPTERR COMP_WORDBREAKS"
__fc_skip+=" SHELLOPTS UID EUID PPID "
set --
# The sandbox has a home for each command; a session keeps the run's own folder as its home.
if [[ -n ${FLOWC_OWN-} ]]; then
  if [[ -e $__fc_state ]]; then unset HOME TMPDIR; else export HOME=$FLOWC_OWN TMPDIR=$FLOWC_OWN/tmp; fi
fi
unset FLOWC_SECRETS FLOWC_SECRET_NAMES FLOWC_OWN

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
  unset -f __fc_save __fc_gone
  {
    builtin printf 'builtin cd -- %q || __fc_gone %q\numask %s\n' "$PWD" "$PWD" "$__fc_mask"
    builtin declare -p "${__fc_names[@]}"
    builtin printf 'IFS=%q\nset --' "$__fc_ifs"
    (($# == 0)) || builtin printf ' %q' "$@"
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
