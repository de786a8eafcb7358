#include "spider/fetch/tls_library.h"

#include <algorithm>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/provider.h>
#include <string_view>
#include <vector>

namespace orbweaver {
namespace {

// OpenSSL's default provider, in a context of its own. Set before Offer is called.
OSSL_PROVIDER* all_algorithms = nullptr;

bool IsForCertificates(const OSSL_ALGORITHM& decoder) {
  const std::string_view properties = decoder.property_definition;
  if (properties.find("structure=SubjectPublicKeyInfo") == std::string_view::npos ||
      properties.find("input=der") == std::string_view::npos) {
    return false;
  }
  const std::string_view names = decoder.algorithm_names;
  return names.starts_with("RSA") || names.starts_with("EC") || names.starts_with("ED");
}

// Whether TLS makes, reads or derives keys by it.
bool IsKeyOfTls(const OSSL_ALGORITHM& keys) {
  static constexpr std::string_view kNames[] = {"RSA", "EC",   "ED",       "X",
                                                "DH",  "HKDF", "TLS1-PRF", "HMAC"};
  return std::ranges::any_of(
      kNames, [names = std::string_view(keys.algorithm_names)](std::string_view name) {
        return names.starts_with(name);
      });
}

std::vector<OSSL_ALGORITHM> Those(const OSSL_ALGORITHM* all,
                                  bool (*wanted)(const OSSL_ALGORITHM&)) {
  std::vector<OSSL_ALGORITHM> found;
  for (; all != nullptr && all->algorithm_names != nullptr; ++all) {
    if (wanted(*all)) found.push_back(*all);
  }
  found.push_back({});  // the end
  return found;
}

const OSSL_ALGORITHM* Query(void* /*context*/, int operation, int* is_not_stored) {
  const OSSL_ALGORITHM* const all =
      OSSL_PROVIDER_query_operation(all_algorithms, operation, is_not_stored);
  static const std::vector<OSSL_ALGORITHM> decoders =
      Those(OSSL_PROVIDER_query_operation(all_algorithms, OSSL_OP_DECODER, is_not_stored),
            IsForCertificates);
  static const std::vector<OSSL_ALGORITHM> keys = Those(
      OSSL_PROVIDER_query_operation(all_algorithms, OSSL_OP_KEYMGMT, is_not_stored), IsKeyOfTls);
  if (operation == OSSL_OP_DECODER) return decoders.data();
  return operation == OSSL_OP_KEYMGMT ? keys.data() : all;
}

// The groups of key exchanges, which TLS asks for.
int Capabilities(void* /*context*/, const char* capability, OSSL_CALLBACK* callback,
                 void* argument) {
  return OSSL_PROVIDER_get_capabilities(all_algorithms, capability, callback, argument);
}

int Offer(const OSSL_CORE_HANDLE* /*core*/, const OSSL_DISPATCH* /*from_core*/,
          const OSSL_DISPATCH** functions, void** context) {
  static const OSSL_DISPATCH kFunctions[] = {
      {OSSL_FUNC_PROVIDER_QUERY_OPERATION, reinterpret_cast<void (*)()>(Query)},
      {OSSL_FUNC_PROVIDER_GET_CAPABILITIES, reinterpret_cast<void (*)()>(Capabilities)},
      {0, nullptr}};
  *functions = kFunctions;
  *context = OSSL_PROVIDER_get0_provider_ctx(all_algorithms);
  return 1;
}

OSSL_LIB_CTX* MakeTlsLibrary() {
  OSSL_LIB_CTX* const base = OSSL_LIB_CTX_new();
  OSSL_LIB_CTX* const library = OSSL_LIB_CTX_new();
  if (base == nullptr || library == nullptr) return nullptr;
  all_algorithms = OSSL_PROVIDER_load(base, "default");
  const bool made = all_algorithms != nullptr &&
                    OSSL_PROVIDER_add_builtin(library, "web", Offer) == 1 &&
                    OSSL_PROVIDER_load(library, "web") != nullptr;
  return made ? library : nullptr;
}

}  // namespace

OSSL_LIB_CTX* TlsLibrary() {
  static OSSL_LIB_CTX* const library = MakeTlsLibrary();
  return library;
}

}  // namespace orbweaver
