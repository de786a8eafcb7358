#include "cli/console/json_answer.h"

#include <utility>

#include "fmt/format.h"

#include "common/base/json.h"
#include "common/base/status.h"

namespace orbweaver {

AdminResponse JsonAnswer(int status, std::string body) {
  AdminResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = std::move(body);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

AdminResponse JsonError(int status, std::string_view text) {
  std::string body;
  JsonWriter(&body).BeginObject().Key("error").Value(text).EndObject();
  return JsonAnswer(status, std::move(body));
}

AdminResponse JsonError(const absl::Status& status, std::string_view hint) {
  return JsonError(HttpStatusOf(status), fmt::format("{}{}", MessageOf(status), hint));
}

AdminResponse JsonNotAllowed(std::string_view allowed) {
  AdminResponse response = JsonError(405, fmt::format("use {}", allowed));
  response.headers.emplace_back("Allow", allowed);
  return response;
}

}  // namespace orbweaver
