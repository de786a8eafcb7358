// The cost of Parquet files: lines of JSON as the spider writes them become tables and are read
// back.
// `mb` are those of the lines. `size` rows: bytes of the Parquet file by bytes of the same lines in
// zstd, a block a line, as `--out-format jsonl.zst` has them.
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "fmt/format.h"

#include "common/base/check.h"
#include "common/base/random.h"
#include "common/base/status.h"
#include "common/parquet/json_rows.h"
#include "spider/publish/lines_to_parquet.h"
#include "spider/publish/zstd_lines.h"
#include "tests/bench/bench.h"
#include "tests/support/scratch_folder.h"

namespace orbweaver {
namespace {

constexpr size_t kBytes = size_t{48} << 20;
constexpr int kLinks = 60;

class Lines {
 public:
  // Of a page with its links, most of them within the site and seen on its other pages too.
  std::string Links() {
    std::string line = Begin() + R"("links_truncated":false,"links":[)";
    for (int i = 0; i < kLinks; ++i) {
      if (i > 0) line += ',';
      const bool outside = random_.Below(10) == 0;
      line += fmt::format(R"({{"url":"https://{}/{}","anchor":"{}","rel":"{}","kind":"anchor"}})",
                          outside ? fmt::format("host{}.example.org", random_.Below(5'000)) : host_,
                          i < 20 ? fmt::format("section-{}/", i)
                                 : fmt::format("{}/item-{}.html", Words(1), random_.Below(100'000)),
                          Words(1 + random_.Below(4)), outside ? "nofollow" : "");
    }
    return line + "]}\n";
  }
  std::string Page() {
    return Begin() +
           fmt::format(
               R"("referrer":"https://{}/section-{}/","depth":{},"status":200,"content_type":"text/html","charset":"utf-8","title":"{}","language":"en","canonical_url":"","robots":"","digest":"sha1:{:032X}","body_bytes":{},"body_truncated":false,"text_bytes":{},"links_inside":{},"links_outside":{},"first_byte_ms":{},"total_ms":{},"headers":{{"cache-control":"max-age={}","content-type":"text/html; charset=utf-8","etag":"\"{:x}\"","last-modified":"Tue, {:02} Jan 2024 10:{:02}:00 GMT","server":"nginx"}}}})",
               host_, random_.Below(20), 1 + random_.Below(8), Words(6),
               random_.Below(uint64_t{1} << 60), 9'000 + random_.Below(40'000),
               3'000 + random_.Below(9'000), random_.Below(60), random_.Below(9),
               20 + random_.Below(300), 40 + random_.Below(500), 60 * random_.Below(4),
               random_.Below(uint64_t{1} << 60), 1 + random_.Below(28), random_.Below(60)) +
           "\n";
  }

 private:
  std::string Begin() {
    if (++pages_ % 500 == 0) host_ = fmt::format("www.site{}.example.com", random_.Below(100'000));
    return fmt::format(
        R"({{"url":"https://{}/{}/item-{}.html","domain":"example.com","fetched_at":"2026-01-31T{:02}:{:02}:{:02}.{:03}Z",)",
        host_, Words(1), random_.Below(100'000), pages_ / 360'000 % 24, pages_ / 6'000 % 60,
        pages_ / 100 % 60, pages_ * 10 % 1'000);
  }
  std::string Words(uint64_t count) {
    static constexpr std::string_view kWords[] = {
        "river", "stone",  "garden", "market",  "letter", "window", "and",    "orange",
        "the",   "of",     "bridge", "silver",  "winter", "music",  "castle", "a",
        "in",    "forest", "mirror", "between", "people", "about",  "night",  "paper"};
    std::string text;
    for (uint64_t i = 0; i < count; ++i) {
      if (i > 0) text += '-';
      text += kWords[random_.Below(std::size(kWords))];
    }
    return text;
  }

  Random random_{1};
  uint64_t pages_ = 0;
  std::string host_ = "www.example.com";
};

void BothWays(BenchReport& report, const std::string& kind,
              const std::function<std::string()>& line) {
  const ScratchFolder folder;
  const std::string path = (folder.path() / (kind + "-w.parquet")).string();
  size_t bytes = 0;
  size_t zstd_bytes = 0;
  {
    std::ofstream lines(path + std::string(kLinesEnding), std::ios::binary);
    ZstdLines zstd;
    while (bytes < kBytes) {
      const std::string text = line();
      lines << text;
      bytes += text.size();
      zstd_bytes += zstd.Compress(text).size();
    }
    zstd_bytes += zstd.End().size();
  }
  const double megabytes = static_cast<double>(bytes) / 1e6;
  {
    const CpuTimer timer;
    CHECK_OK(LinesToParquet(path));
    report.AddRate(kind + "_write", megabytes, "mb/cpu_s", timer,
                   "CPU: zstd, reading JSON, dictionaries");
  }
  const auto size = static_cast<double>(std::filesystem::file_size(path));
  report.Add(kind + "_size", size / static_cast<double>(zstd_bytes), "of jsonl.zst", 0, 0, "");
  report.Add(kind + "_size_raw", size / static_cast<double>(bytes), "of jsonl", 0, 0, "");
  auto source = parquet::FileSource::Open(path);
  CHECK_OK(source.status());
  const auto reader = parquet::ParquetReader::Open(*std::move(source));
  CHECK_OK(reader.status());
  {
    const CpuTimer timer;
    parquet::JsonRowReader rows(reader->get());
    for (std::string row;;) {
      const auto more = rows.Next(&row);
      CHECK_OK(more.status());
      if (!*more) break;
    }
    report.AddRate(kind + "_read", megabytes, "mb/cpu_s", timer, "CPU: rows as JSON");
  }
  {
    const CpuTimer timer;
    for (size_t group = 0; group < (*reader)->meta().groups.size(); ++group) {
      for (const int leaf : (*reader)->schema().leaves()) {
        const auto column = (*reader)->Column(group, (*reader)->schema().node(leaf));
        for (auto cell = column->Peek(); *cell != nullptr; cell = column->Peek()) {
          column->Pop();
        }
      }
    }
    report.AddRate(kind + "_read_columns", megabytes, "mb/cpu_s", timer, "CPU: zstd, levels");
  }
}

void ParquetBench(BenchReport& report) {
  Lines lines;
  BothWays(report, "links", [&lines] { return lines.Links(); });
  BothWays(report, "pages", [&lines] { return lines.Page(); });
}
ORBWEAVER_BENCH("parquet", ParquetBench);

}  // namespace
}  // namespace orbweaver
