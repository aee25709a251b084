#!/bin/sh
# Imports a real Edax book, asks it in SQL, and exports it again, record by record the same.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --locked
obook=$PWD/target/release/obook
book=$PWD/tests/data/edax/games.dat
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

run() {
    printf '\n$ obook'
    for word in "$@"; do
        case $word in
            *[!a-zA-Z0-9./_-]*) printf " '%s'" "$word" ;;
            *) printf ' %s' "$word" ;;
        esac
    done
    echo
    "$obook" "$@"
}

cp "$book" games.dat
run import games.dat --book games.obook
run info games.obook
run show games.obook f5
run query games.obook 'SELECT empties, count(*) AS positions, min(value), max(value)
FROM positions WHERE empties >= 50 GROUP BY empties ORDER BY empties DESC'
run export games.obook back.dat
run stats games.dat --json >before.json
run stats back.dat --json >after.json
tail -n +3 before.json >before && tail -n +3 after.json >after && cmp before after
echo
echo "games.dat and back.dat contain the same book."

# Removes all leaves from a small book, and searches them again with the built-in engine.
run subtree games.dat f5d6 --output small.dat
run import small.dat --book small.obook
run query small.obook 'DELETE FROM leaves WHERE move IS NOT NULL' --write
run fix small.obook
run search small.obook --level 8
run verify small.obook
run verify games.dat --sample 20 --level 8 --seed 1
