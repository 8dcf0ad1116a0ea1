// SPDX-License-Identifier: MIT
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <vector>

#include "model/explicit/native_cache.hpp"

namespace quiesce {

void native_cache::prune(std::uint64_t most_bytes) const {
  namespace fs = std::filesystem;
  constexpr std::int64_t a_day = 24 * 60 * 60;
  struct entry {
    std::int64_t used, nanoseconds;
    std::uint64_t bytes;
    fs::path path;
    bool operator<(const entry& o) const { return used != o.used ? used < o.used : nanoseconds < o.nanoseconds; }
  };
  std::vector<entry> entries;
  std::uint64_t total = 0;
  std::error_code ignored;
  for (const auto& x : fs::directory_iterator(directory_, ignored)) {
    struct stat s {};
    if (lstat(x.path().c_str(), &s) != 0) continue;  // another process was faster
    if (S_ISDIR(s.st_mode)) {
      const bool left_behind = x.path().filename().string().starts_with("make.") && std::time(nullptr) - s.st_mtime > a_day;
      if (left_behind) fs::remove_all(x.path(), ignored);
    } else if (x.path().extension() == ".so") {
      entries.push_back({s.st_mtim.tv_sec, s.st_mtim.tv_nsec, static_cast<std::uint64_t>(s.st_size), x.path()});
      total += entries.back().bytes;
    }
  }
  std::sort(entries.begin(), entries.end());
  for (const entry& e : entries) {
    if (total <= most_bytes) return;
    fs::remove(e.path, ignored);
    total -= e.bytes;
  }
}

}  // namespace quiesce
