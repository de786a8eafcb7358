#include "event_types.h"

#include <array>
#include <utility>
#include <vector>

#include "link_batch.h"
#include "link_sequence.h"
#include "link_types.h"
#include "view.h"

namespace orbweaver::python {
namespace {

struct Types {
  PyTypeObject *link, *domain;
  PyTypeObject *seeds, *links, *page, *failure, *host, *filter;
};
// Never destroyed: Python outlives static objects.
Types* types = nullptr;

void DropEvent(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* GetDomain(PyObject* self, void*) {
  auto* const event = reinterpret_cast<EventObject*>(self);
  return Alive(event) == nullptr ? nullptr : NewPart(types->domain, event, 0);
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

PyTypeObject* NewEventType(const char* name, Parts<PyGetSetDef> members, Parts<PyMethodDef> methods,
                           std::vector<PyType_Slot> slots = {}) {
  slots.push_back({Py_tp_getset, Join(members)});
  slots.push_back({Py_tp_methods, Join(methods)});
  return NewType(name, sizeof(EventObject), DropEvent, std::move(slots));
}

PyObject* NewEvent(PyTypeObject* type, sdk::EventView* event) {
  auto* const object = PyObject_New(EventObject, type);
  if (object == nullptr) return nullptr;
  object->event = event;
  return reinterpret_cast<PyObject*>(object);
}

}  // namespace

void MakeEventTypes() {
  LoadEnums();
  const auto view = Part(kEventView);
  const auto event = Part(kEvent);
  const auto view_methods = Part(kEventViewMethods);
  const auto methods = Part(kEventMethods);
  const auto batch = LinkBatchMethods();
  PyTypeObject* const link = MakeLinkType();
  MakeSequences(link, MakeLinkViewType());
  types = new Types{
      .link = link,
      .domain = MakeDomainType(),
      .seeds = NewEventType("orbweaver.Seeds", {view, event}, {view_methods, methods, batch},
                            LinkSequence()),
      .links = NewEventType("orbweaver.Links", {view, event, Part(kSource)},
                            {view_methods, methods, batch}, LinkSequence()),
      .page = NewEventType("orbweaver.Page", {view, event, Part(kPage)}, {view_methods, methods}),
      .failure =
          NewEventType("orbweaver.Failure", {view, event, Part(kFailure)}, {view_methods, methods}),
      .host = NewEventType("orbweaver.Host", {view, event, Part(kHost)}, {view_methods, methods}),
      .filter = NewEventType("orbweaver.LinkFilter", {view, Part(kFilter)},
                             {view_methods, Part(kFilterMethods)}, FilterSequence())};
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
