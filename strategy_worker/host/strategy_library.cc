#include "strategy_worker/host/strategy_library.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "common/base/status.h"
#include "strategy_worker/host/parameters.h"
#include "strategy_worker/host/strategy_call.h"

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
  // The first size is checked first: the others lie where it says.
  const struct {
    const char* name;
    size_t theirs;
    size_t ours;
  } sizes[] = {
      {"orbweaver_strategy", strategy.struct_size, sizeof(orbweaver_strategy)},
      {"orbweaver_event", strategy.event_size, sizeof(orbweaver_event)},
      {"orbweaver_domain", strategy.domain_size, sizeof(orbweaver_domain)},
      {"orbweaver_page", strategy.page_size, sizeof(orbweaver_page)},
      {"orbweaver_source", strategy.source_size, sizeof(orbweaver_source)},
      {"orbweaver_failure", strategy.failure_size, sizeof(orbweaver_failure)},
      {"orbweaver_host", strategy.host_size, sizeof(orbweaver_host)},
      {"orbweaver_link", strategy.link_size, sizeof(orbweaver_link)},
      {"orbweaver_state", strategy.state_size, sizeof(orbweaver_state)},
      {"orbweaver_decision", strategy.decision_size, sizeof(orbweaver_decision)},
      {"orbweaver_request", strategy.request_size, sizeof(orbweaver_request)},
      {"orbweaver_output", strategy.output_size, sizeof(orbweaver_output)},
      {"orbweaver_parameter", strategy.parameter_size, sizeof(orbweaver_parameter)},
      {"orbweaver_setting", strategy.setting_size, sizeof(orbweaver_setting)},
  };
  for (const auto& [name, theirs, ours] : sizes) {
    if (theirs != ours) {
      return FatalError("its {} has {} bytes, the host's {}. Rebuild against the host's SDK", name,
                        theirs, ours);
    }
  }
  return absl::OkStatus();
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
  return CheckDeclarations({strategy.parameters, strategy.parameter_count});
}

}  // namespace

absl::StatusOr<StrategyLibrary> StrategyLibrary::Open(const std::string& path) {
  RETURN_IF_ERROR(CheckWhole(path));
  // All symbols now, so that a missing one shows here and not in the middle of a crawl; none for
  // others, so that strategies cannot take each other's functions; never unloaded (see the header).
  StrategyCall call(path.c_str());
  const CallScope scope(call, {.function = "the loading of its library"});
  const std::string with_slash = std::filesystem::absolute(path);
  void* const handle = dlopen(with_slash.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) return FatalError("cannot be opened: {}. {}", dlerror(), kBuildHint);
  void* const symbol = dlsym(handle, ORBWEAVER_STRATEGY_SYMBOL);
  if (!symbol) {
    return FatalError("it has no symbol {}. Export a strategy with ORBWEAVER_STRATEGY(…)",
                      ORBWEAVER_STRATEGY_SYMBOL);
  }
  ASSIGN_OR_RETURN(const orbweaver_strategy* strategy,
                   Describe(reinterpret_cast<orbweaver_strategy_entry>(symbol)));
  RETURN_IF_ERROR(CheckAbi(*strategy));
  RETURN_IF_ERROR(CheckMembers(*strategy));
  return StrategyLibrary(strategy, path);
}

}  // namespace orbweaver
