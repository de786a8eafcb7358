#include "strategy_worker/host/strategy_library.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "fmt/ranges.h"

#include "common/base/status.h"
#include "common/config/excerpt.h"
#include "strategy_worker/host/parameters.h"
#include "strategy_worker/host/plugin_message.h"
#include "strategy_worker/host/strategy_call.h"
#include "strategy_worker/host/struct_sizes.h"

namespace orbweaver {
namespace {

constexpr std::string_view kBuildHint =
    "Build it with orbweaver_add_strategy() (docs/strategies.md)";

// dlopen maps what the headers promise and dies of SIGBUS where the file ends before: a copy that
// was interrupted must not take the worker down.
absl::Status CheckWhole(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return FatalError("no such file. Check strategy.path and strategy.directory");
  }
  if (!std::filesystem::is_regular_file(status)) {
    return FatalError("not a file. Name the library itself, NAME.so");
  }
  const uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return FatalError("{}. Check its permissions", std::strerror(errno));
  Elf64_Ehdr header;
  if (!file.read(reinterpret_cast<char*>(&header), sizeof(header)) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_type != ET_DYN || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return FatalError("not a shared library. {}", kBuildHint);
  }
  // Linkers put the section headers last, so their end also shows what is missing of the rest.
  bool is_cut = header.e_shoff > size ||
                header.e_shnum * uint64_t{sizeof(Elf64_Shdr)} > size - header.e_shoff;
  for (int i = 0; i < header.e_phnum && !is_cut; ++i) {
    Elf64_Phdr segment;
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof(segment)));
    is_cut = !file.read(reinterpret_cast<char*>(&segment), sizeof(segment)) ||
             segment.p_offset > size || segment.p_filesz > size - segment.p_offset;
  }
  if (is_cut) return FatalError("the file is cut off. Copy or build it again");
  return absl::OkStatus();
}

// Calls the entry point, which in C++ may throw.
absl::StatusOr<const orbweaver_strategy*> Describe(orbweaver_strategy_entry entry) {
  const orbweaver_strategy* strategy = nullptr;
  try {
    strategy = entry();
  } catch (const std::exception& exception) {
    return FatalError("{} throws: {}", ORBWEAVER_STRATEGY_SYMBOL, exception.what());
  } catch (...) {
    return FatalError("{} throws what is not a std::exception", ORBWEAVER_STRATEGY_SYMBOL);
  }
  if (!strategy) {
    return FatalError("{} returns null. It must return the strategy's functions",
                      ORBWEAVER_STRATEGY_SYMBOL);
  }
  return strategy;
}

absl::Status CheckAbi(const orbweaver_strategy& strategy) {
  if (strategy.abi != ORBWEAVER_STRATEGY_ABI) {
    return FatalError("ABI {}, host {}. Rebuild against SDK {}", strategy.abi,
                      ORBWEAVER_STRATEGY_ABI, ORBWEAVER_STRATEGY_ABI);
  }
  return CheckSizes(strategy);
}

absl::Status CheckMembers(const orbweaver_strategy& strategy) {
  const struct {
    const char* name;
    bool present;
  } members[] = {{"name", strategy.name && *strategy.name},
                 {"doc", strategy.doc != nullptr},
                 {"create", strategy.create != nullptr},
                 {"destroy", strategy.destroy != nullptr},
                 {"on_event", strategy.on_event != nullptr},
                 {"parameters", strategy.parameters || strategy.parameter_count == 0}};
  for (const auto& [name, present] : members) {
    if (!present) return FatalError("it has no `{}`, which every strategy must have", name);
  }
  if ((strategy.needs & ~uint64_t{ORBWEAVER_NEEDS_BODY}) != 0) {
    return FatalError("it needs what this host does not have (needs {:#x}). Upgrade the worker",
                      strategy.needs);
  }
  return CheckDeclarations({strategy.parameters, strategy.parameter_count});
}

// More than anybody writes, and an end for a library that has an answer to every index.
constexpr size_t kMostStrategies = 1000;

// The library's description of the strategy of one index; null: it has none. In C++ it may throw.
absl::StatusOr<const orbweaver_strategy*> DescribeOne(const orbweaver_strategy& first,
                                                      const orbweaver_choice& choice) {
  PluginMessage message;
  const orbweaver_strategy* strategy = nullptr;
  try {
    strategy = first.describe(&choice, message.error());
  } catch (const std::exception& exception) {
    return FatalError("its description throws: {}", exception.what());
  } catch (...) {
    return FatalError("its description throws what is not a std::exception");
  }
  if (strategy != nullptr) {
    RETURN_IF_ERROR(CheckAbi(*strategy));
    return strategy;
  }
  if (message.empty()) return strategy;
  return FatalError("it refuses what is configured: {}", message.text());
}

// All that the library holds; one at least.
absl::StatusOr<std::vector<const orbweaver_strategy*>> DescribeAll(
    const orbweaver_strategy* entry, const std::string& path,
    const StrategyLibrary::Params& params) {
  const orbweaver_strategy first = AsOurs(*entry);
  std::vector<const orbweaver_strategy*> all;
  if (first.describe == nullptr) return all = {entry};
  std::vector<orbweaver_setting> settings;
  for (const auto& [name, value] : params) {
    settings.push_back(
        {.name_view = {name.data(), name.size()}, .value_view = {value.data(), value.size()}});
  }
  ArrayOf<orbweaver_setting> as_theirs(first.setting_size);
  orbweaver_choice choice{
      .struct_size = sizeof(choice),
      .path_view = {path.data(), path.size()},
      .settings_view = as_theirs.Theirs(std::span<const orbweaver_setting>(settings)),
      .setting_count = settings.size()};
  for (; choice.index < kMostStrategies; ++choice.index) {
    ASSIGN_OR_RETURN(const orbweaver_strategy* const one, DescribeOne(first, choice));
    if (one == nullptr) break;
    all.push_back(one);
  }
  if (all.empty()) return FatalError("it holds no strategy");
  return all;
}

absl::StatusOr<const orbweaver_strategy*> Choose(const std::vector<const orbweaver_strategy*>& all,
                                                 const std::string& path, const std::string& name) {
  if (name.empty() && all.size() == 1) return all.front();
  std::vector<std::string> names;
  for (const orbweaver_strategy* const one : all) {
    names.emplace_back(one->name == nullptr ? "" : one->name);
    if (!name.empty() && names.back() == name) return one;
  }
  if (name.empty()) {
    return FatalError("it holds {} strategies: {}. Name one of them, as {}#{}", all.size(),
                      fmt::join(names, ", "), path, names.front());
  }
  return FatalError("it holds no strategy '{}', but: {}", config::Excerpt(name),
                    fmt::join(names, ", "));
}

// `FILE.so#NAME`; a file of that very name comes first.
std::pair<std::string, std::string> SplitPath(const std::string& path) {
  const size_t mark = path.rfind('#');
  std::error_code error;
  if (mark == std::string::npos || std::filesystem::exists(path, error)) return {path, ""};
  return {path.substr(0, mark), path.substr(mark + 1)};
}

}  // namespace

absl::StatusOr<StrategyLibrary> StrategyLibrary::Open(const std::string& path,
                                                      const Params& params) {
  const auto [file, name] = SplitPath(path);
  RETURN_IF_ERROR(CheckWhole(file));
  // All symbols now, so that a missing one shows here and not in the middle of a crawl; none for
  // others, so that strategies cannot take each other's functions; never unloaded (see the header).
  StrategyCall call(file.c_str());
  const CallScope scope(call, {.function = "the loading of its library"});
  const std::string with_slash = std::filesystem::absolute(file);
  void* const handle = dlopen(with_slash.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) return FatalError("cannot be opened: {}. {}", dlerror(), kBuildHint);
  void* const symbol = dlsym(handle, ORBWEAVER_STRATEGY_SYMBOL);
  if (!symbol) {
    return FatalError("it has no symbol {}. Export a strategy with ORBWEAVER_STRATEGY(…)",
                      ORBWEAVER_STRATEGY_SYMBOL);
  }
  ASSIGN_OR_RETURN(const orbweaver_strategy* entry,
                   Describe(reinterpret_cast<orbweaver_strategy_entry>(symbol)));
  RETURN_IF_ERROR(CheckAbi(*entry));
  ASSIGN_OR_RETURN(const auto all, DescribeAll(entry, file, params));
  ASSIGN_OR_RETURN(const orbweaver_strategy* const theirs, Choose(all, file, name));
  auto description = std::make_shared<Description>();
  orbweaver_strategy& strategy = description->strategy;
  strategy = AsOurs(*theirs);
  if (strategy.parameters != nullptr) {
    strategy.parameters = Ours(strategy.parameters, strategy.parameter_size,
                               strategy.parameter_count, &description->parameters)
                              .data();
  }
  RETURN_IF_ERROR(CheckMembers(strategy));
  return StrategyLibrary(std::move(description), path);
}

}  // namespace orbweaver
