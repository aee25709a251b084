#!/bin/sh
# Imports a real Edax book, asks it in SQL, and exports it again, record by record the same. Then a book of shogi with repetitions.
set -eu
cd "$(dirname "$0")/.."
cargo build --release --locked
obook=$PWD/target/release/obook
book=$PWD/tests/data/edax/games.dat
shogi=$PWD/shogi/tests/data/golden/q1_quiet_or_check.db
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

# A book of shogi in which positions come back: with what score, and how the best line ends.
cp "$shogi" shogi.db
run import shogi.db --book shogi.obook
run fix shogi.obook
run why shogi.obook 8k/6+R2/9/9/4g4/9/9/9/K8 b -
run export shogi.obook user_book1.db

# Removes all leaves from a small book, and searches them again with the built-in engine.
run subtree games.dat f5d6 --output small.dat
run import small.dat --book small.obook
run query small.obook 'DELETE FROM leaves WHERE move IS NOT NULL' --write
run fix small.obook
run search small.obook --level 8
run verify small.obook
run verify games.dat --sample 20 --level 8 --seed 1
