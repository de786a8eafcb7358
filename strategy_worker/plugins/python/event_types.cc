#include "event_types.h"

#include <array>
#include <cmath>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver::python {
namespace {

// ---- objects ----

struct EventObject {
  PyObject ob_base;
  sdk::EventView* event;  // null when its handler has returned
};

// One of an event's links, or the event's domain.
struct PartObject {
  PyObject ob_base;
  EventObject* of;
  size_t index;
};

// Two links take turns: the one that a loop has left is free when the next but one is wanted.
struct IteratorObject {
  PyObject ob_base;
  EventObject* of;
  size_t next;
  std::array<PartObject*, 2> links;
};

struct Types {
  PyTypeObject* seeds;
  PyTypeObject* links;
  PyTypeObject* page;
  PyTypeObject* failure;
  PyTypeObject* host;
  PyTypeObject* filter;
  PyTypeObject* link;
  PyTypeObject* seen_link;
  PyTypeObject* domain;
  PyTypeObject* iterator;
  // Members of the enums by their numbers.
  std::vector<PyObject*> statuses, kinds, causes, robots, dns;
};
// Never destroyed: Python outlives static objects.
Types* types = nullptr;

// ---- values ----

PyObject* ToPython(bool value) { return PyBool_FromLong(value ? 1 : 0); }
PyObject* ToPython(uint32_t value) { return PyLong_FromUnsignedLong(value); }
PyObject* ToPython(uint64_t value) { return PyLong_FromUnsignedLongLong(value); }
PyObject* ToPython(int64_t value) { return PyLong_FromLongLong(value); }
PyObject* ToPython(float value) { return PyFloat_FromDouble(value); }
PyObject* ToPython(std::string_view value) { return Text(value).release(); }
PyObject* ToPython(const std::vector<PyObject*>& members, uint32_t number) {
  if (number >= members.size()) return PyLong_FromUnsignedLong(number);
  return Py_NewRef(members[number]);
}
PyObject* ToPython(sdk::Status value) {
  return ToPython(types->statuses, static_cast<uint32_t>(value));
}
PyObject* ToPython(sdk::LinkKind value) {
  return ToPython(types->kinds, static_cast<uint32_t>(value));
}
PyObject* ToPython(sdk::Cause value) {
  return ToPython(types->causes, static_cast<uint32_t>(value));
}
PyObject* ToPython(sdk::Robots value) {
  return ToPython(types->robots, static_cast<uint32_t>(value));
}
PyObject* ToPython(sdk::Dns value) { return ToPython(types->dns, static_cast<uint32_t>(value)); }
template <typename T>
PyObject* ToPython(const std::optional<T>& value) {
  return value.has_value() ? ToPython(*value) : Py_NewRef(Py_None);
}

PyObject* Bytes(std::string_view value) {
  return PyBytes_FromStringAndSize(value.data(), static_cast<Py_ssize_t>(value.size()));
}

// ---- from an object to what it views; null with an exception set when that has gone ----

sdk::EventView* Alive(EventObject* object) {
  if (object->event == nullptr) {
    PyErr_SetString(PyExc_ReferenceError,
                    "the event is over: keep values of it, not the event or its parts");
  }
  return object->event;
}

template <typename Event>
Event* As(PyObject* self) {
  return static_cast<Event*>(Alive(reinterpret_cast<EventObject*>(self)));
}

template <typename Event, auto Member>
PyObject* Get(PyObject* self, void*) {
  Event* const event = As<Event>(self);
  return event == nullptr ? nullptr : ToPython((event->*Member)());
}

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

template <auto Of, auto Member>
PyObject* GetPart(PyObject* self, void*) {
  const auto part = Of(self);
  return part.has_value() ? ToPython(((*part).*Member)()) : nullptr;
}

PyObject* NewPart(PyTypeObject* type, EventObject* of, size_t index) {
  auto* const part = PyObject_New(PartObject, type);
  if (part == nullptr) return nullptr;
  part->of = of;
  Py_INCREF(of);
  part->index = index;
  return reinterpret_cast<PyObject*>(part);
}

void DropPart(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_DECREF(reinterpret_cast<PartObject*>(self)->of);
  PyObject_Free(self);
  Py_DECREF(type);
}
void DropEvent(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

// ---- arguments ----

bool ReadFloat(PyObject* value, float* number) {
  const double wide = PyFloat_AsDouble(value);
  if (wide == -1.0 && PyErr_Occurred() != nullptr) return false;
  *number = static_cast<float>(wide);
  return true;
}

bool ReadBytes(PyObject* value, std::string_view* bytes) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(value, &data, &size) != 0) return false;
  *bytes = {data, static_cast<size_t>(size)};
  return true;
}

bool ReadText(PyObject* value, std::string_view* text) {
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(value, &size);
  if (data == nullptr) return false;
  *text = {data, static_cast<size_t>(size)};
  return true;
}

// ---- links ----

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
  if (status < 0 || static_cast<size_t>(status) >= types->statuses.size()) {
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

// ---- events ----

PyObject* GetDomain(PyObject* self, void*) {
  auto* const event = reinterpret_cast<EventObject*>(self);
  return Alive(event) == nullptr ? nullptr : NewPart(types->domain, event, 0);
}

PyObject* DomainData(PyObject* self, void*) {
  const auto domain = DomainOf(self);
  return domain.has_value() ? Bytes(domain->data()) : nullptr;
}

PyObject* OwnLink(PyObject* self, void*) {
  auto* const event = reinterpret_cast<EventObject*>(self);
  return Alive(event) == nullptr ? nullptr : NewPart(types->link, event, 0);
}

PyObject* PageBody(PyObject* self, void*) {
  auto* const page = As<sdk::Page>(self);
  return page == nullptr ? nullptr : Bytes(page->body());
}

PyObject* HostSitemaps(PyObject* self, void*) {
  auto* const host = As<sdk::Host>(self);
  if (host == nullptr) return nullptr;
  Owned list(PyList_New(static_cast<Py_ssize_t>(host->sitemap_count())));
  for (size_t i = 0; list != nullptr && i < host->sitemap_count(); ++i) {
    PyObject* const url = ToPython(host->sitemap(i));
    if (url == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), url);
  }
  return list.release();
}

PyObject* GetMeta(PyObject* self, PyObject* key) {
  auto* const event = As<sdk::EventView>(self);
  std::string_view text;
  return event == nullptr || !ReadText(key, &text) ? nullptr : ToPython(event->meta(text));
}

PyObject* Request(PyObject* self, PyObject* args, PyObject* named) {
  auto* const event = As<sdk::Event>(self);
  if (event == nullptr) return nullptr;
  static constexpr std::array<const char*, 6> kNames = {"url",           "score",         "depth",
                                                        "not_before_ms", "even_if_known", nullptr};
  const char* url = nullptr;
  Py_ssize_t size = 0;
  double score = 0;
  unsigned depth = 0;
  long long not_before_ms = 0;
  int even_if_known = 0;
  if (PyArg_ParseTupleAndKeywords(args, named, "s#d|$ILp:request",
                                  const_cast<char**>(kNames.data()), &url, &size, &score, &depth,
                                  &not_before_ms, &even_if_known) == 0) {
    return nullptr;
  }
  event->Request(
      {url, static_cast<size_t>(size)}, static_cast<float>(score),
      {.depth = depth, .not_before_ms = not_before_ms, .even_if_known = even_if_known != 0});
  Py_RETURN_NONE;
}

PyObject* KeepDomainData(PyObject* self, PyObject* value) {
  auto* const event = As<sdk::Event>(self);
  std::string_view bytes;
  if (event == nullptr || !ReadBytes(value, &bytes)) return nullptr;
  event->KeepDomainData(bytes);
  Py_RETURN_NONE;
}

PyObject* Warn(PyObject* self, PyObject* value) {
  auto* const event = As<sdk::Event>(self);
  std::string_view text;
  if (event == nullptr || !ReadText(value, &text)) return nullptr;
  event->Warn(text);
  Py_RETURN_NONE;
}

PyObject* BlockUntil(PyObject* self, PyObject* value) {
  auto* const event = As<sdk::Event>(self);
  if (event == nullptr) return nullptr;
  const int64_t unix_ms = PyLong_AsLongLong(value);
  if (unix_ms == -1 && PyErr_Occurred() != nullptr) return nullptr;
  event->BlockUntil(unix_ms);
  Py_RETURN_NONE;
}

template <auto Member>
PyObject* Do(PyObject* self, PyObject*) {
  auto* const event = As<sdk::Event>(self);
  if (event == nullptr) return nullptr;
  (event->*Member)();
  Py_RETURN_NONE;
}

// ---- all links of an event at once ----

template <typename T, typename Value>
Owned Column(const char* format, sdk::LinkEvent& event, Value value) {
  Owned bytes(
      PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(event.size() * sizeof(T))));
  if (bytes == nullptr) return nullptr;
  char* out = PyBytes_AS_STRING(bytes.get());
  for (size_t i = 0; i < event.size(); ++i, out += sizeof(T)) {
    const T element = static_cast<T>(value(event[i]));
    std::memcpy(out, &element, sizeof(T));
  }
  const Owned plain(PyMemoryView_FromObject(bytes.get()));
  if (plain == nullptr) return nullptr;
  return Owned(PyObject_CallMethod(plain.get(), "cast", "s", format));
}

// column(name): a memoryview with an element of each link, which numpy.asarray takes as it is.
PyObject* GetColumn(PyObject* self, PyObject* name) {
  auto* const event = As<sdk::LinkEvent>(self);
  std::string_view text;
  if (event == nullptr || !ReadText(name, &text)) return nullptr;
  const auto is = [text](std::string_view column) { return text == column; };
  using sdk::Link;
  if (is("is_new")) {
    return Column<bool>("?", *event, [](Link link) { return link.IsNew(); }).release();
  }
  if (is("status")) {
    return Column<uint8_t>("B", *event, [](Link link) { return link.status(); }).release();
  }
  if (is("kind")) {
    return Column<uint8_t>("B", *event, [](Link link) { return link.kind(); }).release();
  }
  if (is("fetches")) {
    return Column<uint32_t>("I", *event, [](Link link) { return link.fetches(); }).release();
  }
  if (is("errors")) {
    return Column<uint32_t>("I", *event, [](Link link) { return link.errors(); }).release();
  }
  if (is("fetched_at_ms")) {
    return Column<int64_t>("q", *event, [](Link link) { return link.fetched_at_ms(); }).release();
  }
  if (is("fingerprint_low")) {
    return Column<uint64_t>("Q", *event, [](Link link) { return link.fingerprint().low; })
        .release();
  }
  if (is("data")) {
    return Column<uint64_t>("Q", *event, [](Link link) { return link.DataAs<uint64_t>(); })
        .release();
  }
  PyErr_SetString(PyExc_ValueError,
                  "columns are is_new, status, kind, fetches, errors, fetched_at_ms, "
                  "fingerprint_low and data");
  return nullptr;
}

template <auto Member>
PyObject* Texts(PyObject* self, PyObject*) {
  auto* const event = As<sdk::LinkEvent>(self);
  if (event == nullptr) return nullptr;
  Owned list(PyList_New(static_cast<Py_ssize_t>(event->size())));
  for (size_t i = 0; list != nullptr && i < event->size(); ++i) {
    PyObject* const text = ToPython(((*event)[i].*Member)());
    if (text == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), text);
  }
  return list.release();
}

// One score for all links, or a buffer with one of each.
class Scores {
 public:
  Scores() = default;
  ~Scores() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  }
  Scores(const Scores&) = delete;
  Scores& operator=(const Scores&) = delete;

  // False with an exception set.
  bool Read(PyObject* value, size_t links) {
    if (PyObject_CheckBuffer(value) == 0) return ReadFloat(value, &one_);
    if (PyObject_GetBuffer(value, &buffer_, PyBUF_FORMAT | PyBUF_ND) != 0) return false;
    const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
    const bool is_right = buffer_.ndim == 1 && (format == "f" || format == "d");
    if (!is_right || static_cast<size_t>(buffer_.shape[0]) != links) {
      PyErr_Format(PyExc_ValueError, "expected one score, or %zu as floats (f or d)", links);
      return false;
    }
    is_double_ = format == "d";
    return true;
  }

  float operator[](size_t i) const {
    if (buffer_.obj == nullptr) return one_;
    if (is_double_) return static_cast<float>(static_cast<const double*>(buffer_.buf)[i]);
    return static_cast<const float*>(buffer_.buf)[i];
  }

 private:
  float one_ = 0;
  Py_buffer buffer_{};
  bool is_double_ = false;
};

// schedule_new(scores, most): whatever was never scheduled, in order; NaN leaves a link alone.
PyObject* ScheduleNew(PyObject* self, PyObject* args) {
  auto* const event = As<sdk::LinkEvent>(self);
  PyObject* value = nullptr;
  Py_ssize_t most = PY_SSIZE_T_MAX;
  if (event == nullptr || PyArg_ParseTuple(args, "O|n:schedule_new", &value, &most) == 0) {
    return nullptr;
  }
  Scores scores;
  if (!scores.Read(value, event->size())) return nullptr;
  Py_ssize_t scheduled = 0;
  for (size_t i = 0; i < event->size() && scheduled < most; ++i) {
    sdk::Link link = (*event)[i];
    if (!link.IsNew() || std::isnan(scores[i])) continue;
    link.Schedule(scores[i]);
    ++scheduled;
  }
  return PyLong_FromSsize_t(scheduled);
}

// ---- events as sequences of links ----

template <typename Event>
Py_ssize_t Size(PyObject* self) {
  Event* const event = As<Event>(self);
  return event == nullptr ? -1 : static_cast<Py_ssize_t>(event->size());
}

PyTypeObject* TypeOfLinks(const sdk::LinkEvent*) { return types->link; }
PyTypeObject* TypeOfLinks(const sdk::LinkFilter*) { return types->seen_link; }

template <typename Event>
PyObject* Item(PyObject* self, Py_ssize_t i) {
  Event* const event = As<Event>(self);
  if (event == nullptr) return nullptr;
  if (i < 0 || static_cast<size_t>(i) >= event->size()) {
    PyErr_SetString(PyExc_IndexError, "no such link");
    return nullptr;
  }
  return NewPart(TypeOfLinks(event), reinterpret_cast<EventObject*>(self), static_cast<size_t>(i));
}

PyObject* Iterate(PyObject* self) {
  if (Alive(reinterpret_cast<EventObject*>(self)) == nullptr) return nullptr;
  auto* const iterator = PyObject_New(IteratorObject, types->iterator);
  if (iterator == nullptr) return nullptr;
  iterator->of = reinterpret_cast<EventObject*>(Py_NewRef(self));
  iterator->next = 0;
  iterator->links = {};
  return reinterpret_cast<PyObject*>(iterator);
}

PyObject* Next(PyObject* self) {
  auto* const iterator = reinterpret_cast<IteratorObject*>(self);
  sdk::EventView* const event = Alive(iterator->of);
  if (event == nullptr) return nullptr;
  const bool is_filter = Py_TYPE(iterator->of) == types->filter;
  const size_t size = is_filter ? static_cast<sdk::LinkFilter*>(event)->size()
                                : static_cast<sdk::LinkEvent*>(event)->size();
  if (iterator->next >= size) return nullptr;
  PartObject*& link = iterator->links[iterator->next % 2];
  if (link == nullptr || Py_REFCNT(link) > 1) {
    PyObject* const made =
        NewPart(is_filter ? types->seen_link : types->link, iterator->of, iterator->next);
    if (made == nullptr) return nullptr;
    Py_XDECREF(link);
    link = reinterpret_cast<PartObject*>(made);
  }
  link->index = iterator->next++;
  return Py_NewRef(link);
}

void DropIterator(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  auto* const iterator = reinterpret_cast<IteratorObject*>(self);
  for (PartObject* const link : iterator->links) Py_XDECREF(link);
  Py_DECREF(iterator->of);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* FilterDrop(PyObject* self, PyObject* value) {
  auto* const filter = As<sdk::LinkFilter>(self);
  if (filter == nullptr) return nullptr;
  const Py_ssize_t i = PyNumber_AsSsize_t(value, PyExc_IndexError);
  if (i == -1 && PyErr_Occurred() != nullptr) return nullptr;
  if (i < 0 || static_cast<size_t>(i) >= filter->size()) {
    PyErr_SetString(PyExc_IndexError, "no such link");
    return nullptr;
  }
  filter->Drop(static_cast<size_t>(i));
  Py_RETURN_NONE;
}

PyObject* FilterDropKind(PyObject* self, PyObject* value) {
  auto* const filter = As<sdk::LinkFilter>(self);
  if (filter == nullptr) return nullptr;
  const long kind = PyLong_AsLong(value);
  if (kind == -1 && PyErr_Occurred() != nullptr) return nullptr;
  for (size_t i = 0; i < filter->size(); ++i) {
    if (static_cast<long>((*filter)[i].kind()) == kind) filter->Drop(i);
  }
  Py_RETURN_NONE;
}

PyObject* FilterDropAll(PyObject* self, PyObject*) {
  auto* const filter = As<sdk::LinkFilter>(self);
  if (filter == nullptr) return nullptr;
  filter->DropAll();
  Py_RETURN_NONE;
}

// ---- tables ----

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

constexpr PyGetSetDef kEventView[] = {
    {"now_ms", Get<sdk::EventView, &sdk::EventView::now_ms>, nullptr,
     "the only clock there is: the same again when the event is replayed", nullptr},
    {"depth", Get<sdk::EventView, &sdk::EventView::depth>, nullptr,
     "of the page, of the failed URL, or of the page that the links stand on", nullptr},
    {"score", Get<sdk::EventView, &sdk::EventView::score>, nullptr,
     "with which the page or the failed URL was scheduled", nullptr},
    {"attempt", Get<sdk::EventView, &sdk::EventView::attempt>, nullptr,
     "how often the page or the failed URL had been tried before", nullptr},
    {"domain", GetDomain, nullptr, "counts include the event itself", nullptr},
};
constexpr PyGetSetDef kEvent[] = {
    {"scheduled", Get<sdk::Event, &sdk::Event::scheduled>, nullptr,
     "how many requests this event has scheduled so far", nullptr},
};
constexpr PyMethodDef kEventViewMethods[] = {
    {"meta", GetMeta, METH_O, "of the request that led to this event; empty without"},
};
const PyMethodDef kEventMethods[] = {
    {"request", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(Request)),
     METH_VARARGS | METH_KEYWORDS,
     "request(url, score, *, depth=0, not_before_ms=0, even_if_known=False): a URL of this domain "
     "that is not one of the event's"},
    {"keep_domain_data", KeepDomainData, METH_O, "at most 64 KB"},
    {"give_up_domain", Do<&sdk::Event::GiveUpDomain>, METH_NOARGS, "empties the domain's queue"},
    {"back_off", Do<&sdk::Event::BackOff>, METH_NOARGS, "crawls the domain more slowly"},
    {"block_until", BlockUntil, METH_O, "fetches nothing of the domain before that Unix ms"},
    {"warn", Warn, METH_O, "a line for the worker's log"},
};

const PyMethodDef kLinksMethods[] = {
    {"column", GetColumn, METH_O,
     "column(name): a memoryview with an element of each link, for numpy.asarray"},
    {"urls", Texts<&sdk::Link::url>, METH_NOARGS, "of all links"},
    {"anchors", Texts<&sdk::Link::anchor>, METH_NOARGS, "of all links"},
    {"schedule_new", ScheduleNew, METH_VARARGS,
     "schedule_new(scores, most=all): schedules what never was, in order, at one score or at an "
     "array's; NaN leaves a link alone. How many it did"},
};

constexpr PyGetSetDef kSource[] = {
    {"source_url", Get<sdk::Links, &sdk::Links::source_url>, nullptr, nullptr, nullptr},
    {"source_score", Get<sdk::Links, &sdk::Links::source_score>, nullptr, nullptr, nullptr},
    {"source_link_count", Get<sdk::Links, &sdk::Links::source_link_count>, nullptr,
     "all links of that page, to all domains", nullptr},
    {"same_domain", Get<sdk::Links, &sdk::Links::same_domain>, nullptr, nullptr, nullptr},
};
constexpr PyGetSetDef kPage[] = {
    {"link", OwnLink, nullptr, "the page's own URL", nullptr},
    {"final_url", Get<sdk::Page, &sdk::Page::final_url>, nullptr, nullptr, nullptr},
    {"content_type", Get<sdk::Page, &sdk::Page::content_type>, nullptr, nullptr, nullptr},
    {"title", Get<sdk::Page, &sdk::Page::title>, nullptr, nullptr, nullptr},
    {"language", Get<sdk::Page, &sdk::Page::language>, nullptr, nullptr, nullptr},
    {"robots_directives", Get<sdk::Page, &sdk::Page::robots_directives>, nullptr, nullptr, nullptr},
    {"canonical_url", Get<sdk::Page, &sdk::Page::canonical_url>, nullptr, nullptr, nullptr},
    {"body", PageBody, nullptr, "bytes; empty unless spiders log bodies", nullptr},
    {"body_bytes", Get<sdk::Page, &sdk::Page::body_bytes>, nullptr, nullptr, nullptr},
    {"text_bytes", Get<sdk::Page, &sdk::Page::text_bytes>, nullptr, nullptr, nullptr},
    {"content_hash", Get<sdk::Page, &sdk::Page::content_hash>, nullptr, nullptr, nullptr},
    {"http_status", Get<sdk::Page, &sdk::Page::http_status>, nullptr, nullptr, nullptr},
    {"links_inside", Get<sdk::Page, &sdk::Page::links_inside>, nullptr, nullptr, nullptr},
    {"links_outside", Get<sdk::Page, &sdk::Page::links_outside>, nullptr, nullptr, nullptr},
    {"not_modified", Get<sdk::Page, &sdk::Page::not_modified>, nullptr, nullptr, nullptr},
    {"changed", Get<sdk::Page, &sdk::Page::changed>, nullptr, nullptr, nullptr},
};
constexpr PyGetSetDef kFailure[] = {
    {"link", OwnLink, nullptr, "the URL that could not be fetched", nullptr},
    {"cause", Get<sdk::Failure, &sdk::Failure::cause>, nullptr, "Cause", nullptr},
    {"http_status", Get<sdk::Failure, &sdk::Failure::http_status>, nullptr, nullptr, nullptr},
    {"retry_after_ms", Get<sdk::Failure, &sdk::Failure::retry_after_ms>, nullptr, nullptr, nullptr},
    {"transient", Get<sdk::Failure, &sdk::Failure::transient>, nullptr, "a later try may succeed",
     nullptr},
};
constexpr PyGetSetDef kHost[] = {
    {"name", Get<sdk::Host, &sdk::Host::name>, nullptr, nullptr, nullptr},
    {"sitemaps", HostSitemaps, nullptr, "URLs", nullptr},
    {"crawl_delay_ms", Get<sdk::Host, &sdk::Host::crawl_delay_ms>, nullptr, nullptr, nullptr},
    {"robots", Get<sdk::Host, &sdk::Host::robots>, nullptr, "Robots", nullptr},
    {"robots_status", Get<sdk::Host, &sdk::Host::robots_status>, nullptr, nullptr, nullptr},
    {"dns", Get<sdk::Host, &sdk::Host::dns>, nullptr, "Dns", nullptr},
};
constexpr PyGetSetDef kFilter[] = {
    {"is_seeds", Get<sdk::LinkFilter, &sdk::LinkFilter::is_seeds>, nullptr, nullptr, nullptr},
    {"link_depth", Get<sdk::LinkFilter, &sdk::LinkFilter::link_depth>, nullptr,
     "of the links themselves", nullptr},
    {"same_domain", Get<sdk::LinkFilter, &sdk::LinkFilter::same_domain>, nullptr, nullptr, nullptr},
};
constexpr PyMethodDef kFilterMethods[] = {
    {"drop", FilterDrop, METH_O, "the link of that index"},
    {"drop_kind", FilterDropKind, METH_O, "links of that LinkKind"},
    {"drop_all", FilterDropAll, METH_NOARGS, nullptr},
};

// ---- types ----

template <typename T>
using Parts = std::initializer_list<std::pair<const T*, size_t>>;
template <typename T, size_t n>
std::pair<const T*, size_t> Part(const T (&table)[n]) {
  return {table, n};
}

// Tables together, with the empty one at their end; for ever, as Python wants it.
template <typename T>
T* Join(Parts<T> parts) {
  static auto* const kept = new std::deque<std::vector<T>>;
  std::vector<T>& all = kept->emplace_back();
  for (const auto& [table, size] : parts) all.insert(all.end(), table, table + size);
  all.push_back(T{});
  return all.data();
}

PyTypeObject* NewType(const char* name, size_t size, destructor drop,
                      std::vector<PyType_Slot> slots) {
  slots.push_back({Py_tp_dealloc, reinterpret_cast<void*>(drop)});
  slots.push_back({0, nullptr});
  PyType_Spec spec{.name = name,
                   .basicsize = static_cast<int>(size),
                   .itemsize = 0,
                   .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                   .slots = slots.data()};
  return reinterpret_cast<PyTypeObject*>(Checked(PyType_FromSpec(&spec)).release());
}

PyTypeObject* NewEventType(const char* name, Parts<PyGetSetDef> members, Parts<PyMethodDef> methods,
                           std::vector<PyType_Slot> slots = {}) {
  slots.push_back({Py_tp_getset, Join(members)});
  slots.push_back({Py_tp_methods, Join(methods)});
  return NewType(name, sizeof(EventObject), DropEvent, std::move(slots));
}

template <typename Event>
std::vector<PyType_Slot> Sequence() {
  return {{Py_sq_length, reinterpret_cast<void*>(Size<Event>)},
          {Py_sq_item, reinterpret_cast<void*>(Item<Event>)},
          {Py_tp_iter, reinterpret_cast<void*>(Iterate)}};
}

// Members are numbered from 0 on.
std::vector<PyObject*> MembersOf(const char* name) {
  std::vector<PyObject*> members;
  const Owned list = Checked(PySequence_List(FromSdk(name).get()));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    members.push_back(Py_NewRef(PyList_GET_ITEM(list.get(), i)));
  }
  return members;
}

template <size_t n>
std::pair<const PyGetSetDef*, size_t> Part(const std::array<PyGetSetDef, n>& table) {
  return {table.data(), n};
}

PyObject* NewEvent(PyTypeObject* type, sdk::EventView* event) {
  auto* const object = PyObject_New(EventObject, type);
  if (object == nullptr) return nullptr;
  object->event = event;
  return reinterpret_cast<PyObject*>(object);
}

}  // namespace

void MakeEventTypes() {
  const auto view = Part(kEventView);
  const auto event = Part(kEvent);
  const auto view_methods = Part(kEventViewMethods);
  const auto methods = Part(kEventMethods);
  const auto links = Sequence<sdk::LinkEvent>();
  auto* const made = new Types{
      .seeds = NewEventType("orbweaver.Seeds", {view, event},
                            {view_methods, methods, Part(kLinksMethods)}, links),
      .links = NewEventType("orbweaver.Links", {view, event, Part(kSource)},
                            {view_methods, methods, Part(kLinksMethods)}, links),
      .page = NewEventType("orbweaver.Page", {view, event, Part(kPage)}, {view_methods, methods}),
      .failure =
          NewEventType("orbweaver.Failure", {view, event, Part(kFailure)}, {view_methods, methods}),
      .host = NewEventType("orbweaver.Host", {view, event, Part(kHost)}, {view_methods, methods}),
      .filter = NewEventType("orbweaver.LinkFilter", {view, Part(kFilter)},
                             {view_methods, Part(kFilterMethods)}, Sequence<sdk::LinkFilter>()),
      .link =
          NewType("orbweaver.Link", sizeof(PartObject), DropPart,
                  {{Py_tp_getset, Join<PyGetSetDef>({Part(kLinkView<LinkOf>), Part(kLinkState)})},
                   {Py_tp_methods, link_methods}}),
      .seen_link = NewType("orbweaver.LinkView", sizeof(PartObject), DropPart,
                           {{Py_tp_getset, Join<PyGetSetDef>({Part(kLinkView<SeenLinkOf>)})}}),
      .domain = NewType("orbweaver.Domain", sizeof(PartObject), DropPart,
                        {{Py_tp_getset, domain_members}}),
      .iterator = NewType("orbweaver.LinkIterator", sizeof(IteratorObject), DropIterator,
                          {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
                           {Py_tp_iternext, reinterpret_cast<void*>(Next)}}),
      .statuses = MembersOf("Status"),
      .kinds = MembersOf("LinkKind"),
      .causes = MembersOf("Cause"),
      .robots = MembersOf("Robots"),
      .dns = MembersOf("Dns")};
  types = made;
}

ShownEvent::ShownEvent(sdk::Seeds* seeds) : object_(Checked(NewEvent(types->seeds, seeds))) {}
ShownEvent::ShownEvent(sdk::Links* links) : object_(Checked(NewEvent(types->links, links))) {}
ShownEvent::ShownEvent(sdk::Page* page) : object_(Checked(NewEvent(types->page, page))) {}
ShownEvent::ShownEvent(sdk::Failure* failure)
    : object_(Checked(NewEvent(types->failure, failure))) {}
ShownEvent::ShownEvent(sdk::Host* host) : object_(Checked(NewEvent(types->host, host))) {}
ShownEvent::ShownEvent(sdk::LinkFilter* filter)
    : object_(Checked(NewEvent(types->filter, filter))) {}
ShownEvent::~ShownEvent() { reinterpret_cast<EventObject*>(object_.get())->event = nullptr; }

}  // namespace orbweaver::python
