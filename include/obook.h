/* obook: Othello opening books for programs in C and C++.
 *
 * Opens a book of any format that obook reads: a database of obook, which answers at once, or a file of Edax, Egaroucid, NTest,
 * Zebra or Othello Sensei, which is read first. Books are only read.
 *
 *     cargo build --release --package obook-c    makes libobook_c.so, .dylib, or obook_c.dll
 *     cc engine.c -I include -L target/release -lobook_c
 *
 * Boards. `player` has the discs of the side to move, `opponent` those of the other: bit 0 is a1, bit 1 is b1, bit 63 is h8.
 * Any of a position's eight symmetric boards will do; moves are those of the board that is asked about.
 *
 * Scores are discs for the side to move, from -64 to 64.
 *
 * Results. Functions that answer return -1 if they fail, and 0 if the book doesn't know the answer. `error` may be NULL; otherwise
 * it holds the reason after a failure, and is left alone after a success.
 *
 * Threads. Any number of threads may ask the same book at the same time, and none waits for another while it asks. Only
 * obook_open and obook_close belong to one thread: no other may use the book before the first returns or once the second is
 * called. An open book sees what other programs commit to its database.
 *
 * Memory. The library never keeps a pointer that it is given, and all that it returns is in memory of the caller, except for the
 * book, which obook_close frees. Don't unload the library (dlclose): it has threads of its own. A database is mapped into memory: a
 * disk that fails meanwhile ends the process. After fork, the child opens its own book.
 *
 * This interface keeps its meaning within one major version of obook.
 */
#ifndef OBOOK_H
#define OBOOK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A book that is open. */
typedef struct obook_book obook_book;

/* Why a call failed: a sentence in UTF-8 that names the file. It always ends with a zero; longer ones are cut. */
#define OBOOK_ERROR_SIZE 1024
typedef struct obook_error {
    char text[OBOOK_ERROR_SIZE];
} obook_error;

/* A move of a book. */
typedef struct obook_move {
    uint8_t square; /* 0 is a1, 1 is b1, 63 is h8 */
    int8_t score;   /* for the side that makes the move */
    uint8_t kind;   /* OBOOK_LINK or OBOOK_LEAF */
} obook_move;

#define OBOOK_PASS 64      /* a square: the side to move has no move, the other has one */
#define OBOOK_NO_SCORE 127 /* a score: the book has none for this move */
#define OBOOK_LINK 0       /* a kind: the move leads to another position of the book */
#define OBOOK_LEAF 1       /* a kind: the move leads out of the book, and was searched */
#define OBOOK_MOVES 64     /* a capacity: no board has more moves */
#define OBOOK_LINE 128     /* a capacity: no line has more moves, passes included */

/* Opens a book; `path` is UTF-8. A database opens in a millisecond; a file of another program is read into memory, or into a
 * temporary database if it doesn't fit. Returns NULL after a failure. */
obook_book *obook_open(const char *path, obook_error *error);

/* Closes a book. NULL is allowed. */
void obook_close(obook_book *book);

/* Writes the value of a board to `value`: the score of its best move. Returns 1; 0 if the book has no value for it; or -1. */
int obook_value(const obook_book *book, uint64_t player, uint64_t opponent, int8_t *value, obook_error *error);

/* Writes the moves that the book knows on a board, best first; of equal ones links come first. All of them are legal, and those
 * that the board's own symmetry makes the same are all there. Writes at most `capacity`, but returns how many there are; or -1. */
int obook_moves(const obook_book *book, uint64_t player, uint64_t opponent, obook_move *moves, size_t capacity,
                obook_error *error);

/* Writes the best play from a board, move by move, to the end of the book; passes are moves, too. Stops after `capacity` moves.
 * Returns how many it wrote, or -1. */
int obook_line(const obook_book *book, uint64_t player, uint64_t opponent, obook_move *moves, size_t capacity,
               obook_error *error);

/* The version of the library, such as "0.1.0". */
const char *obook_version(void);

#ifdef __cplusplus
}
#endif

#endif
