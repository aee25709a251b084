/* The moves of a book at the start, best first, and the best line.
 *
 * cargo build --release --package obook-c
 * cc examples/book.c -I include -L target/release -lobook_c -o book
 * LD_LIBRARY_PATH=target/release ./book examples/games.dat
 */
#include <obook.h>
#include <stdio.h>

static void print(obook_move move) {
    if (move.square == OBOOK_PASS) printf("pass");
    else printf("%c%d", 'a' + move.square % 8, 1 + move.square / 8);
}

int main(int argc, char **argv) {
    const uint64_t black = UINT64_C(0x0000000810000000), white = UINT64_C(0x0000001008000000);
    obook_move moves[OBOOK_MOVES], line[OBOOK_LINE];
    obook_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: book BOOK\n");
        return 2;
    }
    obook_book *book = obook_open(argv[1], &error);
    int count = book ? obook_moves(book, black, white, moves, OBOOK_MOVES, &error) : -1;
    int length = count < 0 ? -1 : obook_line(book, black, white, line, OBOOK_LINE, &error);
    if (length < 0) {
        fprintf(stderr, "%s\n", error.text);
        obook_close(book);
        return 1;
    }
    for (int i = 0; i < count; i++) {
        print(moves[i]);
        printf(" %+d %s\n", moves[i].score, moves[i].kind == OBOOK_LINK ? "in the book" : "leads out of the book");
    }
    for (int i = 0; i < length; i++) print(line[i]);
    printf("\n");
    obook_close(book);
    return 0;
}
