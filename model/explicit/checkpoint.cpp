// SPDX-License-Identifier: MIT
#include "model/explicit/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "model/explicit/sha256.hpp"
#include "model/system/dump.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce {

namespace {

// The last word tells the byte order.
constexpr char magic[] = "quiesce checkpoint 1\n";
constexpr std::uint64_t order = 0x0102030405060708u;
constexpr std::size_t digest_size = 32, buffer_size = std::size_t{1} << 20;

[[noreturn]] void refuse(const std::string& path, const std::string& what, const std::string& hint = {}) {
  throw diagnostic(fmt::format("{}: {}", path, what), hint);
}

class digest {
 public:
  digest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) { EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr); }
  void add(const void* data, std::size_t n) { EVP_DigestUpdate(context_.get(), data, n); }
  std::string value() {
    unsigned char out[EVP_MAX_MD_SIZE];
    EVP_DigestFinal_ex(context_.get(), out, nullptr);
    return {reinterpret_cast<char*>(out), digest_size};
  }

 private:
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

class output {
 public:
  explicit output(const std::string& path) : path_(path), temporary_(path + ".tmp") {
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd_ < 0) fail();
  }
  ~output() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(temporary_.c_str());
  }
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  void bytes(const void* data, std::size_t n) {
    digest_.add(data, n);
    raw(static_cast<const char*>(data), n);
  }
  void number(std::uint64_t x) { bytes(&x, sizeof x); }
  void text(const std::string& s) { bytes(s.data(), s.size()); }

  // The file has its name afterwards, also if the machine stops.
  void finish() {
    const std::string d = digest_.value();
    raw(d.data(), d.size());
    flush();
    const bool written = fsync(fd_) == 0;
    if (!written || rename(temporary_.c_str(), path_.c_str()) != 0) fail();
    close(fd_);
    fd_ = -1;
    const std::size_t slash = path_.rfind('/');
    const int directory =
        open(slash == std::string::npos ? "." : path_.substr(0, slash + 1).c_str(), O_RDONLY | O_DIRECTORY);
    if (directory < 0) return;
    fsync(directory);
    close(directory);
  }

 private:
  [[noreturn]] void fail() { refuse(path_, fmt::format("the checkpoint cannot be written: {}", std::strerror(errno))); }
  void raw(const char* data, std::size_t n) {
    if (kept_.size() + n > buffer_size) flush();
    if (n > buffer_size) return put(data, n);
    kept_.append(data, n);
  }
  void flush() {
    put(kept_.data(), kept_.size());
    kept_.clear();
  }
  void put(const char* data, std::size_t n) {
    while (n > 0) {
      const ssize_t done = write(fd_, data, n);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail();
      data += done;
      n -= static_cast<std::size_t>(done);
    }
  }
  const std::string path_, temporary_;
  int fd_ = -1;
  std::string kept_;
  digest digest_;
};

class input {
 public:
  explicit input(const std::string& path) : path_(path) {
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat s {};
    if (fd_ < 0 || fstat(fd_, &s) != 0) refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    if (!S_ISREG(s.st_mode)) {
      close(fd_);
      refuse(path, "is no checkpoint of quiesce");
    }
    left_ = static_cast<std::uint64_t>(s.st_size);
  }
  ~input() { close(fd_); }
  input(const input&) = delete;
  input& operator=(const input&) = delete;

  void bytes(void* to, std::size_t n) {
    raw(static_cast<char*>(to), n);
    digest_.add(to, n);
  }
  std::uint64_t number() {
    std::uint64_t x = 0;
    bytes(&x, sizeof x);
    return x;
  }
  // How many things of `size` bytes follow: never more than the file has room for.
  std::size_t count(std::size_t size) {
    const std::uint64_t n = number();
    if (n > left_ / size) corrupt();
    return static_cast<std::size_t>(n);
  }
  std::string text(std::size_t n) {
    std::string s(std::min<std::uint64_t>(n, left_), '\0');
    bytes(s.data(), s.size());
    return s;
  }
  void finish() {
    const std::string expected = digest_.value();
    std::string d(digest_size, '\0');
    raw(d.data(), d.size());
    if (d != expected || left_ != 0) corrupt();
  }
  [[noreturn]] void corrupt() { refuse(path_, "the checkpoint is damaged: it is not as it was written"); }

 private:
  void raw(char* to, std::size_t n) {
    if (n > left_) refuse(path_, "the checkpoint is damaged: its end is missing");
    left_ -= n;
    while (n > 0) {
      const ssize_t done = read(fd_, to, n);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) refuse(path_, "cannot be read to its end");
      to += done;
      n -= static_cast<std::size_t>(done);
    }
  }
  const std::string path_;
  int fd_ = -1;
  std::uint64_t left_ = 0;
  digest digest_;
};

void write_ranges(output& to, const std::vector<seen_set::range>& ranges) {
  to.number(ranges.size());
  for (const seen_set::range& r : ranges) to.number(std::uint64_t{r.first} << 32 | r.count);
}

std::vector<seen_set::range> read_ranges(input& from, seen_set::index end) {
  std::vector<seen_set::range> out(from.count(sizeof(std::uint64_t)));
  std::uint64_t before = 0;
  for (seen_set::range& r : out) {
    const std::uint64_t x = from.number();
    r = {static_cast<seen_set::index>(x >> 32), static_cast<seen_set::index>(x)};
    if (r.first < before || std::uint64_t{r.first} + r.count > end) from.corrupt();
    before = std::uint64_t{r.first} + r.count;
  }
  return out;
}

void write_findings(output& to, const std::vector<settled_finding>& all) {
  to.number(all.size());
  for (const settled_finding& f : all) {
    to.number(static_cast<std::uint64_t>(f.key.kind) << 32 | f.key.which);
    to.number(f.depth);
    to.number(std::uint64_t{f.where.of_state} << 32 | f.where.parent);
    to.number(f.where.state);
    to.bytes(f.where.target.data(), f.where.target.size() * sizeof(word));
  }
}

std::vector<settled_finding> read_findings(input& from, std::uint32_t words, seen_set::index end) {
  std::vector<settled_finding> out(from.count(32));
  for (settled_finding& f : out) {
    const std::uint64_t key = from.number();
    f.key = {static_cast<finding_kind>(key >> 32), static_cast<std::uint32_t>(key)};
    f.depth = from.number();
    const std::uint64_t parent = from.number();
    f.where.of_state = parent >> 32 & 1;
    f.where.parent = static_cast<seen_set::index>(parent);
    f.where.state = static_cast<seen_set::index>(from.number());
    f.where.target.resize(words);
    from.bytes(f.where.target.data(), words * sizeof(word));
    for (seen_set::index i : {f.where.parent, f.where.state})
      if (i != seen_set::none && i >= end) from.corrupt();
  }
  return out;
}

}  // namespace

std::string checkpoint_key(const transition_system& s, const search_options& o) {
  std::string text = fmt::format("{}\n{}", o.checkpoint.identity, dump(s.program()));
  for (const slot& x : s.state_layout().slots()) text += fmt::format("{} {} {}\n", x.index, x.shift, x.bits);
  text += fmt::format("symmetry {} wanted {} deadlock {}\n", o.symmetry, o.wanted, o.check_deadlock);
  if (o.reduce.any()) text += fmt::format("reduce {}\n", name(o.reduce));
  return sha256_hex(text);
}

void write_checkpoint(const std::string& path, const std::string& key, const level_start& at, const seen_set& seen) {
  output to(path);
  to.text(magic);
  to.number(order);
  to.text(key);
  for (std::uint64_t x : {std::uint64_t{seen.words()}, at.depth, at.transitions, at.marked, std::uint64_t{at.end}})
    to.number(x);
  write_ranges(to, at.all);
  write_ranges(to, at.level);
  write_findings(to, at.findings);
  for (seen_set::index first = 0; first < at.end;) {
    const seen_set::index n = std::min(seen_set::page_states, at.end - first);
    to.bytes(seen.state(first), std::size_t{n} * seen.words() * sizeof(word));
    to.bytes(seen.parents(first), std::size_t{n} * sizeof(seen_set::index));
    first += n;
  }
  to.finish();
}

level_start read_checkpoint(const std::string& path, const std::string& key, seen_set& seen) {
  input from(path);
  if (from.text(std::strlen(magic)) != magic || from.number() != order)
    refuse(path, "is no checkpoint of this version of quiesce on this kind of machine");
  if (from.text(key.size()) != key)
    refuse(path, "is the checkpoint of another search: another model, scope, property, option, or version",
           "go on with the command that began it, and --resume");
  level_start at;
  if (from.number() != seen.words()) from.corrupt();
  at.depth = from.number();
  at.transitions = from.number();
  at.marked = from.number();
  at.end = static_cast<seen_set::index>(from.count(seen.words() * sizeof(word) + sizeof(seen_set::index)));
  at.all = read_ranges(from, at.end);
  at.level = read_ranges(from, at.end);
  at.findings = read_findings(from, seen.words(), at.end);
  seen.fill(at.end, [&](seen_set::index n, word* states, seen_set::index* parents) {
    from.bytes(states, std::size_t{n} * seen.words() * sizeof(word));
    from.bytes(parents, std::size_t{n} * sizeof(seen_set::index));
  });
  from.finish();
  seen.restore(at.all);
  return at;
}

}  // namespace quiesce
