# Completions of obook for fish.
function __obook_values
    set --local words (commandline --current-process --tokenize --cut-at-cursor)
    set --local token (commandline --current-token --cut-at-cursor)
    set --local values (obook complete -- $words $token 2>/dev/null)
    if set --query values[1]
        printf '%s\n' $values
        return
    end
    # Files, also behind --option=
    set --local option (string match --regex '^--[^=]+=' -- $token)
    set --local path (string replace --regex '^--[^=]+=' '' -- $token)
    printf '%s\n' "$option"(__fish_complete_path $path)
end
complete --command obook --no-files --keep-order --arguments '(__obook_values)'
