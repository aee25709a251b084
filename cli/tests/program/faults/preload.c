/*
 * Loaded before the C library, this counts the calls by which a process reads and writes files below a folder, and lets
 * the call with one number fail, or ends the process there.
 *
 *   FAULT_ROOT  the folder
 *   FAULT_LOG   a file to which each call is appended: its number and its name
 *   FAULT_AT    the number of the call, from 1; with power, 0 for the end of the process
 *   FAULT_HOW   what happens there: eio, blind (no read from there on), full (and from there on), short, kill, power
 *   FAULT_SEED  what a power cut keeps of what was written but not flushed: nothing for 0, else some of it
 *   FAULT_LOCKS a file to which the name of each file is appended on which the process gives up a lock by mistake: it closes one
 *               descriptor of the file while it has a lock by another one
 *
 * Calls of the kernel are made directly: no wrapper of the C library comes in between, and nothing has to be looked up.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum how { NEVER, EIO_ONCE, BLIND, FULL, SHORT, KILL, POWER };
enum fate { GO, FAIL, HALF };

static const char *root;
static size_t root_len;
static long at;
static enum how how;
static unsigned long seed;
static int log_fd = -1;
static int locks_fd = -1;
static long calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void start(void)
{
    static const char *const names[] = {"", "eio", "blind", "full", "short", "kill", "power"};
    const char *text = getenv("FAULT_HOW");
    for (int i = 1; text && i <= POWER; i++)
        if (strcmp(text, names[i]) == 0)
            how = i;
    text = getenv("FAULT_AT");
    at = text ? atol(text) : 0;
    text = getenv("FAULT_SEED");
    seed = text ? strtoul(text, NULL, 10) : 0;
    text = getenv("FAULT_LOG");
    if (text)
        log_fd = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    text = getenv("FAULT_LOCKS");
    if (text)
        locks_fd = syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    root = getenv("FAULT_ROOT");
    root_len = root ? strlen(root) : 0;
}

static int below(const char *path)
{
    return root && strncmp(path, root, root_len) == 0 && (path[root_len] == '/' || path[root_len] == 0);
}

static int fd_below(int fd)
{
    char link[40], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (!root || length < 0)
        return 0;
    path[length] = 0;
    return below(path);
}

/* Reading from a file without a name is reading back what the process itself wrote. */
static const char *reading(int fd)
{
    struct stat found;
    return fstat(fd, &found) == 0 && found.st_nlink == 0 ? "read back" : "read";
}

static int path_below(int dir, const char *path)
{
    if (!path)
        return 0;
    if (path[0] == '/')
        return below(path);
    if (dir != AT_FDCWD)
        return fd_below(dir);
    char here[PATH_MAX];
    return syscall(SYS_getcwd, here, sizeof here) > 0 && below(here);
}

/* What a power cut takes back: contents that were overwritten since the file was last flushed. */
struct file {
    dev_t device;
    ino_t inode;
    int fd;
    off_t flushed;
    struct file *next;
};
struct written {
    struct file *file;
    off_t offset;
    size_t length;
    char *old;
    struct written *before;
};
static struct file *files;
static struct written *last;

static struct file *file_of(int fd)
{
    struct stat found;
    if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
        return NULL;
    for (struct file *file = files; file; file = file->next)
        if (file->device == found.st_dev && file->inode == found.st_ino)
            return file;
    struct file *file = calloc(1, sizeof *file);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    /* Never closed: that would give up the process's locks on the file. */
    file->fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    file->device = found.st_dev;
    file->inode = found.st_ino;
    file->flushed = found.st_size;
    file->next = files;
    files = file;
    return file;
}

static void remember(int fd, off_t offset, size_t length)
{
    struct file *file = how == POWER ? file_of(fd) : NULL;
    if (!file || file->fd < 0)
        return;
    struct written *written = calloc(1, sizeof *written);
    written->file = file;
    written->offset = offset < 0 ? syscall(SYS_lseek, fd, 0, SEEK_CUR) : offset;
    written->length = length;
    written->old = calloc(1, length + 1);
    /* What is beyond the end was zeros. */
    syscall(SYS_pread64, file->fd, written->old, length, written->offset);
    written->before = last;
    last = written;
}

static void flushed(int fd)
{
    struct file *file = how == POWER ? file_of(fd) : NULL;
    struct stat found;
    if (!file || fstat(fd, &found) != 0)
        return;
    file->flushed = found.st_size;
    for (struct written **at = &last; *at;) {
        struct written *written = *at;
        if (written->file == file) {
            *at = written->before;
            free(written->old);
            free(written);
        } else {
            at = &written->before;
        }
    }
}

static int kept(void)
{
    if (seed == 0)
        return 0;
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return seed >> 63;
}

static void cut_power(void)
{
    for (struct written *written = last; written; written = written->before) {
        struct file *file = written->file;
        off_t end = written->offset + (off_t)written->length;
        if (kept()) {
            if (end > file->flushed)
                file->flushed = end;
            continue;
        }
        /* What was not there before reads as zeros, or is cut off below. */
        struct stat found;
        if (fstat(file->fd, &found) == 0 && written->offset < found.st_size) {
            size_t room = found.st_size - written->offset;
            size_t length = written->length < room ? written->length : room;
            syscall(SYS_pwrite64, file->fd, written->old, length, written->offset);
        }
    }
    for (struct file *file = files; file; file = file->next) {
        struct stat found;
        if (fstat(file->fd, &found) == 0 && found.st_size > file->flushed)
            syscall(SYS_ftruncate, file->fd, file->flushed);
    }
}

__attribute__((destructor)) static void end(void)
{
    if (how == POWER && at == 0)
        cut_power();
}

/* Counts a call; `room` says whether it needs room on the disk. Holds the lock on the count until `done`. */
static enum fate begin(const char *name, int room)
{
    pthread_mutex_lock(&lock);
    long number = ++calls;
    if (log_fd >= 0) {
        char line[64];
        int length = snprintf(line, sizeof line, "%ld %s\n", number, name);
        syscall(SYS_write, log_fd, line, length);
    }
    if (number < at || at == 0)
        return GO;
    switch (how) {
    case EIO_ONCE:
        if (number != at)
            return GO;
        errno = EIO;
        return FAIL;
    case BLIND:
        if (strncmp(name, "read", 4) != 0)
            return GO;
        errno = EIO;
        return FAIL;
    case FULL:
        if (!room)
            return GO;
        errno = ENOSPC;
        return FAIL;
    case SHORT:
        return number == at ? HALF : GO;
    case POWER:
        cut_power();
        /* fall through */
    case KILL:
        syscall(SYS_kill, getpid(), SIGKILL);
        pause();
    default:
        return GO;
    }
}

static void done(void)
{
    pthread_mutex_unlock(&lock);
}

/* The whole of a file of the kernel, as a text. */
static void kernel_file(const char *name, char *text, size_t size)
{
    int fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
    size_t length = 0;
    ssize_t more = 1;
    while (fd >= 0 && more > 0 && length < size - 1) {
        more = syscall(SYS_read, fd, text + length, size - 1 - length);
        if (more > 0)
            length += more;
    }
    text[length] = 0;
    if (fd >= 0)
        syscall(SYS_close, fd);
}

/* Whether the process has a lock on the file of a descriptor, but not by this descriptor. */
static int gives_up_lock(int fd)
{
    static char text[1 << 16];
    char name[48], inode[32];
    struct stat found;
    if (fstat(fd, &found) != 0 || !S_ISREG(found.st_mode))
        return 0;
    snprintf(name, sizeof name, "/proc/self/fdinfo/%d", fd);
    kernel_file(name, text, sizeof text);
    if (strstr(text, "lock:"))
        return 0;
    kernel_file("/proc/locks", text, sizeof text);
    snprintf(inode, sizeof inode, ":%lu ", (unsigned long)found.st_ino);
    for (char *rest, *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        int process;
        const char *kind = strstr(line, "POSIX");
        if (kind && strstr(line, inode) && sscanf(kind, "POSIX %*s %*s %d", &process) == 1 && process == getpid())
            return 1;
    }
    return 0;
}

int close(int fd)
{
    int error = errno;
    if (locks_fd >= 0 && fd_below(fd)) {
        pthread_mutex_lock(&lock);
        if (gives_up_lock(fd)) {
            char link[40], path[PATH_MAX];
            snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
            ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
            path[length < 0 ? 0 : length] = '\n';
            syscall(SYS_write, locks_fd, path, length < 0 ? 1 : length + 1);
        }
        pthread_mutex_unlock(&lock);
    }
    errno = error;
    return syscall(SYS_close, fd);
}

#define COUNTED(inside, name, room, call)          \
    do {                                           \
        if (!(inside))                             \
            return (call);                         \
        enum fate fate = begin(name, room);        \
        int error = errno;                         \
        long result = fate == FAIL ? -1 : (call);  \
        if (fate != FAIL)                          \
            error = errno;                         \
        done();                                    \
        errno = error;                             \
        return result;                             \
    } while (0)

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
    int makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    COUNTED(path_below(dir, path), makes ? "create" : "open", makes, syscall(SYS_openat, dir, path, flags, mode));
}

#define MODE(flags)                                                           \
    mode_t mode = 0;                                                          \
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {              \
        va_list rest;                                                         \
        va_start(rest, flags);                                                \
        mode = va_arg(rest, mode_t);                                          \
        va_end(rest);                                                         \
    }

int open(const char *path, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE(flags) return open_at(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE(flags) return open_at(dir, path, flags, mode); }
int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

static ssize_t write_at(int fd, const void *bytes, size_t length, off_t offset)
{
#define WRITE(length) (offset < 0 ? syscall(SYS_write, fd, bytes, length) : syscall(SYS_pwrite64, fd, bytes, length, offset))
    if (!fd_below(fd))
        return WRITE(length);
    enum fate fate = begin("write", 1);
    int error = errno;
    ssize_t result = -1;
    if (fate != FAIL) {
        remember(fd, offset, length);
        result = WRITE(fate == HALF && length > 1 ? length / 2 : length);
        error = errno;
    }
    done();
    errno = error;
    return result;
}

ssize_t write(int fd, const void *bytes, size_t length) { return write_at(fd, bytes, length, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return write_at(fd, bytes, length, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return write_at(fd, bytes, length, offset); }
/* One piece at a time is a short write, which every caller has to expect. */
ssize_t writev(int fd, const struct iovec *pieces, int count)
{
    if (count < 1 || !fd_below(fd))
        return syscall(SYS_writev, fd, pieces, count);
    return write_at(fd, pieces[0].iov_base, pieces[0].iov_len, -1);
}

ssize_t read(int fd, void *bytes, size_t length)
{
    COUNTED(fd_below(fd), reading(fd), 0, syscall(SYS_read, fd, bytes, length));
}
ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
    COUNTED(fd_below(fd), reading(fd), 0, syscall(SYS_pread64, fd, bytes, length, offset));
}
ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset)
{
    COUNTED(fd_below(fd), reading(fd), 0, syscall(SYS_pread64, fd, bytes, length, offset));
}

static int flush(int fd, long call)
{
    if (!fd_below(fd))
        return syscall(call, fd);
    enum fate fate = begin("sync", 1);
    int error = errno;
    int result = -1;
    if (fate != FAIL) {
        result = syscall(call, fd);
        error = errno;
        flushed(fd);
    }
    done();
    errno = error;
    return result;
}
int fsync(int fd) { return flush(fd, SYS_fsync); }
int fdatasync(int fd) { return flush(fd, SYS_fdatasync); }

int ftruncate(int fd, off_t length) { COUNTED(fd_below(fd), "truncate", 0, syscall(SYS_ftruncate, fd, length)); }
int ftruncate64(int fd, off64_t length) { COUNTED(fd_below(fd), "truncate", 0, syscall(SYS_ftruncate, fd, length)); }
int fallocate(int fd, int mode, off_t offset, off_t length)
{
    COUNTED(fd_below(fd), "allocate", 1, syscall(SYS_fallocate, fd, mode, offset, length));
}
int fallocate64(int fd, int mode, off64_t offset, off64_t length)
{
    COUNTED(fd_below(fd), "allocate", 1, syscall(SYS_fallocate, fd, mode, offset, length));
}
static long map(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    COUNTED(fd >= 0 && fd_below(fd), "map", 0,
            syscall(SYS_mmap, address, length, protection, flags, fd, offset));
}
void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
    return (void *)map(address, length, protection, flags, fd, offset);
}
void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    return (void *)map(address, length, protection, flags, fd, offset);
}

static int rename_at(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    COUNTED(path_below(to_dir, to), "rename", 1, syscall(SYS_renameat2, from_dir, from, to_dir, to, flags));
}
int rename(const char *from, const char *to) { return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    return rename_at(from_dir, from, to_dir, to, 0);
}
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    return rename_at(from_dir, from, to_dir, to, flags);
}
int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    COUNTED(path_below(to_dir, to), "link", 1, syscall(SYS_linkat, from_dir, from, to_dir, to, flags));
}
int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int dir, const char *path, int flags)
{
    COUNTED(path_below(dir, path), "remove", 0, syscall(SYS_unlinkat, dir, path, flags));
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int mkdirat(int dir, const char *path, mode_t mode)
{
    COUNTED(path_below(dir, path), "mkdir", 1, syscall(SYS_mkdirat, dir, path, mode));
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
