// SPDX-License-Identifier: MIT
#pragma once
// Compiled code on disk, under $XDG_CACHE_HOME/quiesce or ~/.cache/quiesce, named by a hash of all that it was made from.
//
// An entry is a shared object with its own SHA-256 behind it, put there by renaming, so processes may race. One is used only
// if the directory and the file belong to the user, nobody else may write them, and the hash is right; else it is made
// again.

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace quiesce {

// A process that another thread may end: never one that was already waited for.
class child_process {
 public:
  void cancel();  // ends it and its group now, or as soon as it is started
  void started(int pid);
  void ended();  // before it is waited for
 private:
  std::mutex lock_;
  int pid_ = 0;
  bool cancelled_ = false;
};

class native_cache {
 public:
  // The directory is made where needed; nothing where none can be used.
  static std::optional<native_cache> open();

  // An open descriptor of the checked entry; -1: there is none.
  int find(const std::string& key) const;

  // Compiles `text` and puts the result there. An error in words; empty: done.
  std::string make(const std::string& key, const std::string& text, const std::string& compiler_path, child_process&) const;

  // Removes the entries that were used least recently until what is left takes at most so many bytes, and what compilers
  // that were killed have left behind a day ago. Who has an entry open keeps it; who looks for it afterwards makes it again.
  void prune(std::uint64_t most_bytes = std::uint64_t{64} << 20) const;

 private:
  explicit native_cache(std::string directory) : directory_(std::move(directory)) {}
  std::string directory_;
};

// Path, size and time of the compiler that `c++` names; empty: there is none.
struct compiler_identity {
  std::string path, text;
};
compiler_identity find_compiler();

extern const char* const native_flags;  // of the compiler, for the key

}  // namespace quiesce
