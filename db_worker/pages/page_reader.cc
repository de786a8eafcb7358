#include "db_worker/pages/page_reader.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/status.h"

namespace orbweaver {
namespace {

// Rows of a content that are compared with their pages at once.
constexpr size_t kPortion = 500;

struct PageKey {
  std::string domain;
  Fingerprint url;
};

// The end of a content's row.
Fingerprint UrlOf(std::string_view row) {
  char bytes[16];
  std::memcpy(bytes, row.data() + row.size() - sizeof bytes, sizeof bytes);
  return Fingerprint::FromBytes(bytes);
}

// A row of a content may be left over from a page that has changed since: the page decides.
absl::StatusOr<bool> VisitPages(Store& store, const Fingerprint& content,
                                const std::vector<PageKey>& pages, Duration timeout,
                                absl::FunctionRef<bool(const StoredPage&)> visit) {
  std::vector<std::string> names;
  names.reserve(pages.size());  // the gets point into it
  std::vector<RowGet> gets;
  for (const PageKey& page : pages) {
    names.push_back(PageRow(page.domain, page.url));
    gets.push_back({names.back(), {&kPageColumn, 1}});
  }
  Rows rows;
  RETURN_IF_ERROR(store.MultiGet(Table::kPages, gets, timeout, &rows));
  Arena arena;
  for (size_t i = 0; i < pages.size(); ++i) {
    const Cell* const cell = rows.Find(i, kPageColumn);
    if (cell == nullptr) continue;
    arena.Reset();
    StoredPage page;
    RETURN_IF_ERROR(DecodePage(cell->value, &arena, &page));
    if (page.page.content_hash == content && !visit(page)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<FoundPage>> FindPage(Store& store, std::string_view domain,
                                                    const Fingerprint& url, bool with_body,
                                                    Duration timeout) {
  const std::string row = PageRow(domain, url);
  static constexpr std::string_view kColumns[] = {kPageColumn, kBodyColumn};
  const RowGet get{.row = row, .columns = {kColumns, with_body ? size_t{2} : size_t{1}}};
  auto found = std::make_unique<FoundPage>();
  RETURN_IF_ERROR(store.MultiGet(Table::kPages, {&get, 1}, timeout, &found->rows));
  const Cell* const cell = found->rows.Find(0, kPageColumn);
  if (cell == nullptr) return nullptr;
  RETURN_IF_ERROR(DecodePage(cell->value, &found->arena, &found->page));
  const Cell* const body = found->rows.Find(0, kBodyColumn);
  if (body == nullptr) return found;
  ASSIGN_OR_RETURN(StoredBody stored, DecodeBody(body->value));
  if (stored.hash == found->page.page.content_hash) found->body = std::move(stored.body);
  return found;
}

absl::Status ForEachWithContent(Store& store, const Fingerprint& content, Duration timeout,
                                absl::FunctionRef<bool(const StoredPage&)> visit) {
  const std::string end = ContentRowsEnd(content);
  std::string begin = ContentRow(content, {});
  for (bool goes_on = true; goes_on;) {
    std::vector<PageKey> pages;
    absl::Status read;
    const ScanRange range{
        .begin = begin, .end = end, .columns = {&kWhereColumn, 1}, .limit = kPortion};
    RETURN_IF_ERROR(store.Scan(Table::kPages, range, timeout,
                               [&](std::string_view row, std::span<const Cell> cells) {
                                 const auto where = DecodeWhere(cells.front().value);
                                 read.Update(where.status());
                                 if (!read.ok()) return false;
                                 pages.push_back({std::string(where->domain), UrlOf(row)});
                                 begin.assign(row);
                                 begin.push_back('\0');
                                 return true;
                               }));
    RETURN_IF_ERROR(read);
    if (pages.empty()) break;
    ASSIGN_OR_RETURN(goes_on, VisitPages(store, content, pages, timeout, visit));
  }
  return absl::OkStatus();
}

}  // namespace orbweaver
