#include "cli/console/console_gate.h"

#include <optional>
#include <string_view>

namespace orbweaver {

bool ConsoleGate::IsForEverybody(std::string_view path) const {
  if (path == "/" || path == "/healthz" || path == "/readyz") return true;
  // The page's files. A target with an authority is somebody else's way of naming any of these.
  return path.starts_with('/') && !path.starts_with(kApiPath) && !admin_.Has(path);
}

AdminResponse ConsoleGate::Handle(const AdminRequest& request) const {
  const std::string_view path = request.path();
  if (ConsoleAccess::Owns(path)) return access_.Handle(request, orders_.Kinds());
  const bool is_read = request.is_read();
  if (OrderApi::Owns(path) && !is_read) return orders_.Handle(request);
  // The rest of the API only reads, and says so.
  if (!is_read && !path.starts_with(kApiPath)) {
    ConsoleAccess::Caller caller;
    if (std::optional<AdminResponse> refusal = access_.RefuseAct(request, &caller)) {
      return *refusal;
    }
    return site_.Handle(request);
  }
  if (!IsForEverybody(path)) {
    if (std::optional<AdminResponse> refusal = access_.RefuseRead(request)) return *refusal;
  }
  return OrderApi::Owns(path) ? orders_.Handle(request) : site_.Handle(request);
}

}  // namespace orbweaver
