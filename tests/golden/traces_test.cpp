// SPDX-License-Identifier: MIT
// What `quiesce trace` shows of each recording in tests/data/traces: batches, order, rebroadcasts. The expected texts were
// checked by hand against the recordings.

#include <gtest/gtest.h>

#include <filesystem>

#include "conformance/observe_trace.hpp"
#include "tests/support/repository.hpp"

namespace quiesce::test {
namespace {

const std::vector<std::string>& recordings() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(repository() / "tests/data/traces")) {
      const std::string name = entry.path().filename().string();
      if (name != "README.md" && name != "q61_kprobe_definitions.txt") out.push_back(name);
    }
    std::sort(out.begin(), out.end());
    return out;
  }();
  return names;
}

class traces : public testing::TestWithParam<std::string> {};

TEST_P(traces, come_out_batch_by_batch) {
  catalogue inputs(repository().string());
  const std::string path = "tests/data/traces/" + GetParam();
  observe::trace_options options;
  options.events_compared = 0;
  observe::trace_report report = observe::report_on(inputs, (repository() / path).string(), options);
  report.path = path;
  const auto expected = repository() / "tests/golden/traces" / (GetParam() + ".expected");
  if (std::getenv("QUIESCE_RENEW_GOLDEN")) std::ofstream(expected) << observe::happened_text(report);
  EXPECT_EQ(observe::happened_text(report), read_text(expected));
  EXPECT_EQ(report.source.unexplained, 0u);
}

INSTANTIATE_TEST_SUITE_P(recordings, traces, testing::ValuesIn(recordings()), [](const auto& info) {
  std::string name = info.param.substr(0, info.param.find('.'));
  return name;
});

}  // namespace
}  // namespace quiesce::test
