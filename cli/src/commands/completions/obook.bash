# Completions of obook for bash.
_obook() {
    local value help program="${1/#\~/$HOME}"
    COMPREPLY=()
    while IFS=$'\t' read -r value help; do
        COMPREPLY+=("$value")
    done < <("$program" complete -- "${COMP_WORDS[@]:0:COMP_CWORD}" "$2" 2>/dev/null)
    # Bash then quotes values with spaces, as it does with names of files.
    if [[ "${COMPREPLY[*]}" == *\ * ]]; then
        compopt -o filenames 2>/dev/null
    fi
}
# Files if there is nothing else. Versions before 4.4 don't know "nosort".
complete -o default -o nosort -F _obook obook 2>/dev/null || complete -o default -F _obook obook
