// SPDX-License-Identifier: MIT
#include "conformance/observe_trace.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "conformance/observe_builder.hpp"
#include "conformance/observe_links.hpp"
#include "conformance/observe_model.hpp"
#include "properties/diagnostic.hpp"

namespace quiesce::observe {
namespace {

class all_consumers : public event_consumer {
 public:
  std::vector<event_consumer*> to;
  void event(const observed_event& e) override {
    for (event_consumer* c : to) c->event(e);
  }
  void gone(std::int64_t dev) override {
    for (event_consumer* c : to) c->gone(dev);
  }
  void gone_net(std::int64_t net) override {
    for (event_consumer* c : to) c->gone_net(net);
  }
};

// Names of the devices in the order of their RTM_DELLINK.
class dellink_order : public event_consumer {
 public:
  explicit dellink_order(const event_builder*& builder) : builder_(builder) {}
  std::vector<std::string> names;
  void event(const observed_event& e) override {
    if (e.kind == seen::RTM_DELLINK) names.push_back(builder_->device_name(e.dev));
  }
  void gone(std::int64_t) override {}
  void gone_net(std::int64_t) override {}

 private:
  const event_builder*& builder_;
};

std::vector<std::string> read_dellink_order(const std::string& path) {
  const event_builder* builder = nullptr;
  dellink_order order(builder);
  event_builder own(order);
  builder = &own;
  std::error_code failed;
  if (std::filesystem::is_regular_file(path, failed) && std::filesystem::file_size(path, failed) == 0) return {};
  const std::string format = observe_file(path, {}, own).summary.format;
  if (format != "ip-monitor" && format != "rtnetlink")
    throw diagnostic(fmt::format("--with {}: a recording of the format {}, not of messages to user space", path, format),
                     "what `ip monitor` or `record --links` wrote");
  return std::move(order.names);
}

std::string net_text(std::uint64_t inode) {
  if (inode == own_net) return "of the listener";
  if (inode >= first_nsid_net && inode <= first_nsid_net + nsid_nets) return fmt::format("nsid {}", inode - first_nsid_net);
  return std::to_string(inode);
}

source_hints hints_of(const trace_options& options) {
  source_hints hints;
  hints.batch_size = options.batch_size;
  if (!options.dellink_file.empty()) hints.dellink_order = read_dellink_order(options.dellink_file);
  return hints;
}

}  // namespace

trace_report report_on(catalogue& inputs, const std::string& path, const trace_options& options) {
  const kernel_version asked = parse_version(options.kernel);
  if (!options.kernel.empty() && !asked.known())
    throw diagnostic(fmt::format("--kernel {}: not a version of Linux", options.kernel), "6.1 or 6.1.192, say");
  all_consumers consumers;
  event_builder builder(consumers, hints_of(options));
  const auto device = [&](std::int64_t d) {
    const std::string name = builder.device_name(d);
    return name == "?" ? fmt::format("#{}", d) : name;
  };
  const auto net = [&](std::int64_t n) { return net_text(builder.net_inode(n)); };
  rule_monitor rules(inputs, device, net);
  trace_report out;
  batch_log batches(
      device, net, [&](std::int64_t t) { return builder.task_name(static_cast<std::uint32_t>(t)); },
      [&](batch&& b) {
        if (out.batches.size() < options.batches_kept)
          out.batches.push_back(std::move(b));
        else
          ++out.more_batches;
      });
  model_comparison model(inputs, device, options.events_compared);
  consumers.to = {&rules, &batches, &model};
  const observed_source source = observe_file(
      path, {options.format, options.kernel, [&](const observer& by) { rules.watch(by, builder.summary()); }}, builder);
  batches.end();
  out.path = path;
  out.source = source.summary;
  out.kernel = source.summary.kernel;
  const kernel_version kernel = parse_version(out.kernel);
  out.rules = rules.results(*source.by, source.summary, kernel);
  out.model = model.answer(*source.by, source.summary, kernel);
  return out;
}

}  // namespace quiesce::observe
