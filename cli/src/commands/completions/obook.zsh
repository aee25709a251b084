#compdef obook
# Completions of obook for zsh.
_obook() {
    local line
    local -a values lines
    for line in "${(@f)$(_call_program values ${(q)words[1]} complete -- ${(q)words[1,CURRENT]} 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        values+=("${line%%$'\t'*}")
        lines+=("${line/$'\t'/  }")
    done
    if (( $#values )); then
        compadd -U -l -V obook -d lines -a values
    else
        # Files, also behind --option=
        compset -P '*='
        _files
    fi
}
if [[ $funcstack[1] == _obook ]]; then
    _obook "$@"
else
    compdef _obook obook
fi
