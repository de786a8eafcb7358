#include "cli/crawl/crawl_seeds.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "cli/amounts.h"
#include "cli/arguments.h"
#include "cli/crawl/crawl_watch.h"
#include "cli/frontier/frontier.h"
#include "cli/frontier/queue_sample.h"
#include "cli/message.h"
#include "cli/seed_lines.h"
#include "cli/seed_scope.h"
#include "cli/seed_writer.h"
#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/status.h"
#include "common/bus/topics.h"
#include "db_worker/dequeue/feed_lag.h"

namespace orbweaver {
namespace {

constexpr Duration kSeedTimeout = std::chrono::minutes(1);
// Of a larger queue the rest is estimated.
constexpr uint64_t kMaxDomainsCounted = 1'000'000;
constexpr Duration kCountTimeout = std::chrono::minutes(1);

// How many requests wait in a folder that is at rest or not; nothing where that cannot be told.
std::optional<uint64_t> WaitingIn(const ProductOptions& options, const CrawlFolder& folder) {
  const auto frontier = Frontier::Open(options, folder.path());
  if (!frontier.ok()) return std::nullopt;
  const auto partitions = (*frontier)->Partitions();
  if (!partitions.ok()) return std::nullopt;
  const auto queue = SampleQueue((*frontier)->store(), *partitions, kMaxDomainsCounted,
                                 SystemClock().Wall(), kCountTimeout);
  if (!queue.ok()) return std::nullopt;
  const auto offsets = (*frontier)->bus().NewOffsetReader();
  if (!offsets.ok()) return std::nullopt;
  std::vector<PartitionId> all;
  for (int i = 0; i < *partitions; ++i) all.emplace_back(i);
  CrawlSnapshot look;
  AddQueue(queue->partitions, &look);
  uint64_t waiting = look.queued + look.delayed;
  // A crawl that was ended in the middle has not made requests of all that it saw.
  for (const auto& [group, topic] :
       {std::pair(kStrategyWorkerGroup, kSpiderLogTopic),
        std::pair(kDbWorkerGroup, kScoringLogTopic), std::pair(kSpiderGroup, kSpiderFeedTopic)}) {
    const auto unread = ReadLags(**offsets, group, topic, all, kLookTimeout);
    if (!unread.ok()) return std::nullopt;
    for (const LogLag& lag : *unread) waiting += static_cast<uint64_t>(lag.messages);
  }
  return waiting;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using SeedTexts = std::unique_ptr<std::FILE, CloseFile>;

absl::Status Unwritten(const CrawlFolder& folder) {
  return FatalError("write {}: {}", folder.seed_texts().string(), std::strerror(errno));
}

absl::StatusOr<SeedTexts> OpenTexts(const CrawlFolder& folder) {
  SeedTexts texts(std::fopen(folder.seed_texts().c_str(), "ae"));
  if (texts == nullptr) return Unwritten(folder);
  return texts;
}

absl::Status MakeDurable(const CrawlFolder& folder, std::FILE* texts) {
  const bool is_durable = std::fflush(texts) == 0 && fsync(fileno(texts)) == 0;
  return is_durable ? absl::OkStatus() : Unwritten(folder);
}

// Fatal when patterns leave out all seeds. Standard input can be read only once, by AddSeeds.
absl::Status CheckScopeOfSeeds(const CrawlArguments& arguments, const SeedScope& scope) {
  if (!scope.HasPatterns() || !arguments.has_seeds()) return absl::OkStatus();
  bool any_stays = false;
  std::string first;
  const auto see = [&](std::string_view seed) {
    const std::string why = scope.WhyLeftOut(seed);
    any_stays |= why.empty();
    if (!why.empty() && first.empty()) first = fmt::format("'{}': {}", seed, why);
    return why;
  };
  for (const std::string& seed : arguments.seeds) {
    const std::string why = see(seed);
    if (!why.empty()) PrintError("Seed '{}' is left out: {}.\n", seed, why);
  }
  for (const std::string& file : arguments.seed_files) {
    if (file == "-") return absl::OkStatus();
    if (any_stays) break;
    RETURN_IF_ERROR(ForEachSeedLine(file, [&](uint64_t, std::string_view seed) {
      see(seed);
      return !any_stays;
    }));
  }
  if (any_stays || first.empty()) return absl::OkStatus();
  return FatalError(
      "no seed is in scope, the first is {}. --include and --exclude only take URLs away; another "
      "site is crawled too where it has a seed, or with --scope everything",
      first);
}

}  // namespace

absl::Status CheckSeeds(const CrawlArguments& arguments, const ProductOptions& options) {
  for (const std::string& file : arguments.seed_files) {
    if (file != "-" && access(file.c_str(), R_OK) != 0) {
      return FatalError("read {}: {}", file, std::strerror(errno));
    }
  }
  ASSIGN_OR_RETURN(const auto suffixes, PublicSuffixes::Load(options.public_suffixes));
  UrlResolver resolver(options.spider.url, *suffixes);
  for (const std::string& seed : arguments.seeds) {
    ResolvedUrl url;
    if (const UrlError error = ResolveSeed(seed, resolver, &url); error != UrlError::kNone) {
      return FatalError("seed '{}': {}. Give http or https URLs", seed, UrlErrorName(error));
    }
  }
  ASSIGN_OR_RETURN(const auto scope, SeedScope::Make(options.spider.scope, resolver, *suffixes));
  return CheckScopeOfSeeds(arguments, scope);
}

absl::Status CheckSeedsBelong(const CrawlArguments& arguments, const ProductOptions& options,
                              const CrawlFolder& folder, const SeedList& seeds) {
  const std::vector<SeedList> known = folder.Seeds();
  const bool is_known = std::ranges::find(known, seeds.digest, &SeedList::digest) != known.end();
  if (arguments.add || is_known || known.empty()) return absl::OkStatus();
  const SeedList& first = known.front();
  const auto waiting = WaitingIn(options, folder);
  const std::string data = ShellQuoted(folder.path().string());
  return FatalError(
      "{} has a crawl of {}{}{}. To go on with it: orbweaver crawl --data {}. To add these seeds "
      "to it, give --add; to begin another crawl, name another folder with --data",
      folder.path().string(), first.first,
      first.more > 0 ? fmt::format(" and {} more", Count(first.more)) : "",
      waiting.has_value() ? fmt::format("; about {} wait in it", Count(*waiting, "request")) : "",
      data);
}

absl::Status AddSeeds(const CrawlArguments& arguments, const ProductOptions& options,
                      const CrawlFolder& folder, const SeedList& seeds, Bus& bus,
                      const PublicSuffixes& suffixes) {
  const bool begins_anew = folder.begins_anew();
  if (!arguments.has_seeds() && !begins_anew) return absl::OkStatus();
  UrlResolver resolver(options.spider.url, suffixes);
  ASSIGN_OR_RETURN(const auto writer,
                   SeedWriter::Create(bus, SystemClock(), resolver, kSeedTimeout));
  ASSIGN_OR_RETURN(const auto scope, SeedScope::Make(options.spider.scope, resolver, suffixes));
  if (begins_anew) RETURN_IF_ERROR(AddSeedLines(folder.seed_texts().string(), *writer).status());
  const std::vector<SeedList> known = folder.Seeds();
  const bool is_new = arguments.has_seeds() &&
                      std::ranges::find(known, seeds.digest, &SeedList::digest) == known.end();
  SeedTexts texts;
  if (is_new) {
    ASSIGN_OR_RETURN(texts, OpenTexts(folder));
    writer->RecordTo(texts.get());
  }
  for (const std::string& seed : arguments.seeds) {
    if (!scope.WhyLeftOut(seed).empty()) continue;
    CHECK(writer->Add(seed) == UrlError::kNone);  // CheckSeeds has seen it
  }
  for (const std::string& file : arguments.seed_files) {
    RETURN_IF_ERROR(AddSeedLines(file, *writer, &scope).status());
  }
  RETURN_IF_ERROR(writer->Finish());
  if (writer->durable() == 0) return FatalError("no seed among the lines of the files");
  if (texts != nullptr) RETURN_IF_ERROR(MakeDurable(folder, texts.get()));
  // Once they are durable: until then the same command adds them again.
  if (arguments.has_seeds()) RETURN_IF_ERROR(folder.AddSeeds(seeds));
  return begins_anew ? folder.BegunAnew() : absl::OkStatus();
}

absl::StatusOr<uint64_t> AddMoreSeeds(const std::vector<std::string>& seeds,
                                      const ProductOptions& options, const CrawlFolder& folder,
                                      Bus& bus, const PublicSuffixes& suffixes) {
  UrlResolver resolver(options.spider.url, suffixes);
  ASSIGN_OR_RETURN(const auto scope, SeedScope::Make(options.spider.scope, resolver, suffixes));
  for (const std::string& seed : seeds) {
    ResolvedUrl url;
    if (const UrlError error = ResolveSeed(seed, resolver, &url); error != UrlError::kNone) {
      return PoisonError("seed '{}': {}", seed, UrlErrorName(error));
    }
    if (const std::string why = scope.WhyLeftOut(seed); !why.empty()) {
      return PoisonError("seed '{}': left out, {}", seed, why);
    }
  }
  ASSIGN_OR_RETURN(const SeedTexts texts, OpenTexts(folder));
  ASSIGN_OR_RETURN(const auto writer,
                   SeedWriter::Create(bus, SystemClock(), resolver, kSeedTimeout));
  writer->RecordTo(texts.get());
  for (const std::string& seed : seeds) CHECK(writer->Add(seed) == UrlError::kNone);
  RETURN_IF_ERROR(writer->Finish());
  RETURN_IF_ERROR(MakeDurable(folder, texts.get()));
  return writer->durable();
}

}  // namespace orbweaver
