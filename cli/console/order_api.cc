#include "cli/console/order_api.h"

#include <algorithm>

#include "absl/strings/str_split.h"
#include "cli/console/json_answer.h"
#include "cli/orders/order.h"
#include "cli/orders/order_journal.h"

#include "common/base/json.h"
#include "common/base/log.h"
#include "common/base/status.h"
#include "common/base/text.h"
#include "common/config/value_text.h"
#include "common/runtime/form.h"

namespace orbweaver {
namespace {

constexpr std::string_view kPath = "/api/v1/orders";
constexpr uint64_t kUsualRows = 100;
constexpr uint64_t kMostRows = 1000;

void WriteNames(JsonWriter& json, std::string_view names) {
  json.BeginArray();
  for (const absl::string_view name : absl::StrSplit(ToAbsl(names), ' ', absl::SkipEmpty())) {
    json.Value(ToStd(name));
  }
  json.EndArray();
}

std::string EffectJson(std::string_view name, bool preview, const OrderEffect& effect) {
  std::string body;
  JsonWriter json(&body);
  json.BeginObject().Key("order").Value(name).Key("preview").Value(preview);
  json.Key("touches").BeginObject();
  for (const auto& [what, count] : effect.touches) json.Key(what).Value(count);
  json.EndObject().Key("says").Value(effect.says).EndObject();
  return body;
}

}  // namespace

bool OrderApi::Owns(std::string_view path) {
  return path == kPath || (path.starts_with(kPath) && path[kPath.size()] == '/');
}

AdminResponse OrderApi::Handle(const AdminRequest& request) {
  const std::string_view path = request.path();
  if (path == kPath) {
    return request.is_read() ? List(request.query()) : JsonNotAllowed("GET, HEAD");
  }
  if (request.method != "POST") return JsonNotAllowed("POST");
  return Post(request, path.substr(kPath.size() + 1));
}

std::string OrderApi::Kinds() const {
  std::string text;
  JsonWriter json(&text);
  json.BeginArray();
  for (const OrderKind& kind : OrderKinds()) {
    if (!desk_.Takes(kind.action)) continue;
    json.BeginObject().Key("name").Value(kind.name).Key("needs");
    WriteNames(json, kind.needs);
    json.Key("takes");
    WriteNames(json, kind.takes);
    json.Key("says").Value(kind.says).EndObject();
  }
  json.EndArray();
  return text;
}

AdminResponse OrderApi::Post(const AdminRequest& request, std::string_view name) {
  ConsoleAccess::Caller caller;
  if (std::optional<AdminResponse> refusal = access_.RefuseAct(request, &caller)) return *refusal;
  const auto asked = ParseForm(request.query());
  if (!asked.ok()) return JsonError(asked.status());
  // An order must not be done because a word of the query was misspelled.
  const bool preview = *asked == FormParams{{"preview", "1"}};
  if (!preview && !asked->empty()) return JsonError(400, "the query may only say preview=1");
  const auto params = ParseForm(request.body);
  if (!params.ok()) return JsonError(params.status());
  const absl::StatusOr<Order> order = desk_.Read(name, *params);
  if (!order.ok()) return JsonError(order.status());
  const absl::StatusOr<OrderEffect> effect = preview ? desk_.Preview(*order) : desk_.Do(*order);
  if (!preview) Keep(request, name, *params, caller, effect);
  if (!effect.ok()) return JsonError(effect.status());
  return JsonAnswer(200, EffectJson(name, preview, *effect));
}

void OrderApi::Keep(const AdminRequest& request, std::string_view name, const FormParams& params,
                    const ConsoleAccess::Caller& caller,
                    const absl::StatusOr<OrderEffect>& done) const {
  const std::string form = EncodeForm(params);
  const absl::Status kept = Journal(
      journal_, {.time = clock_.Wall(),
                 .action = name,
                 .parameters = form,
                 .by = caller.by,
                 .from = request.peer,
                 .is_done = done.ok(),
                 .answer = done.ok() ? std::string_view(done->says) : MessageOf(done.status())});
  if (!kept.ok()) Log(LogLevel::kWarning, "console", "{}", MessageOf(kept));
}

AdminResponse OrderApi::List(std::string_view query) const {
  const auto params = ParseForm(query);
  if (!params.ok()) return JsonError(params.status());
  uint64_t limit = kUsualRows;
  for (const auto& [name, value] : *params) {
    const bool is_good =
        name == "limit" && config::ParseNumber(value, &limit) && limit <= kMostRows;
    if (!is_good) return JsonError(400, "the query may only say limit=, a number from 0 to 1000");
  }
  const auto orders = ReadJournal(journal_, limit);
  if (!orders.ok()) return JsonError(orders.status());
  std::string body;
  JsonWriter json(&body);
  json.BeginObject().Key("orders").BeginArray();
  for (const KeptOrder& order : *orders) {
    json.BeginObject().Key("time_ms").Value(order.time_ms).Key("order").Value(order.action);
    json.Key("parameters").BeginObject();
    for (const auto& [name, value] : order.parameters) json.Key(name).Value(value);
    json.EndObject().Key("by").Value(order.by).Key("from").Value(order.from);
    json.Key("done").Value(order.is_done).Key("says").Value(order.answer).EndObject();
  }
  json.EndArray().EndObject();
  return JsonAnswer(200, std::move(body));
}

}  // namespace orbweaver
