// SPDX-License-Identifier: MIT
#include "refimpl/device/tracefs/probes.hpp"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>

namespace quiesce::tracefs {

namespace {

// A probe: group/name, function, arguments. Arguments say of what type their parameter is; its position is found:
//   dev: name of a net_device*   idev/idev6: of an in_device* or inet6_dev*   net: inode of a net*
//   info: event, name, ifindex, namespace of call_netdevice_notifiers_info, also its return   ret: also at the return
struct probe {
  const char* name;
  const char* function;
  const char* arguments;
};
constexpr probe probes[] = {
    {"nd/notify", "call_netdevice_notifiers_info", "info"},
    {"cb/rtnetlink_event", "rtnetlink_event", "callback"},
    {"cb/fib_netdev_event", "fib_netdev_event", "callback"},
    {"cb/inetdev_event", "inetdev_event", "callback"},
    {"cb/addrconf_notify", "addrconf_notify", "callback"},
    {"dev/unlist_netdevice", "unlist_netdevice", "dev"},
    {"dev/list_netdevice", "list_netdevice", "dev"},
    {"dev/dev_shutdown", "dev_shutdown", "dev"},
    {"dev/dev_uc_flush", "dev_uc_flush", "dev"},
    {"dev/dev_mc_flush", "dev_mc_flush", "dev"},
    {"dev/netdev_unregister_kobject", "netdev_unregister_kobject", "dev"},
    {"dev/free_netdev", "free_netdev", "dev"},
    {"dev/dummy_dev_uninit", "dummy_dev_uninit", "dev"},
    {"dev/macvlan_uninit", "macvlan_uninit", "dev"},
    {"dev/rt_flush_dev", "rt_flush_dev", "dev"},
    {"dev/arp_ifdown", "arp_ifdown", "dev"},
    {"dev/neigh_ifdown", "neigh_ifdown", "dev"},
    {"dev/change_netns", "__dev_change_net_namespace", "dev"},
    {"dev/rtmsg_send", "rtmsg_ifinfo_send", "dev"},
    {"dev/rtmsg_ifinfo", "rtmsg_ifinfo", "type dev"},
    {"dev/rtmsg_build", "rtmsg_ifinfo_build_skb", "type dev"},
    {"dev/fib_sync_down_dev", "fib_sync_down_dev", "dev"},
    {"core/unregister_many", "unregister_netdevice_many_notify", "ret"},
    {"core/unregister_many0", "unregister_netdevice_many", ""},
    {"core/dev_close_many", "dev_close_many", "ret"},
    {"core/dev_close_many", "netif_close_many", "ret"},
    {"core/synchronize_net", "synchronize_net", "ret"},
    {"core/synchronize_rcu", "synchronize_rcu", "ret"},
    {"core/synchronize_rcu_expedited", "synchronize_rcu_expedited", "ret"},
    {"core/rcu_barrier", "rcu_barrier", "ret"},
    {"core/run_todo", "netdev_run_todo", "ret"},
    {"core/default_device_exit_batch", "default_device_exit_batch", "ret"},
    {"core/cleanup_net", "cleanup_net", "ret"},
    {"core/rtnl_lock", "rtnl_lock", ""},
    {"core/rtnl_unlock", "rtnl_unlock", ""},
    {"core/__rtnl_unlock", "__rtnl_unlock", ""},
    {"fib/fib_flush", "fib_flush", "net"},
    {"fib/fib_table_flush", "fib_table_flush", "net"},
    {"fib/rt_cache_flush", "rt_cache_flush", "net"},
};

class type_reader {
 public:
  explicit type_reader(btf* b) : btf_(b) {}

  // Byte offset of `field` in struct `name`, also through unnamed members. Nothing if it is not there.
  std::optional<unsigned> offset(const std::string& name, const std::string& field) const {
    const int id = btf__find_by_name_kind(btf_, name.c_str(), BTF_KIND_STRUCT);
    return id > 0 ? offset_in(static_cast<unsigned>(id), field) : std::nullopt;
  }
  bool has_function(const std::string& name) const { return btf__find_by_name_kind(btf_, name.c_str(), BTF_KIND_FUNC) > 0; }
  // The value of an enumerator; nothing if it is not there.
  std::optional<unsigned> enumerator(const std::string& name, std::string_view value) const {
    const int id = btf__find_by_name_kind(btf_, name.c_str(), BTF_KIND_ENUM);
    const btf_type* t = id > 0 ? btf__type_by_id(btf_, static_cast<unsigned>(id)) : nullptr;
    for (unsigned i = 0; t && i < btf_vlen(t); ++i)
      if (text(btf_enum(t)[i].name_off) == value) return static_cast<unsigned>(btf_enum(t)[i].val);
    return std::nullopt;
  }
  // Number of the first parameter, from 1, that is a pointer to struct `pointed`. 0: none.
  unsigned parameter(const std::string& function, const std::string& pointed) const;

 private:
  std::string_view text(unsigned offset) const { return btf__name_by_offset(btf_, offset); }
  const btf_type* strip(unsigned id) const {
    const btf_type* t = btf__type_by_id(btf_, id);
    while (btf_is_mod(t) || btf_is_typedef(t)) t = btf__type_by_id(btf_, t->type);
    return t;
  }
  std::optional<unsigned> offset_in(unsigned id, const std::string& field) const;

  btf* btf_;
};

std::optional<unsigned> type_reader::offset_in(unsigned id, const std::string& field) const {
  const btf_type* t = strip(id);
  if (!btf_is_composite(t)) return std::nullopt;
  const btf_member* members = btf_members(t);
  for (unsigned i = 0; i < btf_vlen(t); ++i) {
    const unsigned at = btf_member_bit_offset(t, i) / 8;
    const std::string_view name = text(members[i].name_off);
    if (name == field) return at;
    if (!name.empty()) continue;
    if (const auto inner = offset_in(members[i].type, field)) return at + *inner;
  }
  return std::nullopt;
}

unsigned type_reader::parameter(const std::string& function, const std::string& pointed) const {
  const int id = btf__find_by_name_kind(btf_, function.c_str(), BTF_KIND_FUNC);
  if (id <= 0) return 0;
  const btf_type* proto = btf__type_by_id(btf_, btf__type_by_id(btf_, static_cast<unsigned>(id))->type);
  for (unsigned i = 0; i < btf_vlen(proto); ++i) {
    const btf_type* t = strip(btf_params(proto)[i].type);
    if (!btf_is_ptr(t)) continue;
    const btf_type* to = strip(t->type);
    if (btf_is_composite(to) && text(to->name_off) == pointed) return i + 1;
  }
  return 0;
}

struct offsets {
  unsigned name, ifindex, net, inode, info_dev;
};

std::optional<offsets> find_offsets(const type_reader& types, std::string& lacking) {
  offsets o{};
  const auto need = [&](const char* type, const char* field, unsigned& to) {
    const auto at = types.offset(type, field);
    if (!at) lacking = fmt::format("struct {} has no {}", type, field);
    to = at.value_or(0);
  };
  unsigned ns = 0, inum = 0;
  need("net_device", "name", o.name);
  need("net_device", "ifindex", o.ifindex);
  need("net_device", "nd_net", o.net);
  need("net", "ns", ns);
  need("ns_common", "inum", inum);
  need("netdev_notifier_info", "dev", o.info_dev);
  o.inode = ns + inum;
  return lacking.empty() ? std::optional(o) : std::nullopt;
}

// The arguments of a definition; nothing where the function's parameters do not fit.
std::optional<std::string> arguments_of(const probe& p, const type_reader& types, const offsets& o) {
  const std::string_view kinds = p.arguments;
  std::string out;
  if (kinds == "info")
    return fmt::format(
        " event=$arg1:u64 name=+{0}(+{1}($arg2)):string ifindex=+{2}(+{1}($arg2)):s32 net=+{3}(+{4}(+{1}($arg2))):u32",
        o.name, o.info_dev, o.ifindex, o.inode, o.net);
  if (kinds == "callback") return fmt::format(" event=$arg2:u64 name=+{}(+{}($arg3)):string", o.name, o.info_dev);
  if (kinds.find("type") != kinds.npos) out += " type=$arg1:u32";
  if (kinds.find("dev") != kinds.npos) {
    const unsigned at = types.parameter(p.function, "net_device");
    if (at == 0) return std::nullopt;
    out += fmt::format(" name=+{}($arg{}):string", o.name, at);
  }
  if (kinds == "net") {
    const unsigned at = types.parameter(p.function, "net");
    if (at == 0) return std::nullopt;
    out += fmt::format(" net=+{}($arg{}):u32", o.inode, at);
  }
  return out;
}

}  // namespace

rtnetlink::answer probe_definitions(const std::string& btf_file, probe_list& out) {
  libbpf_set_print(nullptr);  // it would write to stderr
  const std::unique_ptr<btf, void (*)(btf*)> loaded(btf__parse(btf_file.c_str(), nullptr), btf__free);
  if (!loaded) return rtnetlink::failed(errno, btf_file);
  const type_reader types(loaded.get());
  std::string lacking;
  const auto o = find_offsets(types, lacking);
  if (!o) return {EINVAL, btf_file + ": " + lacking};
  if (const auto event = types.enumerator("netdev_cmd", "NETDEV_PRE_UNINIT"))
    out.notes.push_back(fmt::format("NETDEV_PRE_UNINIT = {}", *event));
  for (const probe& p : probes) {
    const auto arguments = types.has_function(p.function) ? arguments_of(p, types, *o) : std::nullopt;
    if (!arguments) {
      out.missing.push_back(p.function);
      continue;
    }
    out.definitions.push_back(fmt::format("p:{} {}{}", p.name, p.function, *arguments));
    if (p.arguments == std::string_view("ret") || p.arguments == std::string_view("info"))
      out.definitions.push_back(fmt::format("r10:{}_ret {}", p.name, p.function));
  }
  return {};
}

}  // namespace quiesce::tracefs
