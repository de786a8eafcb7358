#include "link_types.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver::python {
namespace {

std::optional<sdk::Link> LinkOf(PyObject* self) {
  const auto* const part = reinterpret_cast<PartObject*>(self);
  auto* const event = static_cast<sdk::LinkEvent*>(Alive(part->of));
  if (event == nullptr) return std::nullopt;
  return (*event)[part->index];
}
std::optional<sdk::LinkView> SeenLinkOf(PyObject* self) {
  const auto* const part = reinterpret_cast<PartObject*>(self);
  auto* const event = static_cast<sdk::LinkFilter*>(Alive(part->of));
  if (event == nullptr) return std::nullopt;
  return (*event)[part->index];
}
std::optional<sdk::Domain> DomainOf(PyObject* self) {
  sdk::EventView* const event = Alive(reinterpret_cast<PartObject*>(self)->of);
  if (event == nullptr) return std::nullopt;
  return event->domain();
}

PyObject* IsNew(PyObject* self, void*) {
  const auto link = LinkOf(self);
  return link.has_value() ? ToPython(link->IsNew()) : nullptr;
}

template <auto Of>
PyObject* FingerprintHigh(PyObject* self, void*) {
  const auto link = Of(self);
  return link.has_value() ? ToPython(link->fingerprint().high) : nullptr;
}
template <auto Of>
PyObject* FingerprintLow(PyObject* self, void*) {
  const auto link = Of(self);
  return link.has_value() ? ToPython(link->fingerprint().low) : nullptr;
}

using EightBytes = std::array<char, 8>;

PyObject* LinkData(PyObject* self, void*) {
  const auto link = LinkOf(self);
  if (!link.has_value()) return nullptr;
  const auto data = link->DataAs<EightBytes>();
  return Bytes({data.data(), data.size()});
}

// schedule(score, not_before_ms=0)
PyObject* Schedule(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  auto link = LinkOf(self);
  if (!link.has_value()) return nullptr;
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  const bool is_named =
      named == 1 && count == 1 &&
      PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "not_before_ms") == 0;
  if (count < 1 || count + named > 2 || (named > 0 && !is_named)) {
    PyErr_SetString(PyExc_TypeError, "schedule takes a score, and perhaps not_before_ms");
    return nullptr;
  }
  float score = 0;
  if (!ReadFloat(args[0], &score)) return nullptr;
  int64_t not_before_ms = 0;
  if (count + named == 2) {
    not_before_ms = PyLong_AsLongLong(args[1]);
    if (not_before_ms == -1 && PyErr_Occurred() != nullptr) return nullptr;
  }
  link->Schedule(score, not_before_ms);
  Py_RETURN_NONE;
}

PyObject* RaiseScore(PyObject* self, PyObject* value) {
  auto link = LinkOf(self);
  float score = 0;
  if (!link.has_value() || !ReadFloat(value, &score)) return nullptr;
  link->Raise(score);
  Py_RETURN_NONE;
}

PyObject* DropLink(PyObject* self, PyObject*) {
  auto link = LinkOf(self);
  if (!link.has_value()) return nullptr;
  link->Drop();
  Py_RETURN_NONE;
}

PyObject* SetAttempt(PyObject* self, PyObject* value) {
  auto link = LinkOf(self);
  if (!link.has_value()) return nullptr;
  const unsigned long attempt = PyLong_AsUnsignedLong(value);
  if (PyErr_Occurred() != nullptr) return nullptr;
  if (attempt > UINT32_MAX) {
    PyErr_SetString(PyExc_OverflowError, "an attempt has 32 bits");
    return nullptr;
  }
  link->SetAttempt(static_cast<uint32_t>(attempt));
  Py_RETURN_NONE;
}

PyObject* SetStatus(PyObject* self, PyObject* value) {
  auto link = LinkOf(self);
  if (!link.has_value()) return nullptr;
  const long status = PyLong_AsLong(value);
  if (status == -1 && PyErr_Occurred() != nullptr) return nullptr;
  if (status < 0 || status > static_cast<long>(sdk::Status::kGone)) {
    PyErr_SetString(PyExc_ValueError, "no such status");
    return nullptr;
  }
  link->SetStatus(static_cast<sdk::Status>(status));
  Py_RETURN_NONE;
}

PyObject* SetData(PyObject* self, PyObject* value) {
  auto link = LinkOf(self);
  std::string_view bytes;
  if (!link.has_value() || !ReadBytes(value, &bytes)) return nullptr;
  EightBytes data{};
  if (bytes.size() > data.size()) {
    PyErr_Format(PyExc_ValueError, "a URL keeps 8 bytes, not %zu", bytes.size());
    return nullptr;
  }
  std::memcpy(data.data(), bytes.data(), bytes.size());
  link->SetData(data);
  Py_RETURN_NONE;
}

PyObject* SetDue(PyObject* self, PyObject* value) {
  auto link = LinkOf(self);
  if (!link.has_value()) return nullptr;
  const int64_t unix_ms = PyLong_AsLongLong(value);
  if (unix_ms == -1 && PyErr_Occurred() != nullptr) return nullptr;
  link->SetDue(unix_ms);
  Py_RETURN_NONE;
}

PyObject* SetMeta(PyObject* self, PyObject* value) {
  auto link = LinkOf(self);
  if (!link.has_value()) return nullptr;
  if (!PyDict_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "set_meta takes a dict of texts");
    return nullptr;
  }
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  PyObject *key = nullptr, *entry = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(value, &at, &key, &entry) != 0;) {
    auto& [key_text, entry_text] = entries.emplace_back();
    if (!ReadText(key, &key_text) || !ReadText(entry, &entry_text)) return nullptr;
  }
  link->SetMeta(entries);
  Py_RETURN_NONE;
}

PyObject* DomainData(PyObject* self, void*) {
  const auto domain = DomainOf(self);
  return domain.has_value() ? Bytes(domain->data()) : nullptr;
}

template <auto Of>
constexpr std::array<PyGetSetDef, 9> kLinkView = {{
    {"url", GetPart<Of, &sdk::Link::url>, nullptr, "canonical", nullptr},
    {"anchor", GetPart<Of, &sdk::Link::anchor>, nullptr, nullptr, nullptr},
    {"kind", GetPart<Of, &sdk::Link::kind>, nullptr, "LinkKind", nullptr},
    {"nofollow", GetPart<Of, &sdk::Link::nofollow>, nullptr, nullptr, nullptr},
    {"ugc", GetPart<Of, &sdk::Link::ugc>, nullptr, nullptr, nullptr},
    {"sponsored", GetPart<Of, &sdk::Link::sponsored>, nullptr, nullptr, nullptr},
    {"seed_score", GetPart<Of, &sdk::Link::seed_score>, nullptr,
     "with which the seed was added; None", nullptr},
    {"fingerprint_high", FingerprintHigh<Of>, nullptr, nullptr, nullptr},
    {"fingerprint_low", FingerprintLow<Of>, nullptr, nullptr, nullptr},
}};

constexpr PyGetSetDef kLinkState[] = {
    {"known", GetPart<LinkOf, &sdk::Link::known>, nullptr,
     "False: never heard of, or heard of and left alone", nullptr},
    {"is_new", IsNew, nullptr, "never scheduled, as far as the states tell", nullptr},
    {"status", GetPart<LinkOf, &sdk::Link::status>, nullptr, "Status", nullptr},
    {"depth", GetPart<LinkOf, &sdk::Link::depth>, nullptr, nullptr, nullptr},
    {"fetches", GetPart<LinkOf, &sdk::Link::fetches>, nullptr, "successful ones", nullptr},
    {"errors", GetPart<LinkOf, &sdk::Link::errors>, nullptr, "since the last success or new start",
     nullptr},
    {"http_status", GetPart<LinkOf, &sdk::Link::http_status>, nullptr, nullptr, nullptr},
    {"fetched_at_ms", GetPart<LinkOf, &sdk::Link::fetched_at_ms>, nullptr, nullptr, nullptr},
    {"due_at_ms", GetPart<LinkOf, &sdk::Link::due_at_ms>, nullptr, nullptr, nullptr},
    {"content_hash", GetPart<LinkOf, &sdk::Link::content_hash>, nullptr, nullptr, nullptr},
    {"has_validators", GetPart<LinkOf, &sdk::Link::has_validators>, nullptr, nullptr, nullptr},
    {"data", LinkData, nullptr, "the strategy's eight bytes of this URL, zero at first", nullptr},
};

PyMethodDef link_methods[] = {
    {"schedule", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Schedule)),
     METH_FASTCALL | METH_KEYWORDS,
     "schedule(score, not_before_ms=0): requests it; 1 is best, 0 worst"},
    {"raise_score", RaiseScore, METH_O,
     "as schedule, unless it is QUEUED: then a request that still waits is moved up"},
    {"drop", DropLink, METH_NOARGS, "takes it out of the queue, if it still waits there"},
    {"set_attempt", SetAttempt, METH_O, "of the request: how often it was tried before"},
    {"set_meta", SetMeta, METH_O, "values that travel with the request: a dict of texts"},
    {"set_status", SetStatus, METH_O, "kept with the URL, whether it is scheduled or not"},
    {"set_data", SetData, METH_O, "at most eight bytes, kept with the URL"},
    {"set_due", SetDue, METH_O, "kept with the URL: a Unix time in milliseconds"},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef domain_members[] = {
    {"name", GetPart<DomainOf, &sdk::Domain::name>, nullptr, nullptr, nullptr},
    {"fetched", GetPart<DomainOf, &sdk::Domain::fetched>, nullptr, nullptr, nullptr},
    {"scheduled", GetPart<DomainOf, &sdk::Domain::scheduled>, nullptr, nullptr, nullptr},
    {"failed", GetPart<DomainOf, &sdk::Domain::failed>, nullptr, nullptr, nullptr},
    {"known_urls", GetPart<DomainOf, &sdk::Domain::known_urls>, nullptr, nullptr, nullptr},
    {"crawl_delay_ms", GetPart<DomainOf, &sdk::Domain::crawl_delay_ms>, nullptr, "None: none known",
     nullptr},
    {"data", DomainData, nullptr, "the bytes that the strategy keeps for the domain", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyTypeObject* MakeLinkType() {
  return NewType("orbweaver.Link", sizeof(PartObject), DropPart,
                 {{Py_tp_getset, Join<PyGetSetDef>({Part(kLinkView<LinkOf>), Part(kLinkState)})},
                  {Py_tp_methods, link_methods}});
}

PyTypeObject* MakeLinkViewType() {
  return NewType("orbweaver.LinkView", sizeof(PartObject), DropPart,
                 {{Py_tp_getset, Join<PyGetSetDef>({Part(kLinkView<SeenLinkOf>)})}});
}

PyTypeObject* MakeDomainType() {
  return NewType("orbweaver.Domain", sizeof(PartObject), DropPart,
                 {{Py_tp_getset, domain_members}});
}

}  // namespace orbweaver::python
