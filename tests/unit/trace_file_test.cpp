// SPDX-License-Identifier: MIT
#include "model/report/trace_file.hpp"

#include <gtest/gtest.h>

namespace quiesce::report {
namespace {

trace_file example() {
  trace_file t;
  t.model = "teardown";
  t.settings.variant = "P1";
  t.settings.options = {{"net_ns", "false"}};
  t.settings.scope = {{"dev", 2}, {"net", 1}};
  t.property_files = {"my file.prop"};
  t.properties = {"batch_once_per_net"};
  step_text initial;
  initial.choices = {{"home(dev0)", "net0"}};
  initial.changes = {{"n", "", "0"}};
  step_text moved;
  moved.process = "unregister(task0)";
  moved.choices = {{"what is a = b", "dev1"}, {"k", "2"}};
  moved.statement = "n := n + k;";
  moved.events = {{"ndo_uninit", {"dev1", "net0"}}};
  moved.changes = {{"n", "0", "2"}};
  moved.path = {{"unregister", "net/core/dev.c", "unregister_netdevice_many", "v4.4"}};
  t.run.steps = {initial, moved};
  t.outcome = "violated";
  return t;
}

trace_file reread(const std::string& text) {
  language::source_set sources;
  return read_trace(sources, sources.add("t", text));
}

void expect_same(const trace_file& a, const trace_file& b) {
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.settings.variant, b.settings.variant);
  EXPECT_EQ(a.settings.options, b.settings.options);
  EXPECT_EQ(a.settings.scope, b.settings.scope);
  EXPECT_EQ(a.settings.environment, b.settings.environment);
  EXPECT_EQ(a.property_files, b.property_files);
  EXPECT_EQ(a.properties, b.properties);
  EXPECT_EQ(a.outcome, b.outcome);
  ASSERT_EQ(a.run.steps.size(), b.run.steps.size());
  for (std::size_t i = 0; i < a.run.steps.size(); ++i) {
    EXPECT_EQ(a.run.steps[i].process, b.run.steps[i].process);
    ASSERT_EQ(a.run.steps[i].choices.size(), b.run.steps[i].choices.size());
    for (std::size_t c = 0; c < a.run.steps[i].choices.size(); ++c) {
      EXPECT_EQ(a.run.steps[i].choices[c].what, b.run.steps[i].choices[c].what);
      EXPECT_EQ(a.run.steps[i].choices[c].value, b.run.steps[i].choices[c].value);
    }
  }
}

TEST(trace_file, text_reads_back) { expect_same(example(), reread(write_trace_text(example()))); }
TEST(trace_file, json_reads_back) { expect_same(example(), reread(write_trace_json(example()))); }

TEST(trace_file, what_is_not_a_trace_is_refused) {
  for (const char* text : {"", "hello", "quiesce-trace 2\n", "quiesce-trace 1\n", "quiesce-trace 1\nmodel a\nstep p\n",
                           "quiesce-trace 1\nmodel a\ninitial\ninitial\n", "quiesce-trace 1\nmodel a\n choose a = b\n",
                           "quiesce-trace 1\nmodel a\nscope dev = x\n", "quiesce-trace 1\nmodel a\nnonsense\n", "{", "{}",
                           R"({"format":"quiesce-trace","version":1,"model":3})"})
    EXPECT_THROW(reread(text), diagnostic) << text;
}

}  // namespace
}  // namespace quiesce::report
