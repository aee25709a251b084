/* Asks a book about the boards on standard input, two hexadecimal numbers each, and prints what it says: the value, the moves and the
 * best line. Several threads ask at the same time and must get the same answers. Then it makes every mistake that the header allows. */
#include "obook.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define MOST 10000

_Static_assert(sizeof(obook_move) == 3, "a move has no padding");
_Static_assert(sizeof(obook_error) == OBOOK_ERROR_SIZE, "an error is its text");

typedef struct answer {
    int found, moves, line;
    int8_t value;
    obook_move move[OBOOK_MOVES], best[OBOOK_LINE];
} answer;

static obook_book *book;
static uint64_t boards[MOST][2];
static int count;

#define CHECK(holds) \
    do { \
        if (!(holds)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds); \
            exit(1); \
        } \
    } while (0)

static void *ask(void *place) {
    answer *answers = place;
    obook_error error;
    for (int i = 0; i < count; i++) {
        answer *it = &answers[i];
        uint64_t player = boards[i][0], opponent = boards[i][1];
        it->found = obook_value(book, player, opponent, &it->value, &error);
        it->moves = obook_moves(book, player, opponent, it->move, OBOOK_MOVES, &error);
        it->line = obook_line(book, player, opponent, it->best, OBOOK_LINE, &error);
        if (it->found < 0 || it->moves < 0 || it->line < 0) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
    }
    return NULL;
}

static void print(const obook_move *moves, int len) {
    for (int i = 0; i < len; i++) printf(" %d/%d/%d", moves[i].square, moves[i].score, moves[i].kind);
}

/* An error with something else behind it, to see what is written. */
typedef struct guarded {
    obook_error error;
    char behind;
} guarded;

static void fails(int result, guarded *it, const char *part) {
    CHECK(result == -1);
    CHECK(memchr(it->error.text, 0, OBOOK_ERROR_SIZE) != NULL && it->behind == 7);
    if (strstr(it->error.text, part) == NULL) {
        fprintf(stderr, "“%s” doesn't say “%s”\n", it->error.text, part);
        exit(1);
    }
    memset(&it->error, 'x', sizeof it->error);
}

static void mistakes(uint64_t player, uint64_t opponent, const char *path) {
    static char long_path[3000];
    guarded it = {.behind = 7};
    int8_t value = 99;
    obook_move moves[2] = {{7, 7, 7}, {7, 7, 7}};

    CHECK(obook_open(NULL, NULL) == NULL && obook_open("nowhere.dat", NULL) == NULL);
    fails(obook_open(NULL, &it.error) == NULL ? -1 : 0, &it, "the path is NULL");
    fails(obook_open("nowhere.dat", &it.error) == NULL ? -1 : 0, &it, "nowhere.dat: can't open");
    fails(obook_open("\xff.dat", &it.error) == NULL ? -1 : 0, &it, "not UTF-8");
    fails(obook_open(path, &it.error) == NULL ? -1 : 0, &it, "expected one of");
    /* Two bytes a letter, so that an odd length would cut one. */
    for (size_t i = 0; i + 2 < sizeof long_path; i += 2) memcpy(long_path + i, "\xc3\xa4", 2);
    CHECK(obook_open(long_path, &it.error) == NULL);
    CHECK(strlen(it.error.text) == OBOOK_ERROR_SIZE - 2 && (it.error.text[OBOOK_ERROR_SIZE - 3] & 0xff) == 0xa4);
    fails(-1, &it, "\xc3\xa4");

    fails(obook_value(NULL, player, opponent, &value, &it.error), &it, "the book is NULL");
    fails(obook_moves(NULL, player, opponent, moves, 2, &it.error), &it, "the book is NULL");
    fails(obook_line(NULL, player, opponent, moves, 2, &it.error), &it, "the book is NULL");
    fails(obook_value(book, 3, 6, &value, &it.error), &it, "both sides hold b1");
    fails(obook_moves(book, 3, 6, moves, 2, &it.error), &it, "both sides hold b1");
    fails(obook_line(book, 3, 6, moves, 2, &it.error), &it, "both sides hold b1");
    fails(obook_value(book, player, opponent, NULL, &it.error), &it, "the value is NULL");
    fails(obook_moves(book, player, opponent, NULL, 2, &it.error), &it, "the moves is NULL");
    fails(obook_line(book, player, opponent, NULL, 2, &it.error), &it, "the moves is NULL");
    CHECK(obook_value(NULL, 0, 0, NULL, NULL) == -1 && obook_moves(book, 3, 6, moves, 2, NULL) == -1);
    CHECK(value == 99 && moves[0].square == 7);

    /* Not in the book: full and empty boards. */
    CHECK(obook_value(book, ~UINT64_C(0), 0, &value, &it.error) == 0 && value == 99);
    CHECK(obook_moves(book, 0, 0, moves, 2, &it.error) == 0 && obook_line(book, 0, 0, moves, 2, &it.error) == 0);
    /* Room for none, and for one. */
    CHECK(obook_moves(book, player, opponent, NULL, 0, &it.error) == 4 && obook_line(book, player, opponent, NULL, 0, NULL) == 0);
    CHECK(obook_moves(book, player, opponent, moves, 1, &it.error) == 4 && moves[0].square < 64 && moves[1].square == 7);
    CHECK(obook_line(book, player, opponent, moves, 1, &it.error) == 1 && moves[1].square == 7);
    /* A success leaves the error alone. */
    CHECK(it.error.text[0] == 'x');
    obook_close(NULL);
}

int main(int argc, char **argv) {
    obook_error error;
    pthread_t threads[THREADS];
    static answer answers[THREADS][MOST];

    CHECK(argc == 3);
    book = obook_open(argv[1], &error);
    if (book == NULL) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    while (count < MOST && scanf("%" SCNx64 " %" SCNx64, &boards[count][0], &boards[count][1]) == 2) count++;
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, ask, answers[i]) == 0);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 1; i < THREADS; i++) CHECK(memcmp(answers[0], answers[i], sizeof answers[0]) == 0);
    printf("%s\n", obook_version());
    for (int i = 0; i < count; i++) {
        const answer *it = &answers[0][i];
        printf("%d %d", it->found, it->value);
        print(it->move, it->moves);
        printf(" :");
        print(it->best, it->line);
        printf("\n");
    }
    mistakes(boards[0][0], boards[0][1], argv[2]);
    obook_close(book);
    return 0;
}
